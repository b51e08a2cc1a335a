/** Offers editd as an MCP server to agents in this window and elsewhere. */
import * as vscode from 'vscode';

import { config, onDidChangeConfig } from './config';
import { locate, run } from './daemon/binary';
import type { Connection } from './daemon/connection';
import { environment } from './daemon/link';
import { refusalOf } from './daemon/refusal';
import { message } from './messages';
import { windowFolders } from './paths';

interface Server {
  readonly program: string;
  readonly version: string;
  readonly args: readonly string[];
}

/** Returns `true` if the program has the `mcp` subcommand. */
export async function hasMcp(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await run(program, ['mcp', '--help'], env);
    return true;
  } catch {
    return false;
  }
}

export function offerMcp(context: vscode.ExtensionContext, connection: Connection): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const fire = () => {
    changed.fire();
  };
  let known = '';
  return vscode.Disposable.from(
    changed,
    connection.onDidChangeState((state) => {
      const found = state.kind === 'connected' ? `${state.program} ${state.version}` : known;
      if (found !== known) {
        known = found;
        fire();
      }
    }),
    onDidChangeConfig(['path', 'env'], fire),
    vscode.workspace.onDidGrantWorkspaceTrust(fire),
    vscode.workspace.onDidChangeWorkspaceFolders(fire),
    register({
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => definitions(context.extensionPath),
    }),
    vscode.commands.registerCommand('editd.copyMcpConfig', () => copyConfiguration(context, connection)),
    vscode.commands.registerCommand('editd.copySocketPath', () => copySocketPath(connection)),
  );
}

/** Registers the provider. Some editors that are based on VS Code do not have this API. */
function register(provider: vscode.McpServerDefinitionProvider): vscode.Disposable {
  const { lm } = vscode as { lm?: Partial<typeof vscode.lm> };
  return lm?.registerMcpServerDefinitionProvider?.('editd', provider) ?? new vscode.Disposable(() => undefined);
}

async function definitions(extensionPath: string): Promise<vscode.McpServerDefinition[]> {
  const server = vscode.workspace.isTrusted ? await serverOf(extensionPath) : undefined;
  if (!server) {
    return [];
  }
  const { program, args, version } = server;
  return [new vscode.McpStdioServerDefinition('editd', program, [...args], { ...config.env }, version)];
}

async function serverOf(extensionPath: string): Promise<Server | undefined> {
  const env = environment(config.env);
  const located = await locate(config.path, extensionPath, env);
  if (located.kind !== 'found' || !(await hasMcp(located.program, env))) {
    return undefined;
  }
  const roots = windowFolders().flatMap((folder) => ['--root', folder]);
  return { program: located.program, version: located.version, args: ['mcp', ...roots] };
}

async function copyConfiguration(context: vscode.ExtensionContext, connection: Connection): Promise<void> {
  const server = await serverOf(context.extensionPath);
  if (server) {
    const env = Object.keys(config.env).length === 0 ? {} : { env: config.env };
    const json = { mcpServers: { editd: { command: server.program, args: server.args, ...env } } };
    await vscode.env.clipboard.writeText(JSON.stringify(json, null, 2));
    void message('info', 'Copied. Paste it into the MCP configuration of your agent.');
    return;
  }
  const text = 'The installed editd is too old to be an MCP server. Agents that speak JSON-RPC can use its socket.';
  if ((await message('info', text, 'Copy the Path of the Socket')) !== undefined) {
    await copySocketPath(connection);
  }
}

async function copySocketPath(connection: Connection): Promise<void> {
  try {
    await vscode.env.clipboard.writeText(await socketPath(connection));
    void message('info', 'Copied the path of the agent socket.');
  } catch (error) {
    void message('error', refusalOf(error).text);
  }
}

/** Returns the path of the socket that agents connect to. Rejects with a `Refusal`. */
export async function socketPath(connection: Connection): Promise<string> {
  const { runtimeDir } = await connection.request('editd/status', {});
  return `${String(runtimeDir)}/agent.sock`;
}
