// editd as an MCP server, and a program that is too old for it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'node:test';
import { stage } from './support/stage';
import { editd } from './support/tools';
import { until } from './support/until';
import type { Window } from './support/window';

/** The real program without the subcommand `mcp`. */
const older = `#!/bin/sh
[ "$1" = mcp ] && exit 2
exec '${editd}' "$@"
`;

// MCP servers are offered only to AI features.
const settings = { 'chat.disableAIFeatures': false };

/** Returns the MCP servers that the workbench lists. */
async function servers(window: Window): Promise<string[]> {
  void window.command('workbench.mcp.listServer');
  const names = window.page.locator('.quick-input-list .monaco-list-row .label-name');
  await names.first().waitFor();
  const found = await names.allTextContents();
  await window.press('Escape');
  return found;
}

function copied(window: Window): Promise<string> {
  return window.evaluate(async ({ vscode }) => vscode.env.clipboard.readText());
}

void describe('a program with an MCP server', () => {
  const scene = stage({ settings, files: { 'poem.txt': 'one\n' } });

  scene('is offered to the agents of the window', async ({ window }) => {
    await until(
      'the server is listed',
      () => servers(window),
      (found) => found.includes('editd'),
    );
  });

  scene('is configured for other agents', async ({ window, files, daemon }) => {
    await window.command('editd.copyMcpConfig');
    const text = await until('the configuration is copied', () => copied(window));
    const { mcpServers } = JSON.parse(text) as {
      mcpServers: { editd: { command: string; args: string[]; env: object } };
    };
    assert.deepEqual(mcpServers.editd.args, ['mcp', '--root', files.folder]);
    assert.deepEqual(mcpServers.editd.env, daemon.env);
  });

  scene('serves a client that starts it with the copied configuration', ({ files, daemon }) => {
    const asked = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'read', arguments: { path: 'poem.txt' } } },
    ];
    const input = asked.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
    const env = { ...process.env, ...daemon.env };
    const served = spawnSync(editd, ['mcp', '--root', files.folder], { env, input, encoding: 'utf8', timeout: 30_000 });
    assert.equal(served.status, 0, served.stderr);
    assert.match(
      served.stdout,
      /"content":\[\{"type":"text","text":"[^"]*poem\.txt#[0-9a-f]{6}, lines 1-1 of 1\\n\\n1\\tone\\n"/,
    );
    return Promise.resolve();
  });

  scene('is no longer offered once the program is too old, but the socket is', async ({ window, daemon, files }) => {
    const path = join(dirname(files.folder), 'older-editd');
    writeFileSync(path, older, { mode: 0o755 });
    await window.evaluate(async ({ vscode }, path) => {
      await vscode.workspace.getConfiguration('editd').update('path', path, vscode.ConfigurationTarget.Global);
    }, path);
    await until(
      'the server is gone',
      () => servers(window),
      (found) => !found.includes('editd'),
    );
    void window.command('editd.copyMcpConfig');
    await window.screen.notified('too old to be an MCP server');
    await window.screen.button('Copy the Path of the Socket');
    await until(
      'the path is copied',
      () => copied(window),
      (text) => text === daemon.agentSocket,
    );
  });
});

void describe('a program with an MCP server, in restricted mode', () => {
  const scene = stage({ settings, trusted: false, files: { 'poem.txt': 'one\n' } });

  scene('is not offered, but everything else works', async ({ window, agent }) => {
    await window.open('poem.txt');
    await window.type({ after: 'one' }, ' more');
    assert.equal((await agent.read('poem.txt')).text, 'one more\n');
    const trusted = await window.evaluate(({ vscode }) => vscode.workspace.isTrusted);
    assert.equal(trusted, false);
    assert.ok(!(await servers(window)).includes('editd'));
  });
});
