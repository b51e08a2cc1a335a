/** The item in the status bar: whether all is well, and how much waits. */
import * as vscode from 'vscode';

import { type Connection, describe, type State } from '../daemon/connection';
import type { Store } from './store';
import { count, progress, titleOf } from './words';

/** Proposals that are named in the hover. */
const NAMED = 10;

interface Look {
  readonly text: string;
  readonly tooltip: string;
  readonly color?: 'warning' | 'error';
}

export function statusItem(connection: Connection, store: Store): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('editd.status', vscode.StatusBarAlignment.Left, 10);
  item.name = 'editd';
  item.command = 'editd.menu';
  const update = () => {
    const { text, tooltip, color } = lookOf(connection.state, store);
    item.text = text;
    item.tooltip = new vscode.MarkdownString().appendText(tooltip);
    item.backgroundColor = color && new vscode.ThemeColor(`statusBarItem.${color}Background`);
    item.accessibilityInformation = { label: `editd: ${tooltip}` };
  };
  update();
  item.show();
  return vscode.Disposable.from(item, connection.onDidChangeState(update), store.onDidChange(update));
}

function lookOf(state: State, store: Store): Look {
  switch (state.kind) {
    case 'connected':
      return connectedLook(state.version, store);
    case 'connecting':
      return { text: '$(sync~spin) editd', tooltip: 'Connecting.' };
    case 'waiting':
      return {
        text: '$(debug-disconnect) editd: not connected',
        tooltip: state.stopped
          ? 'The daemon was stopped. This window connects when it runs again.'
          : `Not connected: ${state.reason}. It is tried again.`,
        color: 'warning',
      };
    case 'off':
      return { text: '$(circle-slash) editd: off', tooltip: 'Disconnected here. Agents do not see unsaved text.' };
    case 'missing':
      return {
        text: `$(error) editd: ${state.reason === undefined ? 'not found' : 'cannot be run'}`,
        tooltip: `${sentence(describe(state))}.`,
        color: 'error',
      };
    case 'old':
      return { text: '$(error) editd: too old', tooltip: `${sentence(describe(state))}.`, color: 'error' };
  }
}

function connectedLook(version: string, store: Store): Look {
  if (!store.isReady) {
    return { text: '$(sync~spin) editd', tooltip: `Connected to editd ${version}. Asking what waits for you.` };
  }
  const pending = store.here;
  if (pending.length === 0) {
    return { text: '$(check) editd', tooltip: `Connected to editd ${version}. Nothing waits for you.` };
  }
  const list = pending.slice(0, NAMED).map((proposal) => `${titleOf(proposal)} (${progress(proposal)})`);
  const more = pending.length > NAMED ? [`and ${pending.length - NAMED} more`] : [];
  return {
    text: `$(git-pull-request) editd: ${pending.length}`,
    tooltip: [`${count(pending.length, 'proposal')} to review`, ...list, ...more].join('\n'),
  };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
