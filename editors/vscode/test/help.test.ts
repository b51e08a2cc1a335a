// Setup and troubleshooting: the walkthrough, the doctor, the sample and messages about problems.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe } from 'node:test';
import type { Files } from './support/files';
import { stage } from './support/stage';
import { editd } from './support/tools';
import { until } from './support/until';
import type { Window } from './support/window';

function usePath(window: Window, path: string): Promise<void> {
  return window.evaluate(async ({ vscode }, path) => {
    await vscode.workspace.getConfiguration('editd').update('path', path, vscode.ConfigurationTarget.Global);
  }, path);
}

async function connected(window: Window): Promise<void> {
  await until(
    'the window is connected',
    () => window.evaluate(({ api }) => (api as { state: string }).state),
    (state) => state === 'connected',
  );
}

/** The steps of the walkthrough, each with `true` if it is completed. */
async function steps(window: Window): Promise<[string, boolean][]> {
  const found = await window.page.locator('.getting-started-step').all();
  return Promise.all(
    found.map(async (step) => [
      (await step.locator('.step-title').textContent()) ?? '',
      (await step.locator('.codicon-getting-started-step-checked').count()) > 0,
    ]),
  );
}

/** Creates a program with this name that runs the shell script. */
function program(files: Files, name: string, script: string): string {
  const path = files.path(name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

void describe('a machine without the program', () => {
  const scene = stage({ daemon: 'none', settings: { 'editd.path': '/nowhere/editd' }, files: { 'poem.txt': 'one\n' } });

  scene('opens the walkthrough once, and completes its first step when the program is found', async ({ window }) => {
    await until(
      'the walkthrough is open',
      () => steps(window),
      ([first]) => first?.[0] === 'Get the program' && !first[1],
    );
    assert.deepEqual(await window.screen.notifications(), []);

    await window.reload();
    await window.screen.notified('/nowhere/editd');
    assert.deepEqual(await steps(window), []);
    await window.screen.button('Get Started');
    await until(
      'the walkthrough is open',
      () => steps(window),
      ([first]) => first?.[1] === false,
    );

    await usePath(window, editd);
    await connected(window);
    await until(
      'the first step is completed',
      () => steps(window),
      ([first]) => first?.[1] === true,
    );
  });

  scene('opens the setting for the path among the remote settings', async ({ window }) => {
    await usePath(window, '/nowhere/editd');
    await window.command('editd.proposals.focus');
    await window.page.locator('.welcome-view-content a', { hasText: 'set its path' }).click();
    await until(
      'only this setting is shown',
      () => window.page.locator('.settings-editor .setting-item-contents').allTextContents(),
      (items) => items.length === 1 && items[0]?.includes('Path') === true,
    );
    assert.match((await window.page.locator('.settings-tabs-widget .checked').textContent()) ?? '', /^Remote/);
  });

  scene('reports a path that is not absolute, and a path of another program', async ({ window, files }) => {
    const showsStatus = async (text: string): Promise<void> => {
      await until(
        `the status bar says "${text}"`,
        () => window.screen.status(),
        (items) => items.some((item) => item.includes(text)),
      );
    };
    await usePath(window, '~/bin/editd');
    await window.screen.notified('the path must begin with /, and ~ is not expanded');
    await showsStatus('editd: cannot be run');
    await usePath(window, program(files, 'other', 'echo "ls 9.4"'));
    await window.screen.notified('it is not editd');
    await window.command('editd.proposals.focus');
    await window.page.locator('.welcome-view-content', { hasText: 'cannot be run as editd' }).waitFor();
  });

  scene('reports a program that is too old once', async ({ window, files }) => {
    await usePath(window, program(files, 'old', 'echo "editd 0.0.9"'));
    await window.screen.notified('editd 0.0.9 is too old');
    await window.command('notifications.clearAll');
    await window.command('editd.restart');
    void window.command('editd.doctor');
    // After many notifications, VS Code adds new ones to the list without showing them.
    const listed = await window.screen.listed('Program, Daemon: see the report');
    assert.ok(!listed.some((text) => text.includes('too old')));
    await window.command('notifications.clearAll');
  });

  scene('reports a daemon with another protocol, with its version', async ({ window, files }) => {
    const answer = JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      result: { capabilities: { experimental: { editd: { version: '9.0.0', protocol: 2, methods: [], tools: [] } } } },
    });
    const script = `[ "$1" = --version ] && echo "editd 0.1.0" && exit
printf 'Content-Length: ${answer.length}\\r\\n\\r\\n%s' '${answer}'
cat >/dev/null`;
    await usePath(window, program(files, 'other', script));
    await window.screen.notified('9.0.0');
  });

  scene('reports a daemon that fails to start several times, with its last error', async ({ window, files }) => {
    const script = `[ "$1" = --version ] && echo "editd 0.1.0" && exit
echo "the disk is full" >&2
exit 1`;
    await usePath(window, program(files, 'failing', script));
    await window.screen.notified('the disk is full');
  });
});

