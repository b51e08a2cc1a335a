import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TransactionFile } from '../../src/daemon/wire';
import { ago, names, lineCounts, title } from '../../src/history/describe';

const file = (path: string, added = 1, removed = 0): TransactionFile => ({
  uri: `file://${path}`,
  path,
  action: 'edit',
  hashBefore: null,
  hashAfter: null,
  added,
  removed,
  tags: [],
});

test('a title is the first line of the label, or the file names', () => {
  const files = [file('/w/cart.py')];
  assert.equal(title({ label: 'Do not shadow sum\nLonger.', files }), 'Do not shadow sum');
  assert.equal(title({ label: null, files }), 'cart.py');
  assert.equal(title({ label: ' ', files }), 'cart.py');
  assert.equal(title({ label: 'Undo: t614e49-14', files, undoes: 't614e49-14' }), 'Undo: cart.py');
  assert.equal(title({ label: 'Undo: t614e49-14', files }), 'Undo: t614e49-14');
});

test('files are named or counted', () => {
  assert.equal(names([file('/w/a'), file('/w/b')]), 'a and b');
  assert.equal(names([file('/w/a'), file('/w/b'), file('/w/c')]), 'a and 2 more');
  assert.equal(names([{ path: '/w/a', newPath: '/w/z' }]), 'z');
  assert.equal(lineCounts([file('/w/a', 2, 1), file('/w/b', 3, 0)]), '+5 -1');
});

test('recent times are relative', () => {
  const now = new Date(2026, 4, 20, 15, 0);
  const at = (...time: [number, number, number, number, number]) => ago(new Date(...time).toISOString(), now);
  assert.equal(at(2026, 4, 20, 15, 0), 'now');
  assert.equal(at(2026, 4, 20, 14, 55), '5 min ago');
  assert.equal(at(2026, 4, 20, 1, 0), '14 h ago');
  assert.equal(at(2026, 4, 19, 23, 0), 'yesterday');
  assert.equal(at(2026, 4, 17, 8, 0), '3 days ago');
  assert.equal(at(2026, 3, 1, 8, 0), new Date(2026, 3, 1).toLocaleDateString());
});

test('a time before midnight is still some hours ago after midnight', () => {
  assert.equal(ago(new Date(2026, 4, 19, 23, 0).toISOString(), new Date(2026, 4, 20, 1, 0)), '2 h ago');
});
