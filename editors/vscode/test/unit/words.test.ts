import assert from 'node:assert/strict';
import { test } from 'node:test';

import { plain, size } from '../../src/review/words';

test('words of agents stay on one line and cannot turn it around', () => {
  assert.equal(plain('Fix\n\tthe\u0007 \u202esum'), 'Fix the sum');
  assert.equal(size(2, 1), '+2 -1');
  assert.equal(size(0, 3), '-3');
});
