// The review page in both schemes and on a narrow window. This test makes the pictures of the documentation.
import { pageStage } from './stage';
import type { Agent } from '../../vscode/test/support/agent';
import type { Files } from '../../vscode/test/support/files';

const scene = pageStage();

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

    def names(self):
        return sorted(item.name for item in self.items)

    def total(self):
        # The sum of all prices.
        sum = 0
        for item in self.items:
            sum += item.price * item.count
        return sum
`;

/** Proposes five changes to three files, and runs a command that changes another. */
async function propose(agent: Agent, files: Files): Promise<void> {
  files.write('cart.py', cart);
  files.write('README.md', '# Shop\n\nA shop.\n');
  files.write('prices.json', '{"tea":2.5}\n');
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
  const { run } = await agent.call<{ run: string }>('editd/runBegin', { command: 'npx prettier --write prices.json' });
  files.write('prices.json', '{ "tea": 2.5 }\n');
  await agent.call('editd/runEnd', { run, exitCode: 0 });
}

scene('a review is shown in both schemes and on a narrow window', async ({ page, agent, files }) => {
  await page.page.setViewportSize({ width: 1240, height: 780 });
  await propose(agent, files);
  await page.shows('Prices are decimals');
  await page.page.locator('.entry-label', { hasText: 'npx prettier' }).waitFor();
  await page.page.locator('.c-keyword').first().waitFor();
  // The message about the second change goes away.
  await page.page.waitForFunction(() => document.querySelector('.result')?.childElementCount === 0);
  await page.press('j', 'y');
  await page.states(['accepted', 'pending', 'pending', 'pending', 'pending']);
  await page.page.evaluate(() => {
    scrollTo(0, 0);
  });
  await page.shot('page-light');
  await page.page.emulateMedia({ colorScheme: 'dark' });
  await page.shot('page-dark');
  await page.press('u');
  await page.shot('page-unified');
  await page.page.setViewportSize({ width: 375, height: 780 });
  await page.page.emulateMedia({ colorScheme: 'light' });
  await page.shot('page-narrow-list');
  await page.page.locator('.entry').first().click();
  await page.page.mouse.move(0, 0);
  await page.page.waitForFunction(() => document.querySelectorAll('.hunk .lines').length === 5);
  await page.shot('page-narrow');
});
