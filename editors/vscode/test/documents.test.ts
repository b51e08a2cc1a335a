// Changes by agents to files that are open in the editor.
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { Refused } from './support/rpc';
import { stage } from './support/stage';
import { until } from './support/until';

interface OpenFile {
  path: string;
  uri: string;
  active: boolean;
  selection: unknown;
  selectedText: string | null;
}

const scene = stage({
  configuration: 'review = "off"',
  files: { 'poem.txt': 'roses are red\n' },
});

scene('a clean open file is changed and saved', async ({ window, agent, files }) => {
  files.write('clean.txt', 'one\ntwo\n');
  await window.open('clean.txt');
  const { files: changed } = await agent.edit({ 'clean.txt': [['two', 'TWO']] });
  assert.equal(changed[0]?.saved, true);
  assert.equal(files.read('clean.txt'), 'one\nTWO\n');
  await window.shows('clean.txt', { text: 'one\nTWO\n', dirty: false });
});

scene('a dirty file is edited but not saved', async ({ window, agent, files }) => {
  files.write('dirty.txt', 'one\ntwo\nthree\n');
  await window.open('dirty.txt');
  await window.type({ after: 'one' }, ' and a half');
  const { files: changed } = await agent.edit({ 'dirty.txt': [['three', 'THREE']] });
  assert.equal(changed[0]?.saved, false);
  assert.equal(changed[0].source, 'editor');
  await window.shows('dirty.txt', { text: 'one and a half\ntwo\nTHREE\n', dirty: true });
  assert.equal(files.read('dirty.txt'), 'one\ntwo\nthree\n');
});

scene('a file that is not open is written to disk, and no editor opens', async ({ window, agent, files }) => {
  files.write('closed.txt', 'one\n');
  await window.open('poem.txt');
  await agent.edit({ 'closed.txt': [['one', 'ONE']] });
  assert.equal(files.read('closed.txt'), 'ONE\n');
  assert.deepEqual(await window.tabs(), ['poem.txt']);
  const open = await window.evaluate(({ vscode }) => vscode.workspace.textDocuments.map(({ fileName }) => fileName));
  assert.deepEqual(
    open.filter((name) => name.endsWith('closed.txt')),
    [],
  );
});

scene('an agent can know which files are open and what is selected', async ({ window, agent, files }) => {
  files.write('first.txt', 'one\n');
  files.write('second.txt', 'a 😀 b\nthree\n');
  await window.open('first.txt');
  await window.open('second.txt');
  await window.press('Control+Home');
  await window.press('Shift+End');
  const list = await until(
    'the selection',
    () => agent.call<{ files: OpenFile[] }>('editd/openFiles'),
    ({ files: [file] }) => file?.selectedText === 'a 😀 b',
  );
  const [active, ...others] = list.files;
  assert.deepEqual(active, {
    path: files.path('second.txt'),
    uri: active?.uri,
    active: true,
    selection: { start: { line: 0, character: 0 }, end: { line: 0, character: 6 } },
    selectedText: 'a 😀 b',
  });
  assert.ok(others.some(({ path }) => path === files.path('first.txt')));
  assert.ok(others.every((file) => !file.active));
});

scene('an edit of two files is undone in both', async ({ window, agent, files }) => {
  files.write('left.txt', 'left\n');
  files.write('right.txt', 'right\n');
  await window.open('left.txt');
  await window.open('right.txt');
  await agent.edit({ 'left.txt': [['left', 'LEFT']], 'right.txt': [['right', 'RIGHT']] });
  await window.shows('left.txt', { text: 'LEFT\n', dirty: false });
  await window.shows('right.txt', { text: 'RIGHT\n', dirty: false });
  await window.press('Control+Z');
  await window.shows('right.txt', { text: 'right\n' });
  await window.shows('left.txt', { text: 'left\n' });
  assert.equal(await window.screen.dialog(), undefined);
});

