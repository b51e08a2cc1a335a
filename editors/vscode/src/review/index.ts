import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import type { Log } from '../log';
import { Actions } from './actions';
import { commands } from './commands';
import { Comments } from './comments';
import { contextKeys } from './context';
import { Decider } from './decide';
import { Diffs } from './diff';
import { DiffNotes } from './diffNotes';
import { Drafts } from './drafts';
import { DraftStorage } from './draftStorage';
import { ReviewFileSystem } from './fileSystem';
import { MissingFiles } from './missingFiles';
import { Lenses } from './lens';
import { Marks } from './marks';
import { announceProposals } from './proposalMessages';
import { followRenames } from './renamed';
import { statusItem } from './status';
import { Seen } from './seen';
import { Store } from './store';
import { SyntaxErrors } from './syntax';
import { ProposalTree } from './tree';
import { announceUnreviewed } from './unreviewed';
import { UnsentDrafts } from './unsentDrafts';
import { SCHEME } from './uris';
import { Versions } from './versions';

/** Shows proposals of agents and lets the user decide. Must be called before the connection starts. */
export function review(connection: Connection, context: vscode.ExtensionContext, log: Log): { dispose(): void }[] {
  connection.announced.set('review', () => true);
  const store = new Store(connection, log);
  const storage = new DraftStorage(context, log);
  const versions = new Versions(connection, store, storage.load(), log);
  const drafts = new Drafts(store, versions, storage);
  const files = new ReviewFileSystem(versions, drafts);
  const diffs = new Diffs(store, drafts);
  const decider = new Decider(connection, store, versions, drafts);
  const seen = new Seen(store, diffs);
  const actions = new Actions(store, drafts, decider, diffs, new MissingFiles(connection), seen);
  const comments = new Comments(store, actions);
  const tree = new ProposalTree(store, drafts);
  return [
    vscode.workspace.registerFileSystemProvider(SCHEME, files, { isCaseSensitive: true }),
    files,
    tree,
    new Lenses(store, drafts),
    new Marks(store),
    new DiffNotes(store, drafts),
    new SyntaxErrors(store, drafts),
    comments,
    statusItem(connection, store),
    contextKeys(connection, store, drafts),
    announceProposals(store, diffs, context.workspaceState),
    followRenames(connection, store),
    announceUnreviewed(connection, log),
    commands({ connection, store, drafts, diffs, actions, comments, tree }),
    new UnsentDrafts(store, drafts, diffs),
    seen,
    diffs,
    drafts,
    versions,
    store,
  ];
}
