// The visible content of a window, read from the page.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { screenshots } from './tools';
import { until } from './until';

export class Screen {
  constructor(private readonly page: Page) {}

  /** The texts of the visible notifications. */
  notifications(): Promise<string[]> {
    return texts(this.page.locator('.notifications-toasts .notification-list-item-message'));
  }

  /** The texts of the items in the status bar. */
  status(): Promise<string[]> {
    return texts(this.page.locator('.part.statusbar .statusbar-item'));
  }

  /** The accessible labels of the rows of a view, which is given by its title. */
  rows(view: string): Promise<string[]> {
    // In one step, because a row that is redrawn in between would not be found any more.
    const read = (rows: { getAttribute: (name: string) => string | null }[]): string[] =>
      rows.map((row) => row.getAttribute('aria-label') ?? '');
    return this.view(view).locator('.monaco-list-row').evaluateAll(read);
  }

  /** A view of the side bar or the panel, by its title. */
  view(title: string): Locator {
    return this.page.locator('.pane').filter({ has: this.page.locator(`.pane-header[aria-label^="${title}"]`) });
  }

  /** The text of the modal dialog, if there is one. */
  async dialog(): Promise<string | undefined> {
    return (await texts(this.page.locator('.monaco-dialog-box')))[0];
  }

  /** The rendered lines of the focused editor. */
  lines(): Promise<string[]> {
    return texts(this.page.locator('.monaco-editor.focused .view-line'));
  }

  /** Presses a button of a notification or a dialog. */
  async button(label: string): Promise<void> {
    await this.page
      .locator('.notifications-toasts, .monaco-dialog-box')
      .getByRole('button', { name: label, exact: true })
      .click();
  }

  /** Waits for a notification that contains the text. */
  notified(text: string): Promise<string[]> {
    return until(
      `a notification contains "${text}"`,
      () => this.notifications(),
      (seen) => seen.some((each) => each.includes(text)),
    );
  }

  /** Opens the list of notifications and waits for one that contains the text. */
  listed(text: string): Promise<string[]> {
    return until(
      `the list of notifications contains "${text}"`,
      async () => {
        const list = this.page.locator('.notifications-center.visible');
        if ((await list.count()) === 0) {
          await this.page.locator('.part.statusbar [id="status.notifications"]').click();
        }
        return texts(list.locator('.notification-list-item-message'));
      },
      (seen) => seen.some((each) => each.includes(text)),
    );
  }

  /** Saves a screenshot for manual inspection and returns its path. */
  async shot(name: string, folder = screenshots): Promise<string> {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }
}

async function texts(locator: Locator): Promise<string[]> {
  return (await locator.allTextContents()).map((text) => text.replaceAll('\u00a0', ' ').trim());
}
