import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { Log } from '../log';
import { Actions } from './actions';
import { commands } from './commands';
import { Comments } from './comments';
import { contextKeys } from './context';
import { Decider } from './decide';
import { Diffs } from './diff';
import { Drafts } from './drafts';
import { ReviewFiles } from './files';
import { Kept } from './kept';
import { Lenses } from './lens';
import { Marks } from './marks';
import { news } from './news';
import { statusItem } from './status';
import { Notes } from './notes';
import { Store } from './store';
import { Texts } from './texts';
import { ProposalTree } from './tree';
import { SCHEME } from './uris';

/** Shows what agents propose, and lets a person decide. To be called before the connection starts. */
export function review(connection: Connection, context: vscode.ExtensionContext, log: Log): { dispose(): void }[] {
  connection.announced.set('review', () => true);
  const store = new Store(connection, log);
  const texts = new Texts(connection, store, new Drafts(context, log), log);
  const files = new ReviewFiles(texts);
  const diffs = new Diffs(store, texts);
  const decider = new Decider(connection, store, texts);
  const actions = new Actions(store, texts, decider, diffs);
  const comments = new Comments(store, actions);
  return [
    vscode.workspace.registerFileSystemProvider(SCHEME, files, { isCaseSensitive: true }),
    files,
    new ProposalTree(store, texts),
    new Lenses(store, texts),
    new Marks(store),
    new Notes(store, texts),
    comments,
    statusItem(connection, store),
    contextKeys(connection, store, texts),
    news(store, diffs),
    commands({ connection, store, texts, diffs, actions, comments }),
    new Kept(store, texts, diffs),
    diffs,
    texts,
    store,
  ];
}
