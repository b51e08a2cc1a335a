import * as vscode from 'vscode';

/** The output channel "editd". */
export type Log = vscode.LogOutputChannel;

export function openLog(): Log {
  return vscode.window.createOutputChannel('editd', { log: true });
}
