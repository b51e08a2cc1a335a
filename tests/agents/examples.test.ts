// The example programs in docs/agents.md, which use the socket without the Model Context Protocol.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Between } from './support/between.ts';
import { block } from './support/page.ts';
import { type Place, scene } from './support/place.ts';
import { type Ended, run } from './support/processes.ts';
import { installed, repository } from './support/tools.ts';

const examples = join(repository, 'docs/examples');

const languages = [
  { name: 'TypeScript', file: 'agent.ts', command: installed('node') },
  { name: 'Python', file: 'agent.py', command: '/usr/bin/python3' },
];

const files = { 'door.txt': 'The door is closed.\n' };

for (const { name, file, command } of languages) {
  const program = join(examples, file);
  const start = (place: Place, ...args: string[]): Promise<Ended> =>
    run([command, program, 'door.txt', ...args], { env: place.env, cwd: place.work });

  describe(`the example in ${name}`, () => {
    scene('replaces a text, and starts the daemon', files, async (place) => {
      const ended = await start(place, 'closed', 'open');
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal(place.read('door.txt'), 'The door is open.\n');
      assert.match(ended.stdout, /^\+The door is open\.$/m);
      assert.match((await place.editd('log')).stdout, /example .*door\.txt/);
    });

    scene('reports a refusal with its hint', files, async (place) => {
      const ended = await start(place, 'window', 'open');
      assert.equal(ended.code, 1);
      assert.match(ended.stderr, /^not_found: .*\n.*Read the file again/);
      assert.equal(place.read('door.txt'), files['door.txt']);
    });

    scene('reads again if the file has changed in the meantime', files, async (place) => {
      await place.editd('log'); // start the daemon first
      let reads = 0;
      const between = await Between.listen(place, (answer) => {
        if (answer.includes('"startLine"') && answer.includes('"totalLines"') && ++reads === 1) {
          place.write('door.txt', 'The old door is closed.\n');
        }
      });
      try {
        const ended = await start(place, 'closed', 'open');
        assert.equal(ended.code, 0, ended.stderr);
      } finally {
        between.close();
      }
      assert.equal(reads, 2);
      assert.equal(place.read('door.txt'), 'The old door is open.\n');
    });
  });
}

test('docs/agents.md quotes the example program', () => {
  const quoted = block('Talking to the socket', 'ts');
  assert.ok(readFileSync(join(examples, 'agent.ts'), 'utf8').includes(quoted));
});
