import * as vscode from 'vscode';

type OpenOnProposal = 'never' | 'first' | 'always';

/** The settings as they are now; each is read when it is needed, so none needs a restart but the program itself. */
export const config = {
  /** An absolute path, or empty for the program that comes with the extension, else the one in PATH. */
  get path(): string {
    return String(setting<unknown>('path', ''));
  },
  /** Variables for the program, over those of the editor. */
  get env(): Record<string, string> {
    return setting('env', {});
  },
  /** Whether a daemon may be started. */
  get autostart(): boolean {
    return setting('autostart', true);
  },
  /** Whether agents are told what language servers say. */
  get diagnostics(): boolean {
    return setting('diagnostics', true);
  },
  get openOnProposal(): OpenOnProposal {
    return setting('review.openOnProposal', 'never');
  },
  get codeLens(): boolean {
    return setting('review.codeLens', true);
  },
  get decorations(): boolean {
    return setting('review.decorations', true);
  },
  /** Whether a message tells of new proposals. */
  get notifications(): boolean {
    return setting('notifications', true);
  },
};

/** Calls back when one of the named settings has changed; without names, when any of ours has. */
export function onDidChangeConfig(names: readonly string[], act: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    const changed = names.length === 0 ? ['editd'] : names.map((name) => `editd.${name}`);
    if (changed.some((section) => event.affectsConfiguration(section))) {
      act();
    }
  });
}

function setting<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration('editd').get<T>(name, otherwise);
}
