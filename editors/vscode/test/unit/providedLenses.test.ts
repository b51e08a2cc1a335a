import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ProvidedLenses } from '../../src/review/providedLenses';

test('a document is outdated until its current lenses were provided', () => {
  const given = new ProvidedLenses();
  assert.equal(given.isOutdated('a', '', 1), false, 'there are no lenses and none are expected');
  assert.equal(given.isOutdated('a', 'Accept', 1), true);
  given.record('a', 'Accept');
  assert.equal(given.isOutdated('a', 'Accept', 1), false);
  assert.equal(given.isOutdated('a', 'Accepted', 1), true);
  given.record('a', '');
  assert.equal(given.isOutdated('a', '', 1), false);
  assert.equal(given.isOutdated('a', '', 2), true, 'the other editor shows outdated lenses');
});

test('each editor of a document has to request lenses', () => {
  const given = new ProvidedLenses();
  given.record('a', 'Accept');
  assert.equal(given.isOutdated('a', 'Accept', 2), true);
  given.record('a', 'Accept');
  assert.equal(given.isOutdated('a', 'Accept', 2), false);
  given.resetCount('a');
  assert.equal(given.isOutdated('a', 'Accept', 1), true, 'another editor shows the document');
  given.record('a', 'Accepted');
  assert.equal(given.isOutdated('a', 'Accepted', 2), true, 'the earlier requests were for another text');
});

test('documents that were not requested for a long time are forgotten', () => {
  const given = new ProvidedLenses();
  for (let number = 0; number < 30; number += 1) {
    given.record('kept', 'Accept');
    given.record(String(number), 'Accept');
  }
  assert.equal(given.has('kept'), true);
  assert.equal(given.has('0'), false);
  assert.equal(given.has('29'), true);
});
