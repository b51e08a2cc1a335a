// All windows share a daemon: proposals for other folders, and folders opened through a symbolic link.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from './support/agent';
import { stage } from './support/stage';
import { until } from './support/until';

const scene = stage({ files: { 'poem.txt': 'one\ntwo\n' }, settings: { 'files.autoSave': 'off' } });

scene(
  'a window is notified of proposals for its own folder only, even through a link',
  async ({ window, files, daemon, another }) => {
    const real = join(files.folder, '../other');
    const link = join(files.folder, '../link');
    mkdirSync(real);
    symlinkSync(real, link);
    writeFileSync(join(real, 'song.txt'), 'la\nla\nla\n');
    const other = await another(link);
    await other.open('song.txt');
    const agent = await Agent.connect(daemon.agentSocket, 'bob', link);
    await agent.edit({ 'song.txt': [['la\nla\nla\n', 'la\nle\nla\n']] }, { label: 'Sing', review: true });
    const lenses = other.page.locator('.monaco-editor .codelens-decoration');
    await until(
      'a lens in the window of the folder',
      () => lenses.allTextContents(),
      (texts) => texts.some((text) => /Accept.*Reject.*Diff: le/.test(text)),
    );
    await other.screen.notified('Sing');
    await window.command('editd.proposals.focus');
    await until(
      'the other window lists the proposal as `elsewhere`',
      () => window.screen.rows('Proposals'),
      (rows) => rows.some((row) => row.includes('Sing') && row.includes('elsewhere')),
    );
    assert.deepEqual(await window.screen.notifications(), []);
    assert.ok(!(await window.screen.status()).some((text) => text.includes('editd: 1')));

    await other.command('workbench.action.focusActiveEditorGroup');
    await other.point({ line: 1, character: 0 });
    await other.press('Control+Alt+Y');
    await other.shows('song.txt', { text: 'la\nle\nla\n' });
    agent.close();
  },
);

scene('a link in text from an agent does not run a command', async ({ window, agent }) => {
  const label = 'Look [here](command:workbench.action.toggleSidebarVisibility) $(error)';
  const outcome = await agent.edit({ 'poem.txt': [['two', 'TWO']] }, { label, review: true });
  await window.screen.notified('Look');
  const message = window.page.locator('.notifications-toasts .notification-list-item-message');
  assert.equal(await message.locator('a').count(), 0);
  await agent.call('editd/discard', { id: outcome.id });
});
