/** Sets the context keys for menus and key bindings. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { activeAddress } from './diff';
import type { Drafts } from './drafts';
import type { Store } from './store';
import { hunksAtCursor } from './target';

export function contextKeys(connection: Connection, store: Store, drafts: Drafts): vscode.Disposable {
  const values = new Map<string, unknown>();
  const setKey = (key: string, value: unknown) => {
    if (values.get(key) !== value) {
      values.set(key, value);
      void vscode.commands.executeCommand('setContext', `editd.${key}`, value);
    }
  };
  const update = () => {
    const address = activeAddress();
    const { state } = connection;
    const kind = state.kind === 'missing' && state.reason !== undefined ? 'broken' : state.kind;
    // Until the proposals are known, the view must not show that there are none.
    setKey('state', kind === 'connected' && !store.isReady ? 'connecting' : kind);
    setKey('pending', store.isReady ? store.here.length : 0);
    setKey('rejected', store.hasRejected);
    setKey('reviewing', address !== undefined);
    const hasDraft = address !== undefined && drafts.find(address.id, address.path) !== undefined;
    setKey('draft', hasDraft);
    const [hunk] = hunksAtCursor(store);
    // A file with a draft is decided as a whole.
    setKey('hunkAtCursor', !hasDraft && hunk !== undefined);
    setKey('landed', store.get(address?.id ?? hunk?.id ?? '')?.landed !== undefined);
  };
  update();
  return vscode.Disposable.from(
    connection.onDidChangeState(update),
    store.onDidChange(update),
    drafts.onDidChange(update),
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.window.onDidChangeTextEditorSelection(update),
    vscode.window.tabGroups.onDidChangeTabs(update),
    vscode.window.tabGroups.onDidChangeTabGroups(update),
  );
}
