import * as vscode from 'vscode';

type OpenOnProposal = 'never' | 'first' | 'always';

/**
 * The current settings. Each is read when it is used, so no setting requires a restart, except those for the program.
 */
export const config = {
  /** Absolute path of the program. If empty, the bundled program is used, or else the first one in PATH. */
  get path(): string {
    return String(setting<unknown>('path', ''));
  },
  /** Environment variables for the program. They override those of the editor. */
  get env(): Record<string, string> {
    return setting('env', {});
  },
  /** `true` if the extension may start a daemon. */
  get autostart(): boolean {
    return setting('autostart', true);
  },
  /** `true` if agents receive the diagnostics of language servers. */
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
  /** `true` if new proposals are announced by a notification. */
  get notifications(): boolean {
    return setting('notifications', true);
  },
};

/**
 * Calls `act` when one of the named settings changes. If `names` is empty, calls it when any setting of editd changes.
 */
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
