// Commands that change files without an edit tool.
import assert from 'node:assert/strict';
import { CART } from './cart.ts';
import type { Scene } from './scene.ts';
import { decidesNext } from '../support/person.ts';
import { reviewed, usual } from './setting.ts';

export const command: Scene = {
  name: 'A command changes files',
  setting: usual,
  files: { 'cart.py': CART, 'old.txt': 'old\n' },
  usually: 'recorded',
  play: async (desk, model) => {
    const [cart, old, fresh] = ['cart.py', 'old.txt', 'new.txt'].map((name) => desk.path(name));
    await model.runs(`sed -i 's/amount = 0/amount = 1/' ${cart}; rm ${old}; echo new > ${fresh}; exit 3`);
    assert.equal(desk.text('cart.py'), CART.replace('= 0', '= 1'));
    const [entry, ...others] = await desk.log();
    assert.deepEqual(others, []);
    assert.deepEqual(entry?.files.map(({ action }) => action).sort(), ['create', 'delete', 'edit']);
    assert.equal(entry.author, desk.program.author);
    assert.match(entry.label ?? '', /sed -i .*amount = 1/);
    assert.ok(entry.origin?.toolCall, 'the call is known');
    const turn = entry.origin.turn;
    assert.ok(turn, 'the turn is known');
    await desk.succeed('undo', '--yes', '--author', desk.program.author, '--turn', turn, '--path', desk.path('.'));
    assert.equal(desk.text('cart.py'), CART);
    assert.ok(desk.has('old.txt') && !desk.has('new.txt'), 'the files are as before');
  },
};

export const reverted: Scene = {
  name: 'A person reverts what a command has changed, with a comment',
  setting: reviewed,
  files: { 'cart.py': CART },
  usually: 'told',
  play: async (desk, model) => {
    await model.runs(`sed -i 's/amount = 0/amount = 1/' ${desk.path('cart.py')}`);
    assert.equal(desk.text('cart.py'), CART.replace('= 0', '= 1'));
    await decidesNext(desk.place, { reject: 'all', comment: 'Start with nothing.' }, 'landed');
    assert.equal(desk.text('cart.py'), CART);
    const shown = await model.runs('echo next');
    assert.match(shown, /The user has reverted what `.*sed -i[^]*cart\.py[^]*Start with nothing\./);
    assert.doesNotMatch(await model.runs('echo again'), /reverted/);
  },
};