scene('an edit of two files is applied to both or to none', async ({ window, agent, files }) => {
  files.write('left.txt', 'left\n');
  files.write('right.txt', 'right\n');
  await window.open('left.txt');
  await window.open('right.txt');
  await agent.read('left.txt');
  await agent.read('right.txt');
  await window.type({ before: 'right' }, 'all ');
  await assert.rejects(
    agent.editUnread({ 'left.txt': [['left', 'LEFT']], 'right.txt': [['right', 'RIGHT']] }),
    (error) => error instanceof Refused && error.kind === 'stale',
  );
  await window.shows('left.txt', { text: 'left\n', dirty: false });
  await window.shows('right.txt', { text: 'all right\n', dirty: true });
});

scene('typing, an edit by an agent, and typing again are three undo steps', async ({ window, agent, files }) => {
  files.write('steps.txt', 'one\ntwo\n');
  await window.open('steps.txt');
  await window.type({ after: 'one' }, ' first');
  await agent.edit({ 'steps.txt': [['two', 'TWO']] });
  await window.type({ after: 'first' }, ' second');
  await window.shows('steps.txt', { text: 'one first second\nTWO\n' });
  await window.press('Control+Z');
  await window.shows('steps.txt', { text: 'one first\nTWO\n' });
  await window.press('Control+Z');
  await window.shows('steps.txt', { text: 'one first\ntwo\n' });
  await window.press('Control+Z');
  await window.shows('steps.txt', { text: 'one\ntwo\n', dirty: false });
});

scene('Windows line endings are preserved', async ({ window, agent, files }) => {
  files.write('windows.txt', 'one\r\ntwo\r\n');
  await window.open('windows.txt');
  await agent.edit({ 'windows.txt': [['two\n', 'two\nthree\n']] });
  await window.shows('windows.txt', { text: 'one\r\ntwo\r\nthree\r\n', dirty: false, eol: 'crlf' });
  assert.equal(files.read('windows.txt'), 'one\r\ntwo\r\nthree\r\n');
});

scene('a byte order mark is preserved', async ({ window, agent, files }) => {
  files.write('mark.txt', '\ufeffone\ntwo\n');
  await window.open('mark.txt');
  await agent.edit({ 'mark.txt': [['one', 'ONE']] });
  await window.shows('mark.txt', { dirty: false });
  assert.equal(files.read('mark.txt'), '\ufeffONE\ntwo\n');
});

scene('positions after characters of two or more UTF-16 units are correct', async ({ window, agent, files }) => {
  files.write('wide.txt', '😀 a 👩‍👩‍👧 b é c\n');
  await window.open('wide.txt');
  await window.type({ after: 'é' }, '🎉');
  await agent.edit({
    'wide.txt': [
      [' b ', ' B '],
      [' c', ' C😀'],
    ],
  });
  await window.shows('wide.txt', { text: '😀 a 👩‍👩‍👧 B é🎉 C😀\n', dirty: true });
});

scene('text typed after the agent has read the file is not overwritten', async ({ window, agent, files }) => {
  files.write('late.txt', 'one\ntwo\nthree\n');
  await window.open('late.txt');
  await agent.read('late.txt');
  await window.type({ after: 'two' }, ' and a half');
  await assert.rejects(
    agent.editUnread({ 'late.txt': [['two', 'TWO']] }),
    (error) => error instanceof Refused && error.kind === 'stale',
  );
  await window.shows('late.txt', { text: 'one\ntwo and a half\nthree\n', dirty: true });
  await agent.editUnread({ 'late.txt': [['one', 'ONE']] }, { onStale: 'rebase' });
  await window.shows('late.txt', { text: 'ONE\ntwo and a half\nthree\n', dirty: true });
});

scene('no keys are lost while agents write', async ({ window, agent, files }) => {
  files.write('busy.txt', 'keys:\n0\n');
  await window.open('busy.txt');
  const keys = 'the quick brown fox jumps over the lazy dog';
  await window.point({ after: 'keys:' });
  const person = { types: true };
  const typing = window.keys(keys).finally(() => {
    person.types = false;
  });
  let written = 0;
  const write = async (): Promise<void> => {
    await agent.edit({ 'busy.txt': [[`\n${written}\n`, `\n${written + 1}\n`]] }, { onStale: 'rebase' });
    written += 1;
  };
  while (person.types) {
    // A key may arrive between the read and the edit each time.
    await write().catch((error: unknown) => {
      if (!(error instanceof Refused)) {
        throw error;
      }
    });
  }
  await typing;
  await write();
  await window.shows('busy.txt', { text: `keys:${keys}\n${written}\n` });
});

