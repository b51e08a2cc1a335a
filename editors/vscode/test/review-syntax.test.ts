// Syntax errors that a proposal adds to a file.
import assert from 'node:assert/strict';
import { stage } from './support/stage';
import { Review } from './support/review';
import { until } from './support/until';

const scene = stage({ files: { 'readme.txt': 'a folder\n' } });

const CART = 'def total(items):\n    sum = 0\n    for item in items:\n        sum += item.price\n    return sum\n';

scene('new syntax errors are shown in the tree, the file and the diff', async ({ window, agent, files }) => {
  await window.page.setViewportSize({ width: 1400, height: 740 });
  files.write('cart.py', CART);
  const review = await Review.edit(window, agent, {
    'cart.py': [
      ['    sum = 0\n', '    # in cents\n    sum = 0\n'],
      ['return sum', 'return sum)'],
    ],
  });
  await review.shows('cart.py', '1 syntax error');
  await review.shows('return sum)', '1 syntax error', 'line 5');
  await window.open('cart.py');
  await review.hasLens('New syntax error');
  await window.screen.shot('syntax-file');
  await review.open('return sum)');
  const shown = await until(
    'the proposed side has a diagnostic',
    () =>
      window.evaluate(({ vscode }, authority) => {
        const all = vscode.languages.getDiagnostics().filter(([uri]) => uri.authority === authority);
        return all.flatMap(([, found]) => found.map(({ message, range }) => [message, range.start.line]));
      }, `${review.id}.proposed`),
    (found) => found.length > 0,
  );
  assert.deepEqual(shown, [['New syntax error in line 6: return sum)', 5]]);
  await window.page.locator('.modified .view-line', { hasText: 'return sum)' }).waitFor();
  await window.screen.shot('syntax-diff');
  await window.command('editd.rejectHunk');
  await review.shows('return sum)', 'rejected');
  await until(
    'the error is gone with its hunk',
    () => review.rows(),
    (rows) => rows.every((row) => !row.includes('syntax error')),
  );
  await review.press('cart.py', 'Accept All Changes in This File');
  await review.ended();
});
