// A review in a dark and a light theme. This test makes the pictures of the README.
import assert from 'node:assert/strict';
import { stage } from './support/stage';
import type { Agent } from './support/agent';
import { until } from './support/until';
import type { Window } from './support/window';

const cart = `"""A shopping cart."""

from dataclasses import dataclass, field


@dataclass
class Item:
    name: str
    price: float
    count: int = 1


@dataclass
class Cart:
    items: list[Item] = field(default_factory=list)

    def add(self, item):
        self.items.append(item)

    def total(self):
        sum = 0
        for item in self.items:
            sum += item.price * item.count
        return sum
`;

const scene = stage({
  files: { 'cart.py': cart, 'README.md': '# Shop\n\nA shop.\n' },
  settings: { 'editor.minimap.enabled': false, 'window.commandCenter': false },
});

/** Proposes five changes to three files. */
async function propose(agent: Agent): Promise<void> {
  await agent.read('cart.py');
  await agent.read('README.md');
  const edits = [
    [
      'from dataclasses import dataclass, field\n',
      'from dataclasses import dataclass, field\nfrom decimal import Decimal\n',
    ],
    ['    price: float\n', '    price: Decimal\n'],
    [
      '        sum = 0\n        for item in self.items:\n            sum += item.price * item.count\n        return sum\n',
      '        return sum(item.price * item.count for item in self.items)\n',
    ],
  ].map(([oldText, newText]) => ({ oldText, newText }));
  const test = 'from cart import Cart\n\n\ndef test_empty():\n    assert Cart().total() == 0\n';
  await agent.call('editd/edit', {
    label: 'Prices are decimals',
    changes: [
      { kind: 'edit', path: 'cart.py', edits },
      { kind: 'write', path: 'test_cart.py', content: test },
      { kind: 'edit', path: 'README.md', edits: [{ oldText: 'A shop.', newText: 'A small shop.' }] },
    ],
  });
}

/** Shows a review in a file, in a diff and in all diffs, and saves a screenshot of each. */
async function capture(window: Window, theme: 'dark' | 'light'): Promise<void> {
  const { page, screen } = window;
  await window.command('workbench.view.extension.editd');
  await until(
    'the tree shows all rows',
    async () => {
      const rows = await screen.rows('Proposals');
      if (rows.length === 1) {
        await screen.view('Proposals').locator('.monaco-tl-twistie').first().click();
      }
      return rows;
    },
    (rows) => rows.length === 9,
  );
  await window.open('cart.py');
  const lenses = page.locator('.monaco-editor .codelens-decoration');
  await until(
    'every change has a lens',
    () => lenses.count(),
    (count) => count === 3,
  );
  await window.command('notifications.clearAll');
  await screen.shot(`review-file-${theme}`);
  await window.command('editd.openDiff');
  const diff = page.locator('.monaco-diff-editor');
  await until(
    'both sides are shown',
    () => diff.locator('.line-delete, .line-insert').count(),
    (count) => count > 4,
  );
  await screen.shot(`review-${theme}`);
  await window.command('editd.openAllDiffs');
  await until(
    'every file has a diff',
    () => diff.count(),
    (count) => count >= 2,
  );
  await screen.shot(`review-all-${theme}`);
}

scene('a review is shown in a file, in a diff and in all diffs', async ({ window, agent }) => {
  await window.page.setViewportSize({ width: 1400, height: 740 });
  await propose(agent);
  await capture(window, 'dark');
  await window.tidy();
  await window.evaluate(async ({ vscode }) => {
    const settings = vscode.workspace.getConfiguration('workbench');
    await settings.update('colorTheme', 'Light Modern', vscode.ConfigurationTarget.Global);
  });
  await window.page.locator('.monaco-workbench.vs').waitFor();
  await capture(window, 'light');
  const { proposals } = await agent.call<{ proposals: { state: string }[] }>('editd/proposals');
  assert.deepEqual(
    proposals.map(({ state }) => state),
    ['pending'],
    'viewing a review decides nothing',
  );
});
