// Edits that fit, and edits that do not.
import assert from 'node:assert/strict';
import { CART, EDIT, EDITED } from './cart.ts';
import type { Desk } from './desk.ts';
import type { Hands } from './hands.ts';
import type { Scene } from './scene.ts';
import { usual } from './setting.ts';

const files = { 'cart.py': CART };

/** Codex reads files with the shell, so editd does not know what its model has read. */
const readsUnknown = { codex: 'made', codexInCode: 'made' } as const;

export const exact: Scene = {
  name: 'An edit that fits',
  setting: usual,
  files,
  usually: 'made',
  play: async (desk, model) => {
    await model.reads('cart.py');
    await desk.ends(await model.edits(...EDIT), EDITED);
    const twice = EDITED.after.replace('return amount', 'return -amount');
    await model.edits('cart.py', '        return amount', '        return -amount');
    assert.equal(desk.text('cart.py'), twice);
    await undoes(desk);
  },
};

/** Asserts that the two edits are known with their origin, and can be undone by it. */
async function undoes(desk: Desk): Promise<void> {
  const { author, model } = desk.program;
  const [last, first] = await desk.log();
  const turn = last?.origin?.turn;
  assert.ok(turn !== undefined && first?.origin?.turn === turn, `the turns ${String(turn)}, ${first?.origin?.turn}`);
  assert.equal((await desk.log('--turn', turn)).length, 2);
  assert.equal((await desk.log('--turn', 'another')).length, 0);
  assert.match(last?.origin?.model ?? '', model);
  assert.ok(last?.origin?.toolCall, 'the call is known');
  const listed = await desk.succeed('log', '--patch', desk.path('cart.py'));
  assert.match(listed.stdout, new RegExp(`${author}[^]*\\+ {8}return -amount[^]*${author}[^]*\\+ {8}amount = 1`));
  const mine = ['undo', '--yes', '--author', author, '--path', desk.path('cart.py')];
  await desk.succeed(...mine);
  assert.equal(desk.text('cart.py'), EDITED.after);
  await desk.succeed(...mine, '--turn', turn);
  assert.equal(desk.text('cart.py'), CART);
}

const WRONG = 'def total(items):\n    amount = 0';

export const indentation: Scene = {
  name: 'The old text has another indentation than the file',
  setting: usual,
  files,
  usually: 'repaired',
  except: { claude: 'advised' },
  play: async (desk, model) => {
    await model.reads('cart.py');
    let shown = await model.edits('cart.py', WRONG, WRONG.replace('0', '1'));
    if (desk.outcome === 'advised') {
      assert.equal(desk.text('cart.py'), CART);
      const advice = /with these arguments:\s*(\{.*\})/.exec(shown)?.[1];
      assert.ok(advice, `no advice in: ${shown}`);
      shown = await model.call(['Edit', JSON.parse(advice) as Record<string, unknown>]);
    }
    await desk.ends(shown, EDITED);
  },
};

export const absent: Scene = {
  name: 'The old text is not in the file',
  setting: usual,
  files,
  usually: 'refused',
  play: async (desk, model) => {
    await model.reads('cart.py');
    const shown = await model.edits('cart.py', 'def totals(entries, more):\n    return 1', 'pass');
    await desk.ends(shown, { ...EDITED, reason: /closest text begins at line 1[^]*def total\(items\):/ });
  },
};

const TWICE = 'a = 1\nb = 2\na = 1\n';

export const ambiguous: Scene = {
  name: 'The old text is in two places',
  setting: usual,
  files: { 'two.py': TWICE },
  usually: 'refused',
  play: async (desk, model) => {
    await model.reads('two.py');
    const shown = await model.edits('two.py', 'a = 1', 'a = 3');
    await desk.ends(shown, { name: 'two.py', before: TWICE, after: '', reason: /Line 1:[^]*Line 3:/ });
  },
};

export const unread: Scene = {
  name: 'The model has not read the file',
  setting: usual,
  files,
  usually: 'refused',
  except: readsUnknown,
  play: async (desk, model) => {
    await desk.ends(await model.edits(...EDIT), { ...EDITED, reason: /has not been read/ });
    await succeedsAfterRead(desk, model);
  },
};

const MORE = `${CART}\n# by another program\n`;

export const stale: Scene = {
  name: 'Another program has changed the file since it was read',
  setting: usual,
  files,
  usually: 'refused',
  except: readsUnknown,
  play: async (desk, model) => {
    await model.reads('cart.py');
    desk.changes('cart.py', MORE);
    const after = MORE.replace('= 0', '= 1');
    const reason = /has changed since[^]*\+# by another program/;
    await desk.ends(await model.edits(...EDIT), { name: 'cart.py', before: MORE, after, reason });
    await succeedsAfterRead(desk, model);
  },
};

/** Asserts that a refused edit is made once the model has read the file. */
async function succeedsAfterRead(desk: Desk, model: Hands): Promise<void> {
  if (desk.outcome === 'refused') {
    await model.reads('cart.py');
    assert.match(await model.edits(...EDIT), desk.program.succeeded);
    assert.match(desk.text('cart.py'), /amount = 1/);
  }
}

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\n';

export const several: Scene = {
  name: 'Several edits of a file in one step',
  setting: usual,
  files: { 'lines.txt': LINES },
  usually: 'made',
  play: async (desk, model) => {
    await model.reads('lines.txt');
    const shown = await model.editsAll([
      ['lines.txt', 'one', '1'],
      ['lines.txt', 'three', '3\n3.5'],
      ['lines.txt', 'five', '5'],
    ]);
    for (const each of shown) {
      assert.match(each, desk.program.succeeded);
    }
    assert.equal(desk.text('lines.txt'), '1\ntwo\n3\n3.5\nfour\n5\nsix\n');
    assert.match(await model.edits('lines.txt', 'six', '6'), desk.program.succeeded);
    const [last, ...others] = (await desk.log()).map(({ files: [file] }) => changedLines(file?.diff));
    assert.equal(last, '-six +6');
    // Tools that run at the same time may end in any order.
    assert.deepEqual(others.sort(), ['-five +5', '-one +1', '-three +3 +3.5']);
  },
};

function changedLines(diff = ''): string {
  return diff
    .split('\n')
    .filter((line) => /^[-+][^-+]/.test(line))
    .join(' ');
}
