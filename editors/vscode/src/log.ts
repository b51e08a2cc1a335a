import * as vscode from 'vscode';

/** The channel "editd" of the output view. */
export type Log = vscode.LogOutputChannel;

export function openLog(): Log {
  return vscode.window.createOutputChannel('editd', { log: true });
}
