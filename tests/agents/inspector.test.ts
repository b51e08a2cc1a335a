// The official MCP inspector on the command line. Each call is a separate client.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Fields, record, records, text } from './model/record.ts';
import { problemsOf } from './model/schema.ts';
import { NOTEBOOK } from './support/files.ts';
import { type Place, scene } from './support/place.ts';
import { type Ended, run } from './support/processes.ts';
import { installed } from './support/tools.ts';

const inspector = installed('mcp-inspector');

const CHANGING = ['apply_patch', 'edit', 'notebook_edit', 'undo', 'write'];
const READING = ['changes', 'diagnostics', 'find', 'list', 'outline', 'proposal_status', 'read', 'search'];

/** Its message for a refusal of a tool. */
const TOOL_ERROR = 5;

function inspect(place: Place, server: readonly string[], ...args: string[]): Promise<Ended> {
  return run([inspector, '--cli', 'editd', 'mcp', ...server, ...args], { env: place.env, cwd: place.work });
}

async function tools(place: Place, ...server: string[]): Promise<Fields[]> {
  const ended = await inspect(place, server, '--method', 'tools/list', '--strict');
  // With --strict, it fails on a schema that some clients or models would reject.
  assert.equal(ended.code, 0, ended.stderr);
  return records((JSON.parse(ended.stdout) as Fields)['tools']);
}

interface Result {
  /** The text for a model. */
  text: string;
  /** The structured content. */
  structured: Fields | undefined;
  refused: boolean;
}

async function call(place: Place, tool: string, args: Fields): Promise<Result> {
  const ended = await inspect(
    place,
    // It announces roots but lists none, and for such a client the working folder is not used.
    ['--root', place.work],
    ...['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)],
  );
  assert.ok(ended.code === 0 || ended.code === TOOL_ERROR, `${tool}: ${ended.code} ${ended.stderr}`);
  const result = JSON.parse(ended.stdout) as Fields;
  const structured = record(result['structuredContent']);
  const texts = records(result['content']).map((each) => text(each, 'text'));
  return { text: texts.join('\n'), structured, refused: result['isError'] === true };
}

function hashIn(shown: string): string {
  const found = /b3:[0-9a-f]{32}/.exec(shown)?.[0];
  assert.ok(found, `no hash in: ${shown}`);
  return found;
}

async function succeeds(place: Place, tool: string, args: Fields): Promise<Result> {
  const result = await call(place, tool, args);
  assert.ok(!result.refused && result.text !== '', `${tool}: ${JSON.stringify(result)}`);
  return result;
}

void describe('the inspector', () => {
  scene('lists tools with simple schemas and annotations', {}, async (place) => {
    const all = await tools(place);
    assert.deepEqual(all.map((tool) => text(tool, 'name')).sort(), [...CHANGING, ...READING].sort());
    for (const tool of all) {
      const name = text(tool, 'name');
      assert.deepEqual(problemsOf(tool['inputSchema']), [], name);
      assert.ok(text(tool, 'title') !== '' && text(tool, 'description').length > 100, name);
      assert.equal(record(tool['annotations'])?.['readOnlyHint'], READING.includes(name), name);
      assert.equal(record(tool['annotations'])?.['openWorldHint'], false, name);
    }
    const names = async (...server: string[]): Promise<string[]> =>
      (await tools(place, ...server)).map((tool) => text(tool, 'name')).sort();
    assert.deepEqual(await names('--read-only'), READING);
    assert.deepEqual(await names('--tools', 'read,edit'), ['edit', 'read']);
  });

  // Each call is a separate session, so hashes identify the versions.
  scene('calls every tool', { 'poem.txt': 'one\ntwo\n', 'notes.ipynb': NOTEBOOK }, async (place) => {
    const numbered = await succeeds(place, 'read', { path: 'poem.txt' });
    assert.match(numbered.text, /^poem\.txt#[0-9a-f]{6}, lines 1-2 of 2\n\n1\tone\n2\ttwo\n$/);
    const read = await succeeds(place, 'read', { path: 'poem.txt', numbered: false });
    assert.equal(read.structured, undefined);
    assert.match(read.text, /\n\none\ntwo\n$/);

    const edited = await succeeds(place, 'edit', {
      ...{ path: 'poem.txt', baseHash: hashIn(read.text) },
      edits: [{ oldText: 'two', newText: 'deux' }],
    });
    assert.equal(place.read('poem.txt'), 'one\ndeux\n');
    const hash = records(edited.structured?.['files'])[0]?.['hash'];
    assert.equal(hash, hashIn(edited.text));

    const patch = '--- a/poem.txt\n+++ b/poem.txt\n@@ -1,2 +1,2 @@\n-one\n+un\n deux\n';
    const patched = await succeeds(place, 'apply_patch', { patch, bases: { 'poem.txt': hash } });
    assert.equal(place.read('poem.txt'), 'un\ndeux\n');

    // Each call is a separate process and thus a separate session, which has changed nothing itself.
    assert.ok((await call(place, 'undo', { path: 'poem.txt' })).refused);
    await succeeds(place, 'undo', { transaction: text(patched.structured, 'transaction') });
    assert.equal(place.read('poem.txt'), 'one\ndeux\n');

    await succeeds(place, 'write', { path: 'songs/new.txt', content: 'la\n' });
    assert.equal(place.read('songs/new.txt'), 'la\n');

    const notebook = await succeeds(place, 'read', { path: 'notes.ipynb' });
    const cells = [{ op: 'replace', id: 'c1', source: 'x = 2' }];
    await succeeds(place, 'notebook_edit', { path: 'notes.ipynb', baseHash: hashIn(notebook.text), cells });
    assert.equal(place.read('notes.ipynb'), NOTEBOOK.replace('x = 1', 'x = 2'));

    for (const [tool, args] of [
      ['search', { pattern: 'deux' }],
      ['find', { pattern: 'poem*' }],
      ['list', {}],
    ] as const) {
      assert.match((await succeeds(place, tool, args)).text, /poem\.txt/);
    }
    await succeeds(place, 'changes', {});
    await succeeds(place, 'diagnostics', {});
    await succeeds(place, 'proposal_status', {});
  });

  scene('shows a refusal, in both forms if it has no lines of files', { 'poem.txt': 'one\n' }, async (place) => {
    const unread = await call(place, 'edit', { path: 'poem.txt', oldText: 'one', newText: 'un' });
    assert.ok(unread.refused && unread.structured === undefined);
    assert.match(unread.text, /^Refused \(unread\): .*currentHash: b3:.*1\tone/s);
    const refused = await call(place, 'read', { path: 'none.txt' });
    const error = record(refused.structured?.['error']);
    assert.ok(refused.refused);
    assert.equal(error?.['kind'], 'missing');
    assert.ok(text(error, 'hint') !== '');
    for (const each of [text(error, 'message'), text(error, 'hint'), 'missing']) {
      assert.ok(refused.text.includes(each), `${each} is not in: ${refused.text}`);
    }
    assert.equal(place.read('poem.txt'), 'one\n');
  });
});
