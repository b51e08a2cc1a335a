import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TransactionEntry, TransactionFile } from '../../src/daemon/wire';
import { filesOf, grouped, isUndoable, shortTurn, turnTitle } from '../../src/history/turns';

function file(path: string, newPath?: string): TransactionFile {
  const uri = `file://${path}`;
  const base = {
    uri,
    path,
    action: 'edit',
    hashBefore: null,
    hashAfter: null,
    added: 2,
    removed: 1,
    tags: [],
  } as const;
  return newPath === undefined ? base : { ...base, action: 'rename', newPath };
}

let count = 0;

function change(author: string, turn: string | undefined, files: TransactionFile[] = [file('/w/a')]): TransactionEntry {
  count += 1;
  const entry = { transaction: `t-${count}`, at: '2026-05-20T15:00:00Z', author, label: null, files, undone: false };
  return turn === undefined ? entry : { ...entry, origin: { turn } };
}

function sizes(...entries: TransactionEntry[]): number[] {
  return grouped(entries).map((each) => ('entries' in each ? each.entries.length : 1));
}

test('consecutive changes of one turn by one author are a group', () => {
  assert.deepEqual(sizes(change('ada', '1'), change('ada', '1'), change('ada', '2')), [2, 1]);
  assert.deepEqual(sizes(change('ada', '1'), change('eve', '1'), change('ada', '1')), [1, 1, 1]);
  assert.deepEqual(sizes(change('ada', undefined), change('ada', undefined)), [1, 1]);
  assert.deepEqual(sizes(), []);
});

test('the files of a turn are counted once, and under their last name', () => {
  const entries = [change('ada', '1', [file('/w/b')]), change('ada', '1', [file('/w/a', '/w/b')]), change('ada', '1')];
  assert.deepEqual(filesOf(entries), [{ path: '/w/b', added: 6, removed: 3 }]);
  assert.equal(turnTitle(entries), '3 changes in b');
  assert.equal(turnTitle([...entries, change('ada', '1', [file('/w/c')])]), '4 changes in 2 files');
});

test('undone changes, undos and stored texts are not undone with a turn', () => {
  const entry = change('ada', '1');
  assert.ok(isUndoable(entry));
  assert.ok(!isUndoable({ ...entry, undone: true }));
  assert.ok(!isUndoable({ ...entry, undoes: 't-0' }));
  assert.ok(!isUndoable({ ...entry, rescued: true }));
});

test('a long id is shortened to its end', () => {
  assert.equal(shortTurn('turn-1'), 'turn-1');
  assert.equal(shortTurn('5d0e2c1a-6c1e-4f6f-9a7e-0000bbbb2222'), '…bbb2222');
});
