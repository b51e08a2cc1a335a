import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Refusal } from '../../src/daemon/refusal';
import { describeRefusal } from '../../src/refusals';

function described(kind: string, message: string, data: Record<string, unknown> = {}): string {
  const refusal = {
    kind,
    message,
    hint: 'Call `editd/read` first.',
    text: `${message} Call \`editd/read\` first.`,
    data,
  };
  return describeRefusal(refusal as unknown as Refusal, (path) => path.replace('/shop/', ''));
}

test('refusals are reworded for the user', () => {
  const path = '/shop/a.txt';
  const outdated = { path, reason: 'editor_outdated', editors: ['code-server'] };
  assert.equal(
    described('contested', '`/shop/a.txt` was changed on disk. Ask the user to load it.', outdated),
    'a.txt has changed on disk, and code-server still shows the old content. Revert the file there, and try again.',
  );
  assert.equal(described('stale', '', { path, currentHash: null }), 'a.txt no longer exists.');
  assert.equal(
    described('timeout', ''),
    'The request took too long, so nothing was done. Try again with fewer changes at a time.',
  );
});

test('other refusals are shown without hints, methods and absolute paths', () => {
  assert.equal(described('binary', '`/shop/a.txt` is a binary file.'), 'a.txt is a binary file.');
  assert.equal(described('no_change', 'It is `undone` already.'), 'It is undone already.');
});
