/** A sample proposal, made through the agent socket like any proposal of an agent. */
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-languageclient/node';

import type { Connection } from '../daemon/connection';
import type { ApplyResult } from '../daemon/wire';
import { socketPath } from '../mcp';
import { addSampleFolder } from '../paths';

const AUTHOR = 'sample';

const TEXT = `A sample for editd

The door is closed.
The room is empty,
and the lamp is off.

You can type here while a proposal is pending.
Changes elsewhere move with the text.
A change whose lines you edit is marked as a conflict.

The window is shut.
`;

const EDITS = [
  { oldText: 'The door is closed.', newText: 'The door is open.' },
  { oldText: 'The window is shut.\n', newText: 'The window is open as well.\nIt is cold in here.\n' },
];

/** Makes a sample proposal, unless one is still pending, and returns its ID. Rejects with a `Refusal`. */
export async function propose(context: vscode.ExtensionContext, connection: Connection): Promise<string> {
  const folder = join(context.globalStorageUri.fsPath, 'sample');
  addSampleFolder(folder);
  const { proposals } = await connection.request('editd/proposals', { state: 'pending' });
  const waiting = proposals.find(({ author }) => author === AUTHOR);
  if (waiting) {
    return waiting.id;
  }
  await mkdir(folder, { recursive: true });
  const path = freePath(folder);
  await writeFile(path, TEXT);
  const { id } = await proposeAsAgent(await socketPath(connection), folder, path);
  return id;
}

/** Returns a path that no document with unsaved text has. */
function freePath(folder: string): string {
  const taken = new Set(vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.fsPath));
  for (let count = 1; ; count += 1) {
    const path = join(folder, count === 1 ? 'sample.txt' : `sample-${count}.txt`);
    if (!taken.has(path)) {
      return path;
    }
  }
}

/** Makes the proposal in a separate session on the agent socket. */
async function proposeAsAgent(agentSocket: string, folder: string, path: string): Promise<ApplyResult> {
  const socket = connect(agentSocket);
  const agent = createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
  try {
    agent.listen();
    await agent.sendRequest('initialize', {
      processId: null,
      clientInfo: { name: AUTHOR },
      capabilities: {},
      workspaceFolders: [{ uri: pathToFileURL(folder).href, name: AUTHOR }],
    });
    await agent.sendNotification('initialized', {});
    await agent.sendRequest('editd/read', { path });
    const change = { path, edits: EDITS, label: 'Let some air in', review: true };
    return await agent.sendRequest<ApplyResult>('editd/edit', change);
  } finally {
    agent.dispose();
    socket.destroy();
  }
}
