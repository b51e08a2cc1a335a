// What a person does in a review, and what is seen of it.
import type { Agent, Outcome, Replacement } from './agent';
import { until, untilEqual } from './until';
import type { Window } from './window';

/** As the agent is told of it. */
export interface Told extends Outcome {
  comments?: { path?: string; hunk?: string; text: string }[];
  userEdits?: { path: string; diff: string }[];
}

/** The state that is said of hunks, by their titles. */
export type Says = Record<string, 'pending' | 'accepted' | 'rejected' | 'in conflict'>;

export class Review {
  private constructor(
    readonly window: Window,
    private readonly agent: Agent,
    readonly id: string,
  ) {}

  /** Proposes changes, alone, and waits until the window shows them. */
  static async of(window: Window, agent: Agent, change: () => Promise<Outcome>): Promise<Review> {
    const { proposals } = await agent.call<{ proposals: { id: string }[] }>('editd/proposals', { state: 'pending' });
    for (const { id } of proposals) {
      await agent.call('editd/discard', { id });
    }
    await window.command('editd.proposals.focus');
    const { id } = await change();
    const review = new Review(window, agent, id);
    await review.shows('change');
    return review;
  }

  static edit(
    window: Window,
    agent: Agent,
    changes: Record<string, Replacement[]>,
    label = 'Change it',
  ): Promise<Review> {
    return Review.of(window, agent, () => agent.edit(changes, { label, review: true }));
  }

  rows(): Promise<string[]> {
    return this.window.screen.view('Proposals').locator('.monaco-list-row').allTextContents();
  }

  /** Waits until a row of the tree contains these texts. */
  async shows(...texts: string[]): Promise<void> {
    await until(
      `a row says ${texts.join(', ')}`,
      () => this.rows(),
      (rows) => rows.some((row) => texts.every((text) => row.includes(text))),
    );
  }

  /** Waits until nothing is proposed any more, and gives what the agent is told. */
  async over(): Promise<Told> {
    await until(
      'the tree is empty',
      () => this.rows(),
      (rows) => rows.length === 0,
    );
    return this.told();
  }

  told(): Promise<Told> {
    return this.agent.call('editd/proposal', { id: this.id });
  }

  async states(): Promise<string[]> {
    const { files } = await this.told();
    return files.flatMap(({ hunks }) => hunks.map(({ state }) => state));
  }

  /** Opens the diff of a row of the tree, and waits until keys go to its proposed side: that of `name` if it is said. */
  async open(row: string, name = ''): Promise<void> {
    const isOpen = (): Promise<boolean> =>
      this.window.evaluate(({ vscode }, end) => {
        const uri = vscode.window.activeTextEditor?.document.uri;
        return uri?.scheme === 'editd-review' && uri.authority.endsWith('.proposed') && uri.path.endsWith(end);
      }, name);
    // A row that is drawn anew while it is clicked takes no click; a person clicks again.
    await until('the proposed side is looked at', async () => {
      await this.window.screen.view('Proposals').locator('.monaco-list-row', { hasText: row }).first().click();
      return until('it opens', isOpen, Boolean, { within: 4_000 });
    });
    await this.window.command('workbench.action.focusActiveEditorGroup');
  }

  /** Presses a button in a row of the tree. */
  async press(row: string, button: string): Promise<void> {
    const found = this.window.screen.view('Proposals').locator('.monaco-list-row', { hasText: row }).first();
    // A row that is drawn anew has no buttons until it is pointed at again.
    await until('the button takes the click', async () => {
      await found.hover({ timeout: 2_000 });
      await found.locator(`.action-label[aria-label^="${button}"]`).click({ timeout: 2_000 });
      return true;
    });
    // What is said of the button would lie over other rows.
    await this.window.page.mouse.move(900, 500);
  }

  /** How many buttons a row of the tree has. */
  async buttons(row: string): Promise<number> {
    const found = this.window.screen.view('Proposals').locator('.monaco-list-row', { hasText: row }).first();
    await found.hover();
    return found.locator('.action-label').count();
  }

  /** Presses one of the actions above a line. */
  async lens(label: string, at = 0): Promise<void> {
    await this.window.page.locator('.codelens-decoration a', { hasText: label }).nth(at).click();
  }

  /** Waits until one of the actions above lines is called that. */
  async hasLens(title: string): Promise<void> {
    await this.window.page.locator('.codelens-decoration', { hasText: title }).first().waitFor();
  }

  /**
   * Waits until the rows of the tree and the lenses of the file both say this of hunks, in so many editors. Who looks at
   * both decides by both.
   */
  async agrees(says: Says, editors = 1): Promise<void> {
    const titles = Object.keys(says);
    const rows = async (): Promise<unknown[]> => {
      const texts = await this.rows();
      return titles.map((title) => [title, stateIn(texts.find((row) => row.includes(title)))]);
    };
    const lenses = async (): Promise<unknown[]> => {
      const texts = await this.window.page.locator('.codelens-decoration').allTextContents();
      const of = (title: string) => texts.filter((text) => text.includes(`Diff: ${title}`)).map(stateIn);
      return titles.map((title) => [title, ...of(title)]);
    };
    const seen = async (): Promise<unknown> => ({ rows: await rows(), lenses: await lenses() });
    const rowsSay = Object.entries(says);
    const lensesSay = rowsSay.map(([title, state]) => [title, ...Array.from({ length: editors }, () => state)]);
    await untilEqual('what the tree and the lenses say', seen, { rows: rowsSay, lenses: lensesSay });
  }

  /** Goes to the next hunk by its key, and waits until the cursor is there: in that line, from 1, of that file. */
  async next(name: string, line: number): Promise<void> {
    await this.window.press('Control+Alt+Period');
    await until(
      `the cursor is in line ${line} of ${name}`,
      () =>
        this.window.evaluate(({ vscode }) => {
          const editor = vscode.window.activeTextEditor;
          return editor && [editor.document.uri.path.split('/').at(-1), editor.selection.active.line + 1];
        }),
      (seen) => seen?.[0] === name && seen[1] === line,
    );
    await this.window.knowsLine(line);
  }

  /** The text of the proposed side, where it is open. */
  proposed(name: string): Promise<{ text: string; dirty: boolean } | undefined> {
    return this.window.evaluate(
      ({ vscode }, authority, end) => {
        const found = vscode.workspace.textDocuments.find(
          ({ uri }) => uri.authority === authority && uri.path.endsWith(end),
        );
        return found && { text: found.getText(), dirty: found.isDirty };
      },
      `${this.id}.proposed`,
      `/${name}`,
    );
  }

  async proposes(name: string, text: string): Promise<void> {
    await until(
      `what is proposed for ${name} is ${JSON.stringify(text)}`,
      () => this.proposed(name),
      (seen) => seen?.text === text,
    );
  }

  /** Waits until no tab shows a side of a proposal. */
  async closed(): Promise<void> {
    await until(
      'the diffs are closed',
      () => this.window.tabs(),
      (tabs) => tabs.every((tab) => !tab.includes('(')),
    );
  }
}

/** The state that a row of the tree or a line of actions says of its hunk. */
function stateIn(text: string | undefined): string | undefined {
  const said = /accepted|rejected|in conflict/i.exec(text ?? '');
  return text === undefined ? undefined : (said?.[0].toLowerCase() ?? 'pending');
}
