// Scenarios of edits by line numbers and by symbols, with the tags of the versions that the model has read.
import assert from 'node:assert/strict';
import type { Script } from './model/conversation.ts';
import { type Place, scene } from './support/place.ts';

const CART = `class Cart:
    def add(self, item):
        self.items.append(item)

    def total(self):
        return sum(self.items)


def rounded(amount):
    return round(amount, 2)
`;

const SUMS = 'import math\n';

const AFTER = `class Cart:
    def add(self, item):
        assert item.price >= 0
        self.items.append(item)

    def total(self):
        return sum(item.price for item in self.items)


`;

/** Returns the text as `read` shows it. */
export function numbered(text: string): string {
  const lines = text.trimEnd().split('\n');
  return lines.map((line, index) => `${index + 1}\t${line}\n`).join('');
}

/** Returns the tag of a version of the file: the last one in a text, or that in the structured content. */
export function tagIn(shown: string, name: string): string {
  const found = shown.matchAll(new RegExp(`${name}(?:#|"[^{}]*"tag":")([0-9a-f]{6})`, 'g'));
  const tag = [...found].at(-1)?.[1];
  assert.ok(tag, `no tag of ${name} in: ${shown}`);
  return tag;
}

/** The scenarios with a program that `play` starts. */
export function byLines(play: (place: Place, script: Script) => Promise<unknown>): void {
  scene('edits lines and symbols, and moves lines', { 'cart.py': CART, 'sums.py': SUMS }, async (place) => {
    await play(place, async (model) => {
      const read = await model.call('read', { path: 'cart.py' });
      assert.ok(read.includes(numbered(CART)), read);
      const insertion = { after: 2, newText: '        assert item.price >= 0' };
      const inserted = await model.call('edit', { path: `cart.py#${tagIn(read, 'cart.py')}`, edits: [insertion] });
      assert.match(inserted, /old lines 3\+: \+1|"shifts":\[\{"line":3,"by":1\}\]/);

      assert.match(await model.call('outline', { path: 'cart.py' }), /6-7 method Cart\.total/);
      const body = { symbol: 'Cart.total', op: 'body', newText: 'return sum(item.price for item in self.items)' };
      const replaced = await model.call('edit', { path: 'cart.py', edits: [body] });

      await model.call('read', { path: 'sums.py' });
      const move = { move: { lines: '10-11' }, to: { path: 'sums.py', after: 1 } };
      await model.call('edit', { path: `cart.py#${tagIn(replaced, 'cart.py')}`, edits: [move] });
    });
    assert.equal(place.read('cart.py'), AFTER);
    assert.equal(place.read('sums.py'), `${SUMS}def rounded(amount):\n    return round(amount, 2)\n`);
  });

  scene('is refused by line numbers that are out of date', { 'cart.py': CART }, async (place) => {
    const edits = [{ lines: '9-10', newText: 'def rounded(amount):\n    return amount' }];
    const changed = `# by another program\n${CART.replace('2)', '3)')}`;
    await play(place, async (model) => {
      const read = await model.call('read', { path: 'cart.py' });
      place.write('cart.py', changed);
      const refused = await model.call('edit', { path: `cart.py#${tagIn(read, 'cart.py')}`, edits });
      assert.match(refused, /stale/);
      assert.equal(place.read('cart.py'), changed);

      const again = await model.call('read', { path: 'cart.py', symbol: 'rounded' });
      assert.ok(again.includes('11\t    return round(amount, 3)'), again);
      const now = [{ ...edits[0], lines: '10-11' }];
      await model.call('edit', { path: `cart.py#${tagIn(again, 'cart.py')}`, edits: now });
    });
    assert.equal(place.read('cart.py'), changed.replace('round(amount, 3)', 'amount'));
  });
}