scene('a document that is read-only in this window is not changed', async ({ window, agent, files }) => {
  files.write('fixed.txt', 'one\n');
  files.write('beside.txt', 'one\n');
  await window.open('beside.txt');
  await window.open('fixed.txt');
  await window.command('workbench.action.files.setActiveEditorReadonlyInSession');
  await assert.rejects(
    agent.edit({ 'beside.txt': [['one', 'ONE']], 'fixed.txt': [['one', 'ONE']] }),
    (error) => error instanceof Refused && error.kind === 'editor_refused',
  );
  for (const name of ['fixed.txt', 'beside.txt']) {
    await window.shows(name, { text: 'one\n', dirty: false });
    assert.equal(files.read(name), 'one\n');
  }
});

scene('a file without write permission is not changed', async ({ window, agent, files }) => {
  files.write('fixed.txt', 'one\n');
  chmodSync(files.path('fixed.txt'), 0o444);
  await window.open('fixed.txt');
  await assert.rejects(
    agent.edit({ 'fixed.txt': [['one', 'ONE']] }),
    (error) => error instanceof Refused && error.kind === 'read_only',
  );
  await window.shows('fixed.txt', { text: 'one\n', dirty: false });
  assert.equal(files.read('fixed.txt'), 'one\n');
});

scene('a change by another program is loaded before the edit is applied', async ({ window, agent, files }) => {
  files.write('outside.txt', 'one\ntwo\n');
  await window.open('outside.txt');
  files.write('outside.txt', 'one\ntwo\nthree\n');
  await agent.edit({ 'outside.txt': [['one', 'ONE']] });
  assert.equal(files.read('outside.txt'), 'ONE\ntwo\nthree\n');
  await window.shows('outside.txt', { text: 'ONE\ntwo\nthree\n', dirty: false });
});

scene('the agent receives the hash of the text after format on save', async ({ window, agent, files }) => {
  files.write('format.txt', 'one\n');
  await window.open('format.txt');
  await window.evaluate(async ({ vscode }) => {
    const whole = (text: string): string => text.replaceAll(' ', '_');
    const formatter = vscode.languages.registerDocumentFormattingEditProvider('plaintext', {
      provideDocumentFormattingEdits: (document) => [
        vscode.TextEdit.replace(
          new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end),
          whole(document.getText()),
        ),
      ],
    });
    Object.assign(globalThis, { formatter });
    const settings = vscode.workspace.getConfiguration('editor');
    await settings.update('formatOnSave', true, vscode.ConfigurationTarget.Global);
  });
  try {
    const { files: changed } = await agent.edit({ 'format.txt': [['one', 'one two three']] });
    assert.equal(files.read('format.txt'), 'one_two_three\n');
    assert.notEqual(changed[0]?.hash, changed[0]?.hashAfter);
    assert.equal(changed[0]?.hash, (await agent.read('format.txt')).hash);
    await window.shows('format.txt', { text: 'one_two_three\n', dirty: false });
  } finally {
    await window.evaluate(async ({ vscode }) => {
      (globalThis as unknown as { formatter: { dispose: () => void } }).formatter.dispose();
      const settings = vscode.workspace.getConfiguration('editor');
      await settings.update('formatOnSave', undefined, vscode.ConfigurationTarget.Global);
    });
  }
});

scene('a document that is open without a tab is changed and saved', async ({ window, agent, files }) => {
  files.write('hidden.txt', 'one\n');
  await window.evaluate(async ({ vscode }, path) => {
    await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  }, files.path('hidden.txt'));
  await agent.edit({ 'hidden.txt': [['one', 'ONE']] });
  assert.equal(files.read('hidden.txt'), 'ONE\n');
  await window.shows('hidden.txt', { text: 'ONE\n', dirty: false });
});
