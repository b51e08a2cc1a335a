// Actions of a user in a review, and checks of what the window shows.
import { setTimeout as pause } from 'node:timers/promises';
import type { Agent, Outcome, Replacement } from './agent';
import { until, untilEqual } from './until';
import type { Window } from './window';

/** The proposal as the agent receives it. */
export interface ReviewOutcome extends Outcome {
  comments?: { path?: string; hunk?: string; text: string }[];
  userEdits?: { path: string; diff: string }[];
}

/** Displayed states of hunks, by title. */
export type States = Record<string, 'pending' | 'accepted' | 'rejected' | 'in conflict'>;

export class Review {
  private constructor(
    readonly window: Window,
    private readonly agent: Agent,
    readonly id: string,
  ) {}

  /** Discards all pending proposals, makes a new one, and waits until the window shows it. */
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

  /** Replaces the proposal as its author does, and returns the review of the new one, once the window shows it. */
  async replace(changes: Record<string, Replacement[]>, label: string): Promise<Review> {
    const { id } = await this.agent.edit(changes, { label, review: true, replaces: this.id });
    const review = new Review(this.window, this.agent, id);
    await review.shows(label);
    return review;
  }

  rows(): Promise<string[]> {
    return this.window.screen.view('Proposals').locator('.monaco-list-row').allTextContents();
  }

  /** Waits until a row of the tree contains these texts. */
  async shows(...texts: string[]): Promise<void> {
    await until(
      `a row contains ${texts.join(', ')}`,
      () => this.rows(),
      (rows) => rows.some((row) => texts.every((text) => row.includes(text))),
    );
  }

  /** Waits until there are no pending proposals, and returns the outcome as the agent receives it. */
  async ended(): Promise<ReviewOutcome> {
    await until(
      'the tree is empty',
      () => this.rows(),
      (rows) => rows.length === 0,
    );
    return this.outcome();
  }

  outcome(): Promise<ReviewOutcome> {
    return this.agent.call('editd/proposal', { id: this.id });
  }

  async states(): Promise<string[]> {
    const { files } = await this.outcome();
    return files.flatMap(({ hunks }) => hunks.map(({ state }) => state));
  }

  /** Opens the diff of a row of the tree, and waits until its proposed side has the focus; that of `name`, if given. */
  async open(row: string, name = ''): Promise<void> {
    const isOpen = (): Promise<boolean> =>
      this.window.evaluate(({ vscode }, end) => {
        const uri = vscode.window.activeTextEditor?.document.uri;
        return uri?.scheme === 'editd-review' && uri.authority.endsWith('.proposed') && uri.path.endsWith(end);
      }, name);
    // A row that is redrawn during a click misses it; a user would click again.
    await until('the proposed side is active', async () => {
      await this.window.screen.view('Proposals').locator('.monaco-list-row', { hasText: row }).first().click();
      return until('it opens', isOpen, Boolean, { within: 4_000 });
    });
    await this.window.command('workbench.action.focusActiveEditorGroup');
  }

  /** Presses a button in a row of the tree. Like a user, presses it again until the row contains `expected`. */
  async press(row: string, button: string, expected?: string): Promise<void> {
    const found = this.window.screen.view('Proposals').locator('.monaco-list-row', { hasText: row }).first();
    const isExpected = async (): Promise<boolean> =>
      expected === undefined || ((await found.textContent()) ?? '').includes(expected);
    // A redrawn row has no buttons until the pointer hovers over it again, and may miss a click.
    await until('the button takes the click', async () => {
      await found.hover({ timeout: 2_000 });
      await found.locator(`.action-label[aria-label^="${button}"]`).click({ timeout: 2_000 });
      // The tooltip of the button would cover other rows.
      await this.window.page.mouse.move(900, 500);
      return until(`the row says ${expected ?? 'anything'}`, isExpected, Boolean, { within: 4_000 });
    });
  }

  /** Returns the number of buttons in a row of the tree. */
  async buttons(row: string): Promise<number> {
    const found = this.window.screen.view('Proposals').locator('.monaco-list-row', { hasText: row }).first();
    await found.hover();
    return found.locator('.action-label').count();
  }

  /** Presses an action in a lens, once the lens has not been redrawn for a moment: redrawn, it would miss the click. */
  async lens(label: string, at = 0): Promise<void> {
    const action = this.window.page.locator('.codelens-decoration a', { hasText: label }).nth(at);
    await until(`the lens ${label} stays`, async () => {
      const drawn = await action.elementHandle({ timeout: 2_000 });
      await pause(200);
      return drawn.isVisible();
    });
    await action.click();
  }

  /** Waits for a lens with this title. */
  async hasLens(title: string): Promise<void> {
    await this.window.page.locator('.codelens-decoration', { hasText: title }).first().waitFor();
  }

  /**
   * Waits until both the rows of the tree and the lenses of the file show these states, the lenses in `editors`
   * editors. They must agree, because a user may see both at once.
   */
  async showsStates(states: States, editors = 1): Promise<void> {
    const titles = Object.keys(states);
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
    const rowsSay = Object.entries(states);
    const lensesSay = rowsSay.map(([title, state]) => [title, ...Array.from({ length: editors }, () => state)]);
    await untilEqual('the states in the tree and the lenses', seen, { rows: rowsSay, lenses: lensesSay });
  }

  /** Goes to the next hunk by key, and waits until the cursor is in line `line`, counted from 1, of file `name`. */
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

  /** Returns the text of the proposed side, if it is open. */
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
      `the proposed text of ${name} is ${JSON.stringify(text)}`,
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

/** Extracts the state of a hunk from the text of a tree row or a lens. */
function stateIn(text: string | undefined): string | undefined {
  const match = /accepted|rejected|in conflict/i.exec(text ?? '');
  return text === undefined ? undefined : (match?.[0].toLowerCase() ?? 'pending');
}
