/** The walkthrough "Get Started". */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';

const WALKTHROUGH = 'editd.editd#getStarted';

/** Key in the global state: `true` once the walkthrough has opened automatically. */
const SHOWN_KEY = 'walkthroughShown';

export class Guide implements vscode.Disposable {
  private isOpened = false;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly connection: Connection,
  ) {
    this.subscription = connection.onDidChangeState(() => {
      this.completeFirstStep();
    });
  }

  async open(): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false);
    this.isOpened = true;
    this.completeFirstStep();
  }

  /** Opens the walkthrough unless it has opened automatically before. Returns `true` if it opens. */
  openOnce(): boolean {
    if (this.context.globalState.get(SHOWN_KEY) === true) {
      return false;
    }
    // Stored first: otherwise a window that is reloaded in the meantime would open it again.
    void this.context.globalState.update(SHOWN_KEY, true).then(() => this.open());
    return true;
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Marks the first step as completed. VS Code ignores a context key that is set before the walkthrough is loaded. */
  private completeFirstStep(): void {
    if (this.isOpened && this.connection.state.kind === 'connected') {
      void vscode.commands.executeCommand('setContext', 'editd.found', true);
    }
  }
}
