// Scenarios that every agent program must support. The model knows only the content of files that it was
// shown.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { byLines, numbered, tagIn } from './lines.ts';
import { IMAGE } from './model/dialect.ts';
import type { Script } from './model/conversation.ts';
import { type AgentProgram, work } from './programs/program.ts';
import { RED } from './support/files.ts';
import { accepts } from './support/person.ts';
import { type Place, scene } from './support/place.ts';

const CART = `def total(items):
    amount = 0
    for item in items:
        amount += item.price
    return amount
`;

const PATCH = `*** Begin Patch
*** Update File: cart.py
@@ def total(items):
-    amount = Decimal(1)
+    amount = 0.0
*** Delete File: old.py
*** Add File: lib/new.py
+new = True
*** End Patch`;

const LINES = 1500;

const lineOf = (line: number): string => `line ${line} of a file that is longer than what programs pass on to models.`;

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const LONG = range(1, LINES)
  .map((line) => `${lineOf(line)}\n`)
  .join('');

const HASH = /b3:[0-9a-f]{32}/;
/** A change that was made, in the text or in the data of an answer. */
const MADE = /Changed |applied/;

/** The current hash of a file: the last one in the text, if there are several. */
function hashIn(shown: string): string {
  const found = shown.match(new RegExp(HASH, 'g'))?.at(-1);
  assert.ok(found, `no hash in: ${shown}`);
  return found;
}

/** The id that a refusal names for a parameter. */
function idIn(refused: string, parameter: 'accept' | 'retry'): string {
  const [, id] = new RegExp(`${parameter}: \\\\?"([ro]\\d+)`).exec(refused) ?? [];
  assert.ok(id, `no id for ${parameter} in: ${refused}`);
  return id;
}

/** Asserts that the model was shown all of these. */
function shows(shown: string, ...wanted: (string | RegExp)[]): void {
  for (const each of wanted) {
    assert.ok(typeof each === 'string' ? shown.includes(each) : each.test(shown), `no ${String(each)} in: ${shown}`);
  }
}

/** Changes the file with a program that does not use editd. */
function changeByOther(place: Place, from: string, to: string): void {
  const text = place.read('cart.py');
  assert.ok(text.includes(from));
  place.write('cart.py', text.replace(from, to));
}

