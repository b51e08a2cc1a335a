/** Tells the editor what is the case, for menus and keys. */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { activeAddress } from './diff';
import type { Drafts } from './drafts';
import type { Store } from './store';
import { hunksAtCursor } from './target';

export function contextKeys(connection: Connection, store: Store, drafts: Drafts): vscode.Disposable {
  const told = new Map<string, unknown>();
  const tell = (key: string, value: unknown) => {
    if (told.get(key) !== value) {
      told.set(key, value);
      void vscode.commands.executeCommand('setContext', `editd.${key}`, value);
    }
  };
  const update = () => {
    const address = activeAddress();
    const { state } = connection;
    const kind = state.kind === 'missing' && state.reason !== undefined ? 'broken' : state.kind;
    // Until it is known what waits, nobody says that nothing does.
    tell('state', kind === 'connected' && !store.isReady ? 'connecting' : kind);
    tell('pending', store.isReady ? store.here.length : 0);
    tell('rejected', store.hasRejected);
    tell('reviewing', address !== undefined);
    const hasDraft = address !== undefined && drafts.written(address.id, address.path) !== undefined;
    tell('draft', hasDraft);
    // What a person has written in a file is decided with it.
    tell('hunkAtCursor', !hasDraft && hunksAtCursor(store).length > 0);
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
