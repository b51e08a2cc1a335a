import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asLabel, asMessage } from '../../src/escape';

void test('text from an agent does not become a link in a message', () => {
  const text = 'ada wants [this](command:workbench.action.quit) and a[0](x)';
  const link = /\[[^\]]*\]\(/;
  assert.match(text, link);
  assert.doesNotMatch(asMessage(text), link);
});

void test('text from an agent does not become an icon in a label', () => {
  assert.doesNotMatch(asLabel('$(error) $($(x))'), /\$\(/);
});

void test('a label that is too long is truncated', () => {
  assert.equal(asLabel('abcdef', 4), 'abc…');
  assert.equal(asLabel('abcd', 4), 'abcd');
});
