// The review page of `editd review --web` in a browser, and actions of a person on it.
import { join } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { screenshots } from '../../vscode/test/support/tools';
import { until, untilEqual } from '../../vscode/test/support/until';

export class ReviewPage {
  /** Errors and messages of the page's console. */
  readonly console: string[] = [];

  private constructor(readonly page: Page) {
    page.on('console', (message) => this.console.push(message.text()));
    page.on('pageerror', (error) => this.console.push(`error: ${error.message}`));
    // "Leave this page?"
    page.on('dialog', (dialog) => void dialog.accept());
  }

  static async open(browser: BrowserContext, address: string): Promise<ReviewPage> {
    const page = await browser.newPage();
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    const opened = new ReviewPage(page);
    await page.goto(address);
    return opened;
  }

  get hunks(): Locator {
    return this.page.locator('.hunk');
  }

  hunk(number: number): Locator {
    return this.hunks.nth(number - 1);
  }

  file(name: string): Locator {
    return this.page.locator('.file', { has: this.page.locator('h3', { hasText: name }) });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Waits until the browser has drawn the page, and the page knows what is on the screen. */
  async drawn(): Promise<void> {
    // The first frame computes intersections, which are reported in a task of their own.
    await this.page.evaluate(
      () =>
        new Promise<void>((done) => {
          requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
        }),
    );
  }

  /** Waits until the page is connected. */
  connected(): Promise<void> {
    return this.page.locator('.connection.connected').waitFor();
  }

  /** Waits until a proposal with this label is shown, with its lines. */
  async shows(label: string): Promise<void> {
    await this.page.locator('.proposal h2', { hasText: label }).waitFor();
    await until(
      'the lines are shown',
      () => this.page.locator('.lines').count(),
      (count) => count > 0,
    );
  }

  /** Waits until the shown proposal has this state. */
  isDecided(state: string): Promise<void> {
    return this.page.locator('.proposal-bar .state', { hasText: new RegExp(`^${state}$`) }).waitFor();
  }

  /** Waits for a message with this text. */
  says(text: string): Promise<void> {
    return this.page.locator('.messages', { hasText: text }).waitFor();
  }

  /** Waits until the hunks are in these states. */
  async states(expected: string[]): Promise<void> {
    await untilEqual(
      'the states of the hunks',
      () => this.hunks.evaluateAll((hunks) => hunks.map((hunk) => hunk.getAttribute('data-state'))),
      expected,
    );
  }

  /** The labels in the list. */
  listed(): Promise<string[]> {
    return this.page.locator('.list > ul .entry-label').allTextContents();
  }

  async shot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(screenshots, `${name}.png`), animations: 'disabled' });
  }
}
