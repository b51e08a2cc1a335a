// Bundles the review page, which the daemon's program embeds: node page.mjs [--check]
// With --check, fails if the bundled files in the repository are not what the sources give.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const sources = '../page';
const assets = '../../src/agents/page/assets';

const { outputFiles } = await build({
  entryPoints: [
    { in: `${sources}/src/main.ts`, out: 'page' },
    { in: `${sources}/style.css`, out: 'page' },
  ],
  outdir: assets,
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17'],
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
});
const files = new Map([
  ['index.html', readFileSync(`${sources}/index.html`, 'utf8')],
  ...outputFiles.map(({ path, text }) => [path.endsWith('.css') ? 'page.css' : 'page.js', text]),
]);

mkdirSync(assets, { recursive: true });
for (const [name, text] of files) {
  const path = `${assets}/${name}`;
  if (!process.argv.includes('--check')) {
    writeFileSync(path, text);
  } else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    throw new Error(
      `src/agents/page/assets/${name} is not what editors/page gives. Run \`npm run page\` and commit it.`,
    );
  }
}
