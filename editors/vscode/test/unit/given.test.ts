import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Given } from '../../src/review/given';

test('a document is behind until what it shows now was given', () => {
  const given = new Given();
  assert.equal(given.isBehind('a', '', 1), false, 'nothing is shown and nothing is to be');
  assert.equal(given.isBehind('a', 'Accept', 1), true);
  given.give('a', 'Accept');
  assert.equal(given.isBehind('a', 'Accept', 1), false);
  assert.equal(given.isBehind('a', 'Accepted', 1), true);
  given.give('a', '');
  assert.equal(given.isBehind('a', '', 1), false);
  assert.equal(given.isBehind('a', '', 2), true, 'the other editor shows what is over');
});

test('each editor of a document has to ask', () => {
  const given = new Given();
  given.give('a', 'Accept');
  assert.equal(given.isBehind('a', 'Accept', 2), true);
  given.give('a', 'Accept');
  assert.equal(given.isBehind('a', 'Accept', 2), false);
  given.forget('a');
  assert.equal(given.isBehind('a', 'Accept', 1), true, 'it is another editor');
  given.give('a', 'Accepted');
  assert.equal(given.isBehind('a', 'Accepted', 2), true, 'it was asked before that, for another text');
});

test('documents that nobody asked for in a long time are forgotten', () => {
  const given = new Given();
  for (let number = 0; number < 30; number += 1) {
    given.give('kept', 'Accept');
    given.give(String(number), 'Accept');
  }
  assert.equal(given.has('kept'), true);
  assert.equal(given.has('0'), false);
  assert.equal(given.has('29'), true);
});
