// The address of the review page works once, and its session is that of one tab.
import assert from 'node:assert/strict';
import { pageStage } from './stage';

const scene = pageStage();

scene(
  'the token is removed from the address, and a reload keeps the session',
  async ({ page, agent, files, address }) => {
    assert.equal(page.page.url(), new URL('/', address).href);
    files.write('a.txt', 'one\n');
    await agent.edit({ 'a.txt': [['one', 'ONE']] }, { label: 'Shout' });
    await page.shows('Shout');
    await page.page.reload();
    await page.shows('Shout');
    assert.deepEqual(await page.page.context().cookies(), []);
    assert.deepEqual(page.console, []);
  },
);

scene('the address works once', async ({ address, open, output }) => {
  const other = await open(address);
  await other.page.getByText('run `editd review --web` again for a new one').waitFor();
  assert.equal(await other.page.locator('.list').count(), 0);
  assert.match(output(), /The address was used again and refused/);
});

scene('an address without a token, and one with a wrong token, say what to do', async ({ address, open }) => {
  const without = await open(new URL('/', address).href);
  await without.page.getByText('Run `editd review --web` again').waitFor();
  const wrong = await open(`${new URL('/', address).href}#wrong`);
  await wrong.page.getByText('open the one that `editd review --web` prints').waitFor();
});
