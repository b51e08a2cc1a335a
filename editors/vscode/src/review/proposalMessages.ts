/** Notifies the user of new and ended proposals. */
import * as vscode from 'vscode';

import { config } from '../config';
import type { ProposalResult } from '../daemon/wire';
import { canonical } from '../paths';
import type { Diffs } from './diff';
import { ask, showStatus } from './notifications';
import type { Ended, Store } from './store';
import { concernsWindow } from './window';
import { count, endedElsewhere, outcomeOf, announcement } from './labels';

/** Milliseconds within which new proposals are combined into one message. */
const DEBOUNCE = 100;

/** Key in the workspace state for the announced proposals, so that a reloaded window does not announce them again. */
const ANNOUNCED_KEY = 'toldProposals';

export function announceProposals(store: Store, diffs: Diffs, memory: vscode.Memento): vscode.Disposable {
  const announced = new Set(memory.get<string[]>(ANNOUNCED_KEY, []));
  const persist = () => memory.update(ANNOUNCED_KEY, [...announced]);
  let arrived: ProposalResult[] = [];
  let timer: NodeJS.Timeout | undefined;
  const announce = () => {
    const fresh = arrived.filter(({ id }) => store.get(id));
    arrived = [];
    announceNew(fresh);
  };
  return vscode.Disposable.from(
    store.onDidArrive((proposal) => {
      if (!concernsWindow(proposal) || announced.has(proposal.id)) {
        return;
      }
      announced.add(proposal.id);
      void persist();
      openAutomatically(store, diffs, proposal);
      arrived.push(proposal);
      clearTimeout(timer);
      timer = setTimeout(announce, DEBOUNCE);
    }),
    store.onDidEnd(announceEnd),
    store.onDidList(() => {
      [...announced].filter((id) => !store.get(id)).forEach((id) => announced.delete(id));
      void persist();
    }),
    new vscode.Disposable(() => {
      clearTimeout(timer);
    }),
  );
}

function openAutomatically(store: Store, diffs: Diffs, proposal: ProposalResult): void {
  const when = config.openOnProposal;
  const [file] = proposal.files;
  if (file && (when === 'always' || (when === 'first' && store.here.length === 1))) {
    void diffs.open({ kind: 'file', id: proposal.id, path: file.path }, { background: true });
  }
}

function announceNew(proposals: readonly ProposalResult[]): void {
  const [first] = proposals;
  if (!first || !config.notifications) {
    return;
  }
  const more = proposals.length === 1 ? '' : ` ${count(proposals.length - 1, 'more proposal')} arrived as well.`;
  const text = `${announcement(first)}${more}`;
  void ask('info', text, {
    Review: () => vscode.commands.executeCommand('editd.review', { kind: 'proposal', id: first.id }),
  });
}

function announceEnd({ proposal, state, outcome }: Ended): void {
  if (!outcome) {
    if (concernsWindow(proposal)) {
      showStatus(endedElsewhere(proposal, state));
    }
    return;
  }
  const { text, unsaved } = outcomeOf({ ...outcome, label: proposal.label, author: proposal.author });
  if (unsaved.length === 0) {
    showStatus(text);
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
