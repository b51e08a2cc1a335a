import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWords } from '../../src/words';

void test('changes that are far from each other are found in a long line', () => {
  const line = (first: string, second: string, third: string): string =>
    `${'word '.repeat(3000)}${first}${'more '.repeat(3000)}${second}${'x y '.repeat(3000)}${third}end`;
  const [before, after] = [line('old ', 'two ', ''), line('new ', '', 'three ')];
  const { old, new: fresh } = compareWords(before, after);
  const texts = (text: string, ranges: readonly (readonly [number, number])[]): string[] =>
    ranges.map(([from, to]) => text.slice(from, to).trim());
  assert.deepEqual(texts(before, old), ['old', 'two']);
  assert.deepEqual(texts(after, fresh), ['new', 'three']);
});

void test('lines with nothing in common are all changed', () => {
  const { old, new: fresh } = compareWords('a b '.repeat(2000), 'c d '.repeat(2000));
  assert.equal(old.length > 0 && fresh.length > 0, true);
});
