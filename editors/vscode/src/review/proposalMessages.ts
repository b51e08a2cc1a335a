/** Tells of proposals that come and go. */
import * as vscode from 'vscode';

import { config } from '../config';
import type { ProposalResult } from '../daemon/wire';
import { canonical } from '../paths';
import type { Diffs } from './diff';
import { ask, tellLine } from './notifications';
import type { Ended, Store } from './store';
import { concernsWindow } from './window';
import { count, endedElsewhere, outcomeOf, wish } from './words';

/** Milliseconds in which proposals that come are told in one message. */
const TOGETHER = 100;

/** Where it is kept what was told: a window that is loaded again does not tell it twice. */
const TOLD = 'toldProposals';

export function tellOfProposals(store: Store, diffs: Diffs, memory: vscode.Memento): vscode.Disposable {
  const told = new Set(memory.get<string[]>(TOLD, []));
  const keep = () => memory.update(TOLD, [...told]);
  let arrived: ProposalResult[] = [];
  let timer: NodeJS.Timeout | undefined;
  const speak = () => {
    const fresh = arrived.filter(({ id }) => store.get(id));
    arrived = [];
    tellArrived(fresh);
  };
  return vscode.Disposable.from(
    store.onDidArrive((proposal) => {
      if (!concernsWindow(proposal) || told.has(proposal.id)) {
        return;
      }
      told.add(proposal.id);
      void keep();
      openByItself(store, diffs, proposal);
      arrived.push(proposal);
      clearTimeout(timer);
      timer = setTimeout(speak, TOGETHER);
    }),
    store.onDidEnd(tellEnd),
    store.onDidList(() => {
      [...told].filter((id) => !store.get(id)).forEach((id) => told.delete(id));
      void keep();
    }),
    new vscode.Disposable(() => {
      clearTimeout(timer);
    }),
  );
}

function openByItself(store: Store, diffs: Diffs, proposal: ProposalResult): void {
  const when = config.openOnProposal;
  const [file] = proposal.files;
  if (file && (when === 'always' || (when === 'first' && store.here.length === 1))) {
    void diffs.open({ kind: 'file', id: proposal.id, path: file.path }, { background: true });
  }
}

function tellArrived(proposals: readonly ProposalResult[]): void {
  const [first] = proposals;
  if (!first || !config.notifications) {
    return;
  }
  const more = proposals.length === 1 ? '' : ` ${count(proposals.length - 1, 'more proposal')} came as well.`;
  const text = `${wish(first)}${more}`;
  void ask('info', text, {
    Review: () => vscode.commands.executeCommand('editd.review', { kind: 'proposal', id: first.id }),
  });
}

function tellEnd({ proposal, state, outcome }: Ended): void {
  if (!outcome) {
    if (concernsWindow(proposal)) {
      tellLine(endedElsewhere(proposal, state));
    }
    return;
  }
  const { text, unsaved } = outcomeOf({ ...outcome, label: proposal.label, author: proposal.author });
  if (unsaved.length === 0) {
    tellLine(text);
    return;
  }
  void ask('info', text, { Save: () => save(unsaved) });
}

async function save(paths: readonly string[]): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    if (document.uri.scheme === 'file' && paths.includes(canonical(document.uri.fsPath))) {
      await document.save();
    }
  }
}
