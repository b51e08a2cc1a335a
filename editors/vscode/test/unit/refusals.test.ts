import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Refusal } from '../../src/daemon/refusal';
import { inWords } from '../../src/refusals';

function said(kind: string, message: string, data: Record<string, unknown> = {}): string {
  const refusal = {
    kind,
    message,
    hint: 'Call `editd/read` first.',
    text: `${message} Call \`editd/read\` first.`,
    data,
  };
  return inWords(refusal as unknown as Refusal, (path) => path.replace('/shop/', ''));
}

test('what is said to agents is put into words for the person', () => {
  const path = '/shop/a.txt';
  const outdated = { path, reason: 'editor_outdated', editors: ['code-server'] };
  assert.equal(
    said('contested', '`/shop/a.txt` was changed on disk. Ask the user to load it.', outdated),
    'a.txt was changed on the disk, and code-server still shows what it was before. Revert the file there, and try again.',
  );
  assert.equal(said('stale', '', { path, currentHash: null }), 'a.txt is not there any more.');
  assert.equal(said('timeout', ''), 'It took too long, so nothing was done. Try again with less at a time.');
});

test('what has no words of its own is said without hints, methods and whole paths', () => {
  assert.equal(said('binary', '`/shop/a.txt` is a binary file.'), 'a.txt is a binary file.');
  assert.equal(said('no_change', 'It is `undone` already.'), 'It is undone already.');
});