void describe('a machine with the program', () => {
  const scene = stage({ files: { 'poem.txt': 'one\n' } });

  scene('opens nothing by itself', async ({ window }) => {
    await connected(window);
    assert.deepEqual(await window.tabs(), []);
    assert.deepEqual(await window.screen.notifications(), []);
  });

  scene('completes the first step of the walkthrough immediately', async ({ window }) => {
    await window.command('editd.openWalkthrough');
    await until(
      'the first step is completed',
      () => steps(window),
      ([first]) => first?.[1] === true,
    );
  });

  scene('has a doctor whose report can be copied', async ({ window, daemon }) => {
    void window.command('editd.doctor');
    await window.screen.notified('no problems found');
    await window.screen.button('Copy for a Bug Report');
    const text = await until(
      'the report is copied',
      () => window.evaluate(async ({ vscode }) => vscode.env.clipboard.readText()),
      (text) => text.includes('# editd: Doctor'),
    );
    assert.ok(text.includes(daemon.agentSocket) && text.includes(editd));
    assert.ok(!text.includes(daemon.state) || !text.includes('EDITD_STATE_DIR='), 'no values of variables');
  });

  scene('has a sample proposal that can be reviewed', async ({ window }) => {
    await window.command('editd.sampleProposal');
    const path = await until('the diff is open', () =>
      window.evaluate(({ vscode }) => {
        const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
        return input instanceof vscode.TabInputTextDiff && input.modified.path.replace(/^\/[^/]+\/proposed/, '');
      }),
    );
    await until(
      'the status bar counts the proposal',
      () => window.screen.status(),
      (items) => items.some((item) => item.includes('editd: 1')),
    );
    await window.command('workbench.action.focusActiveEditorGroup');
    await window.press('Control+Alt+y');
    await until(
      'the cursor is in the second change',
      () => window.evaluate(({ vscode }) => vscode.window.activeTextEditor?.selection.active.line),
      (line) => line === 10,
    );
    await window.press('Control+Alt+y');
    const text = await until(
      'the changes are applied',
      () =>
        window.evaluate(
          async ({ vscode }, path) => (await vscode.workspace.fs.readFile(vscode.Uri.file(path))).toString(),
          String(path),
        ),
      (text) => text.includes('The door is open.'),
    );
    assert.ok(text.includes('The window is open as well.'));
    await window.command('editd.history.focus');
    await until(
      'the change is in the history',
      () => window.screen.rows('History'),
      ([first]) => first?.startsWith('Let some air in') === true,
    );
  });

  scene('disconnects and connects by commands', async ({ window }) => {
    await window.command('editd.stop');
    assert.equal(await window.evaluate(({ api }) => (api as { state: string }).state), 'off');
    await window.command('editd.start');
    await connected(window);
  });
});
