/** The walkthrough "Get Started". */
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';

const WALKTHROUGH = 'editd.editd#getStarted';

/** Where it is kept that it has opened by itself once. */
const SHOWN = 'walkthroughShown';

export class Guide implements vscode.Disposable {
  private isOpened = false;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly connection: Connection,
  ) {
    this.subscription = connection.onDidChangeState(() => {
      this.tick();
    });
  }

  async open(): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false);
    this.isOpened = true;
    this.tick();
  }

  /** Opens it if it never has opened by itself, and says whether it does. */
  openOnce(): boolean {
    if (this.context.globalState.get(SHOWN) === true) {
      return false;
    }
    // Kept first: a window that is loaded again while it opens would open it again.
    void this.context.globalState.update(SHOWN, true).then(() => this.open());
    return true;
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Ticks off the first step. A key that is set before the walkthrough is loaded would never do that. */
  private tick(): void {
    if (this.isOpened && this.connection.state.kind === 'connected') {
      void vscode.commands.executeCommand('setContext', 'editd.found', true);
    }
  }
}
