// pi, which has no MCP, with the instructions of docs/agents.md.
import assert from 'node:assert/strict';
import { pi } from './native/pi.ts';
import { type NativeProgram, work } from './native/program.ts';
import { block } from './support/page.ts';
import { scene } from './support/place.ts';

const SECTION = 'pi, and agents without MCP';

const CART = 'class Cart:\n    def total(self):\n        return sum(self.items)\n';

/** Starts pi with the arguments of the page. */
const withShell: NativeProgram = {
  ...pi,
  configure: (place, modelUrl) => {
    const [assignment = '', command, ...args] = block(SECTION, 'sh').trim().split(' ');
    const [name = '', value = ''] = assignment.split('=');
    assert.equal(command, 'pi');
    place.write('AGENTS.md', block(SECTION, 'markdown'));
    const own = pi.configure(place, modelUrl);
    return { command: [...own.command, ...args], env: { ...own.env, [name]: value } };
  },
};

scene('edits lines and symbols with commands', { 'cart.py': CART }, async (place) => {
  await work(withShell, place, async (model) => {
    assert.ok(model.instructions.includes('Change files only with the command `editd`'), model.instructions);
    assert.deepEqual(model.tools.map(({ name }) => name).sort(), ['bash', 'find', 'grep', 'ls', 'read']);
    const run = (command: string): Promise<string> => model.callOwn(...pi.tools.shell(command));

    const [head = '', ...lines] = (await run('editd read cart.py --anchored')).split('\n');
    assert.match(head, /^cart\.py#[0-9a-f]{6}$/);
    assert.equal(lines[1], '2\t    def total(self):');
    place.write('cart.py', `import math\n\n\n${CART}`);
    await run(`editd edit '${head}' --yes --lines 3 --new '        return math.fsum(self.items)'`);
    assert.match(await run('editd outline cart.py'), /5-6.*Cart\.total/);
    await run(`editd edit cart.py --yes --symbol Cart.total --op before --new 'def clear(self):\n    self.items = []'`);

    place.write('cart.py', place.read('cart.py').replace('fsum', 'prod'));
    const refused = await run(`editd edit '${head}' --yes --lines 3 --new '        return 0'`);
    assert.match(refused, /has changed in the meantime/);
    assert.match(refused, /\+ {8}return math\.prod/);
  });
  const clear = '    def clear(self):\n        self.items = []\n\n';
  const expected = CART.replace('sum(', 'math.prod(').replace('    def', `${clear}    def`);
  assert.equal(place.read('cart.py'), `import math\n\n\n${expected}`);
  assert.match((await place.editd('log')).stdout, /pi .*cart\.py/);
});
