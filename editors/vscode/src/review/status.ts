/** The status bar item: connection state and number of pending proposals. */
import * as vscode from 'vscode';

import { type Connection, describe, type State } from '../daemon/connection';
import type { Store } from './store';
import { count, progress, titleOf } from './labels';

/** Maximum number of proposals listed in the tooltip. */
const MAX_LISTED = 10;

interface Appearance {
  readonly text: string;
  readonly tooltip: string;
  readonly color?: 'warning' | 'error';
}

export function statusItem(connection: Connection, store: Store): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('editd.status', vscode.StatusBarAlignment.Left, 10);
  item.name = 'editd';
  item.command = 'editd.menu';
  const update = () => {
    const { text, tooltip, color } = appearanceOf(connection.state, store);
    item.text = text;
    item.tooltip = new vscode.MarkdownString().appendText(tooltip);
    item.backgroundColor = color && new vscode.ThemeColor(`statusBarItem.${color}Background`);
    item.accessibilityInformation = { label: `editd: ${tooltip}` };
  };
  update();
  item.show();
  return vscode.Disposable.from(item, connection.onDidChangeState(update), store.onDidChange(update));
}

function appearanceOf(state: State, store: Store): Appearance {
  switch (state.kind) {
    case 'connected':
      return connectedAppearance(state.version, store);
    case 'connecting':
      return { text: '$(sync~spin) editd', tooltip: 'Connecting.' };
    case 'waiting':
      return {
        text: '$(debug-disconnect) editd: not connected',
        tooltip: state.stopped
          ? 'The daemon was stopped. This window connects when it runs again.'
          : `Not connected: ${state.reason}. Retrying.`,
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

function connectedAppearance(version: string, store: Store): Appearance {
  if (!store.isReady) {
    return { text: '$(sync~spin) editd', tooltip: `Connected to editd ${version}. Loading pending proposals.` };
  }
  const pending = store.here;
  if (pending.length === 0) {
    return { text: '$(check) editd', tooltip: `Connected to editd ${version}. No pending proposals.` };
  }
  const list = pending.slice(0, MAX_LISTED).map((proposal) => `${titleOf(proposal)} (${progress(proposal)})`);
  const more = pending.length > MAX_LISTED ? [`and ${pending.length - MAX_LISTED} more`] : [];
  return {
    text: `$(git-pull-request) editd: ${pending.length}`,
    tooltip: [`${count(pending.length, 'proposal')} to review`, ...list, ...more].join('\n'),
  };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
