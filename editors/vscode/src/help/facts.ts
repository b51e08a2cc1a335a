/** Gathers the facts for the doctor without changing anything. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';

import { config } from '../config';
import { type Located, locate } from '../daemon/binary';
import type { Connection } from '../daemon/connection';
import { environment } from '../daemon/link';
import { hasMcp } from '../mcp';
import { windowFolders } from '../paths';
import type { Facts } from './report';

/** Timeout for `editd doctor`, in milliseconds. */
const TIMEOUT = 10_000;

export async function gather(context: vscode.ExtensionContext, connection: Connection): Promise<Facts> {
  const env = environment(config.env);
  const located = await locate(config.path, context.extensionPath, env);
  const [status, pending] = await Promise.all([
    connection.request('editd/status', {}).catch(() => undefined),
    connection.request('editd/proposals', { state: 'pending' }).catch(() => undefined),
  ]);
  return {
    extension: (context.extension.packageJSON as { version: string }).version,
    editor: `${vscode.env.appName} ${vscode.version}`,
    state: connection.state,
    located,
    configured: config.path,
    path: env['PATH'] ?? '',
    installed: installed(),
    autostart: config.autostart,
    isTrusted: vscode.workspace.isTrusted,
    hasFolder: windowFolders().length > 0,
    announced: [...connection.announced].filter(([, can]) => can()).map(([name]) => name),
    status,
    pending: pending?.proposals.length,
    hasMcp: located.kind === 'found' ? await hasMcp(located.program, env) : undefined,
    settings: changedSettings(),
    program: await doctorOutput(located, env),
  };
}

function installed(): string | undefined {
  const path = join(homedir(), '.cargo', 'bin', 'editd');
  return existsSync(path) ? path : undefined;
}

async function doctorOutput(located: Located, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (located.kind !== 'found' && located.kind !== 'old') {
    return undefined;
  }
  const { program } = located;
  // `editd doctor` exits with an error if it finds a problem, but prints its findings anyway.
  return new Promise((resolve) => {
    execFile(program, ['doctor'], { env, timeout: TIMEOUT }, (_, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
}

function changedSettings(): [string, string][] {
  const settings = vscode.workspace.getConfiguration('editd');
  const names = Object.keys(
    (vscode.extensions.getExtension('editd.editd')?.packageJSON as Manifest).contributes.configuration.properties,
  );
  return names.flatMap((name): [string, string][] => {
    const key = name.slice('editd.'.length);
    const value = settings.get(key);
    if (JSON.stringify(value) === JSON.stringify(settings.inspect(key)?.defaultValue)) {
      return [];
    }
    // Values of environment variables may be secrets.
    const shown = name === 'editd.env' ? Object.keys(value as object).join(', ') : JSON.stringify(value);
    return [[name, shown]];
  });
}

interface Manifest {
  readonly contributes: { readonly configuration: { readonly properties: object } };
}