export function scenes(program: AgentProgram): void {
  const play = (place: Place, script: Script): Promise<void> => work(program, place, script);

  describe(program.name, () => {
    scene('edits, is refused as stale, reads again and succeeds', { 'cart.py': CART }, async (place) => {
      const retry = { path: 'cart.py', oldText: 'return amount', newText: 'return round(amount, 2)' };
      await play(place, async (model) => {
        shows(model.instructions, 'editd works on files together with the people who have them open');
        await program.triesItsOwnTools(model);
        assert.equal(place.read('cart.py'), CART);

        const read = await model.call('read', { path: 'cart.py', ...program.adds });
        // Lines are numbered, and otherwise verbatim, without escapes.
        shows(read, numbered(CART));

        // The indentation differs from that of the file.
        const [oldText, newText] = [
          'for item in items:\n  amount += item.price',
          'for item in items or []:\n  amount += item.price',
        ];
        const edited = await model.call('edit', { path: 'cart.py', edits: [{ oldText, newText }] });
        shows(edited, '-    for item in items:', '+    for item in items or []:');
        assert.equal(place.read('cart.py'), CART.replace('items:', 'items or []:'));

        changeByOther(place, 'amount = 0', 'amount = Decimal(0)');
        const before = place.read('cart.py');
        const refused = await model.call('edit', retry);
        shows(refused, 'stale', 'has changed since', '-    amount = 0', '+    amount = Decimal(0)', HASH);
        assert.equal(place.read('cart.py'), before);

        const again = await model.call('read', { path: 'cart.py' });
        shows(again, 'amount = Decimal(0)');
        assert.notEqual(tagIn(again, 'cart.py'), tagIn(read, 'cart.py'));
        // The edit was applied as sent, so it is not shown again.
        const done = await model.call('edit', retry);
        shows(done, MADE, 'cart.py', '5');
        assert.ok(!done.includes('return round') && !HASH.test(done), done);
      });
      const expected = CART.replace('items:', 'items or []:').replace('= 0', '= Decimal(0)');
      assert.equal(place.read('cart.py'), expected.replace('return amount', 'return round(amount, 2)'));
    });

    scene(
      'follows the hints of refusals, and patches several files',
      { 'cart.py': CART, 'old.py': 'old\n' },
      async (place) => {
        const edit = { path: 'cart.py', oldText: 'return amount', newText: 'return round(amount, 2)' };
        await play(place, async (model) => {
          const unread = await model.call('edit', edit);
          shows(unread, 'unread', 'return amount', HASH);

          const [cart = '', old = ''] = await model.calls([
            ['read', { path: 'cart.py' }],
            ['read', { path: 'old.py' }],
          ]);
          shows(cart, 'amount += item.price');
          shows(old, 'old');

          const far = { oldText: 'for item in items :\n  amount += item.cost', newText: 'for item in items :\n  pass' };
          const exact = await model.call('edit', { path: 'cart.py', ...far, matching: 'exact' });
          shows(exact, 'not_found', 'closest', '+        amount += item.price');
          const offered = await model.call('edit', { path: 'cart.py', ...far });
          shows(offered, 'not_found', '-        amount += item.price', '+        pass');
          assert.equal(place.read('cart.py'), CART);
          shows(await model.call('edit', { accept: idIn(offered, 'accept') }), MADE, 'cart.py');
          assert.equal(place.read('cart.py'), CART.replace('amount += item.price', 'pass'));

          changeByOther(place, 'amount = 0', 'amount = Decimal(0)');
          const stale = await model.call('edit', edit);
          shows(stale, 'stale', 'baseHash');
          shows(await model.call('edit', { ...edit, baseHash: hashIn(stale) }), MADE, HASH);

          changeByOther(place, 'Decimal(0)', 'Decimal(1)');
          const again = await model.call('edit', { path: 'cart.py', oldText: 'pass', newText: 'amount += 1' });
          shows(again, 'stale');
          shows(await model.call('edit', { retry: idIn(again, 'retry'), onStale: 'rebase' }), MADE, 'cart.py');

          const patched = await model.call('apply_patch', { patch: PATCH });
          shows(patched, MADE, 'cart.py', 'old.py', 'new.py');
        });
        assert.equal(
          place.read('cart.py'),
          CART.replace('= 0', '= 0.0').replace('item.price', '1').replace('return amount', 'return round(amount, 2)'),
        );
        assert.equal(place.read('lib/new.py'), 'new = True\n');
        assert.throws(() => place.read('old.py'), /ENOENT/);
      },
    );

    scene(
      'shows the model images, and every line that counts as read',
      { 'long.txt': LONG, 'red.png': RED },
      async (place) => {
        await play(place, async (model) => {
          shows(await model.call('read', { path: 'red.png' }), IMAGE, 'red.png', HASH);
          let next = 1;
          while (next <= LINES) {
            const shown = await model.call('read', { path: 'long.txt', offset: next });
            const last = Number(/"endLine":(\d+)|lines \d+-(\d+) of/.exec(shown)?.slice(1).join(''));
            assert.ok(last >= next, `no last line in: ${shown.slice(0, 500)}`);
            const missing = range(next, last).filter((line) => !shown.includes(lineOf(line)));
            assert.equal(
              missing.length,
              0,
              `of lines ${next} to ${last}, ${missing.length} from ${missing[0]} on are not shown`,
            );
            next = last + 1;
          }
        });
      },
    );

    scene('waits for a person, and queries the decision later', { 'cart.py': CART }, async (place) => {
      place.configure('.config/editd/config.toml', 'review = "always"\n');
      const edit = { path: 'cart.py', oldText: 'return amount', newText: 'return round(amount, 2)', waitMs: 0 };
      await play(place, async (model) => {
        await model.call('read', { path: 'cart.py' });
        const pending = await model.call('edit', edit);
        shows(pending, 'pending', 'proposal_status');
        const id = /p[0-9a-f]+-\d+/.exec(pending)?.[0];
        assert.ok(id, `no id in: ${pending}`);
        shows(await model.call('proposal_status', { id, waitMs: 0 }), 'pending');
        assert.equal(place.read('cart.py'), CART);

        await accepts(place, id);
        shows(await model.call('proposal_status', { id }), 'applied', HASH);
        // The result counts as read, so the next edit needs no read.
        const next = { path: 'cart.py', oldText: 'amount = 0', newText: 'amount = 0.0', waitMs: 0 };
        shows(await model.call('edit', next), 'pending');
      });
      assert.equal(place.read('cart.py'), CART.replace('return amount', 'return round(amount, 2)'));
    });

    byLines(play);
  });
}
