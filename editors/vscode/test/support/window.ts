// A window of the workbench: its page, its extension host, and actions of a user in it.
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import type * as vscode from 'vscode';
import { type Inside, Probe } from './probe';
import { Screen } from './screen';
import type { Server } from './server';
import { until } from './until';

export interface Document {
  text: string;
  dirty: boolean;
  version: number;
  eol: 'lf' | 'crlf';
}

/** A position in a document: after or before the first occurrence of a text, or by line and character from 0. */
export type Place = { after: string } | { before: string } | { line: number; character: number };

export class Window {
  readonly screen: Screen;
  /** Console messages of the page. */
  readonly console: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly folder: string,
    readonly page: Page,
    private probe: Probe,
  ) {
    this.screen = new Screen(page);
    page.on('console', (message) => this.console.push(message.text()));
  }

  static async open(server: Server, browser: BrowserContext, folder: string): Promise<Window> {
    const [blank] = browser.pages().filter((page) => page.url() === 'about:blank');
    const page = blank ?? (await browser.newPage());
    page.on('dialog', (dialog) => void dialog.accept()); // "leave this page?"
    const before = new Set(Probe.names(server.probes));
    await page.goto(`${server.address}/?folder=${encodeURIComponent(folder)}`);
    return new Window(server, folder, page, await Window.ready(server, page, before));
  }

  /** Reloads the page, which starts a new extension host. */
  async reload(): Promise<void> {
    const before = new Set(Probe.names(this.server.probes));
    await this.page.reload();
    this.probe = await Window.ready(this.server, this.page, before);
  }

  /** Kills the extension host, like a crash. The workbench starts another one. */
  async killExtensionHost(): Promise<void> {
    const before = new Set(Probe.names(this.server.probes));
    process.kill(this.probe.pid, 'SIGKILL');
    this.probe = await Window.ready(this.server, this.page, before);
  }

  private static async ready(server: Server, page: Page, before: ReadonlySet<string>): Promise<Probe> {
    await page.locator('.part.sidebar .pane-header').first().waitFor({ timeout: 60_000 });
    const probe = await Probe.next(server.probes, before);
    await until('the extension is active', () =>
      probe.evaluate(({ vscode }) => vscode.extensions.getExtension('editd.editd')?.isActive),
    );
    return probe;
  }

  /** Closes the tab as a user does, so that VS Code can end properly. */
  async closeTab(): Promise<void> {
    const closed = this.page.waitForEvent('close');
    await this.page.close({ runBeforeUnload: true });
    await closed;
  }

  close(): Promise<void> {
    return this.page.close({ runBeforeUnload: false });
  }

  get isClosed(): boolean {
    return this.page.isClosed();
  }

  evaluate<A extends unknown[], R>(run: (inside: Inside, ...args: A) => R | Promise<R>, ...args: A): Promise<R> {
    return this.probe.evaluate(run, ...args);
  }

  command(id: string, ...args: unknown[]): Promise<unknown> {
    return this.evaluate(({ vscode }, id, args) => vscode.commands.executeCommand(id, ...args), id, args);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Opens a document in a permanent tab, and waits until it has the focus. */
  async open(name: string): Promise<void> {
    await this.evaluate(async ({ vscode }, path) => {
      await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
    }, this.path(name));
    await this.focused();
  }

  /** Types with real keys at a position of the active document, and waits until the text is inserted. */
  async type(place: Place, keys: string): Promise<void> {
    const expected = await this.evaluate(put, place, keys);
    await this.keys(keys);
    await until(
      'the typed text is in the document',
      () => this.active(),
      (text) => text === expected,
    );
  }

  /** Moves the cursor to a position in the active document. */
  async point(place: Place): Promise<void> {
    await this.evaluate(put, place, '');
    const line = await this.evaluate(({ vscode }) => vscode.window.activeTextEditor?.selection.active.line);
    await this.knowsLine((line ?? 0) + 1);
  }

  /** Waits until the workbench knows that the cursor is in a line, counted from 1, and commands apply to that line. */
  async knowsLine(line: number): Promise<void> {
    await until(
      `the workbench shows that the cursor is in line ${line}`,
      () => this.screen.status(),
      (items) => items.some((item) => item.startsWith(`Ln ${line},`)),
    );
    // Commands run in order: after this one, the context keys for that line are set.
    await this.command('setContext', 'editd.tested', true);
  }

  /** Types with real keys at the cursor, and does not wait for the result. */
  async keys(keys: string): Promise<void> {
    await this.focused();
    await this.page.keyboard.type(keys);
  }

  press(keys: string): Promise<void> {
    return this.page.keyboard.press(keys);
  }

  document(name: string): Promise<Document> {
    return this.evaluate(({ vscode }, path) => {
      const document = vscode.workspace.textDocuments.find(
        (each) => each.uri.fsPath === path && each.uri.scheme === 'file',
      );
      if (document === undefined) {
        throw new Error(`${path} is not open`);
      }
      return {
        text: document.getText(),
        dirty: document.isDirty,
        version: document.version,
        eol: document.eol === vscode.EndOfLine.CRLF ? ('crlf' as const) : ('lf' as const),
      };
    }, this.path(name));
  }

  /** Waits until the document has the given properties. */
  async shows(name: string, wanted: Partial<Document>): Promise<void> {
    await until(
      `${name} is ${JSON.stringify(wanted)}`,
      () => this.document(name),
      (seen) => Object.entries(wanted).every(([key, value]) => seen[key as keyof Document] === value),
    );
  }

  /** The labels of all tabs. */
  tabs(): Promise<string[]> {
    return this.evaluate(({ vscode }) =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label)),
    );
  }

  /** Reverts unsaved text, and closes all editors and notifications. */
  async tidy(): Promise<void> {
    await this.press('Escape');
    await this.evaluate(async ({ vscode }) => {
      // The workbench itself sometimes writes settings through a document.
      const ours = vscode.workspace.textDocuments.filter(({ uri }) => !uri.path.endsWith('/User/settings.json'));
      for (const document of ours.filter(({ isDirty }) => isDirty)) {
        await vscode.window.showTextDocument(document);
        // A document that was closed a moment ago is opened again by that, and must not be asked about.
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      }
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.commands.executeCommand('notifications.clearAll');
    });
  }

  private active(): Promise<string | undefined> {
    return this.evaluate(({ vscode }) => vscode.window.activeTextEditor?.document.getText());
  }

  private async focused(): Promise<void> {
    await this.command('workbench.action.focusActiveEditorGroup');
    await this.page.locator('.monaco-editor.focused').first().waitFor();
  }
}

/** Runs in the extension host: moves the cursor, and returns the text expected after typing `keys`. */
function put({ vscode }: Inside, place: Place, keys: string): string {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    throw new Error('no text editor is active');
  }
  const { document } = editor;
  const text = document.getText();
  const position = (): vscode.Position => {
    if ('line' in place) {
      return new vscode.Position(place.line, place.character);
    }
    const wanted = 'after' in place ? place.after : place.before;
    const found = text.indexOf(wanted);
    if (found < 0) {
      throw new Error(`"${wanted}" is not in ${text}`);
    }
    return document.positionAt('after' in place ? found + wanted.length : found);
  };
  const at = position();
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(editor.selection);
  const offset = document.offsetAt(at);
  const typed = document.eol === vscode.EndOfLine.CRLF ? keys.replaceAll('\n', '\r\n') : keys;
  return text.slice(0, offset) + typed + text.slice(offset);
}
