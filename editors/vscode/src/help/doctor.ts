/** The command "editd: Doctor". */
import { homedir } from 'node:os';
import * as vscode from 'vscode';

import type { Connection } from '../daemon/connection';
import { message } from '../messages';
import { gather } from './facts';
import { findings, report, withoutFolders } from './report';

const SCHEME = 'editd-doctor';
const REPORT = vscode.Uri.from({ scheme: SCHEME, path: '/editd Doctor.md' });

export class Doctor implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private text = '';

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly connection: Connection,
  ) {
    context.subscriptions.push(this.changed, vscode.workspace.registerTextDocumentContentProvider(SCHEME, this));
  }

  provideTextDocumentContent(): string {
    return this.text;
  }

  async run(): Promise<void> {
    const facts = await gather(this.context, this.connection);
    this.text = report(facts);
    this.changed.fire(REPORT);
    await vscode.commands.executeCommand('markdown.showPreview', REPORT);
    const problems = findings(facts).filter(({ isFine }) => !isFine);
    const summary =
      problems.length === 0
        ? 'editd: no problems found.'
        : `editd: ${problems.map(({ about }) => about).join(', ')}: see the report.`;
    if ((await message('info', summary, 'Copy for a Bug Report')) !== undefined) {
      const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
      await vscode.env.clipboard.writeText(withoutFolders(this.text, homedir(), folders));
    }
  }
}
