// What every agent program has to be able to do with editd. The model knows a file only by what it is shown.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { IMAGE } from './model/dialect.ts';
import type { Part } from './model/model.ts';
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
-    amount = Decimal(0)
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

/** The hash of a file as it is; where there are several, it comes last. */
function hashIn(shown: string): string {
  const found = shown.match(new RegExp(HASH, 'g'))?.at(-1);
  assert.ok(found, `no hash in: ${shown}`);
  return found;
}

/** All of these are in what the model is shown. */
function shows(shown: string, ...wanted: (string | RegExp)[]): void {
  for (const each of wanted) {
    assert.ok(typeof each === 'string' ? shown.includes(each) : each.test(shown), `no ${String(each)} in: ${shown}`);
  }
}

/** Somebody changes the file with a program that knows nothing of editd. */
function somebody(place: Place, from: string, to: string): void {
  const text = place.read('cart.py');
  assert.ok(text.includes(from));
  place.write('cart.py', text.replace(from, to));
}

export function scenes(program: AgentProgram): void {
  const play = (place: Place, part: Part): Promise<void> => work(program, place, part);

  describe(program.name, () => {
    scene('edits, is refused what has changed, reads again and succeeds', { 'cart.py': CART }, async (place) => {
      const retry = { path: 'cart.py', oldText: 'return amount', newText: 'return round(amount, 2)' };
      await play(place, async (model) => {
        shows(model.instructions, 'editd works on files together with the people who have them open');
        await program.triesItsOwnTools(model);
        assert.equal(place.read('cart.py'), CART);

        const read = await model.call('read', { path: 'cart.py', ...program.adds });
        // Lines as they are, with nothing escaped.
        shows(read, CART, HASH);

        // Indented otherwise than the file is.
        const [oldText, newText] = [
          'for item in items:\n  amount += item.price',
          'for item in items or []:\n  amount += item.price',
        ];
        const edited = await model.call('edit', { path: 'cart.py', edits: [{ oldText, newText }] });
        shows(edited, '-    for item in items:', '+    for item in items or []:');
        assert.equal(place.read('cart.py'), CART.replace('items:', 'items or []:'));

        somebody(place, 'amount = 0', 'amount = Decimal(0)');
        const before = place.read('cart.py');
        const refused = await model.call('edit', retry);
        shows(refused, 'stale', 'has changed since', '-    amount = 0', '+    amount = Decimal(0)', HASH);
        assert.equal(place.read('cart.py'), before);

        const again = await model.call('read', { path: 'cart.py' });
        shows(again, 'amount = Decimal(0)');
        assert.notEqual(hashIn(again), hashIn(read));
        // What was sent is what was done, so it is not shown again.
        const done = await model.call('edit', retry);
        shows(done, 'applied', 'cart.py', '5');
        assert.ok(!done.includes('return round') && !HASH.test(done), done);
      });
      const expected = CART.replace('items:', 'items or []:').replace('= 0', '= Decimal(0)');
      assert.equal(place.read('cart.py'), expected.replace('return amount', 'return round(amount, 2)'));
    });

    scene(
      'goes on as refusals say, and patches several files',
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

          const far = await model.call('edit', {
            path: 'cart.py',
            oldText: 'for item in items :\n  amount += item.price',
            newText: '',
          });
          shows(far, 'not_found', 'closest', '+        amount += item.price');

          somebody(place, 'amount = 0', 'amount = Decimal(0)');
          const stale = await model.call('edit', edit);
          shows(stale, 'stale', 'baseHash');
          shows(await model.call('edit', { ...edit, baseHash: hashIn(stale) }), 'applied', HASH);

          const patched = await model.call('apply_patch', { patch: PATCH });
          shows(patched, 'applied', 'cart.py', 'old.py', 'new.py');
        });
        assert.equal(
          place.read('cart.py'),
          CART.replace('= 0', '= 0.0').replace('return amount', 'return round(amount, 2)'),
        );
        assert.equal(place.read('lib/new.py'), 'new = True\n');
        assert.throws(() => place.read('old.py'), /ENOENT/);
      },
    );

    scene(
      'is shown images, and every line that it counts as having read',
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

    scene('waits for a person, and asks later what was decided', { 'cart.py': CART }, async (place) => {
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
        // What came of it is known now: the next edit needs no reading.
        const next = { path: 'cart.py', oldText: 'amount = 0', newText: 'amount = 0.0', waitMs: 0 };
        shows(await model.call('edit', next), 'pending');
      });
      assert.equal(place.read('cart.py'), CART.replace('return amount', 'return round(amount, 2)'));
    });
  });
}
