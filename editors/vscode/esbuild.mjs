// Bundles the extension, and with --tests its tests: node esbuild.mjs [--production] [--tests]
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { notices } from './notices.mjs';

const production = process.argv.includes('--production');

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
};

/** Returns the tests of a folder, each with the name of its bundle. */
function tests(folder, prefix, suffix = '.test') {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => ({ in: `${folder}/${name}`, out: `${prefix}${name.slice(0, -'.test.ts'.length)}${suffix}` }));
}

if (process.argv.includes('--tests')) {
  // Remove bundles of deleted tests, which would still run.
  rmSync('out/test', { recursive: true, force: true });
  await build({
    ...shared,
    entryPoints: [
      ...tests('test', ''),
      ...tests('test/unit', 'unit/'),
      ...tests('../page/test', '', '.page'),
      ...tests('../page/test/unit', 'unit/page-'),
    ],
    outdir: 'out/test',
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
  });
} else {
  const { metafile } = await build({
    ...shared,
    entryPoints: ['src/extension.ts'],
    outfile: 'out/extension.js',
    format: 'cjs',
    external: ['vscode'],
    minify: production,
    sourcemap: !production,
    legalComments: 'none',
    metafile: true,
  });
  writeFileSync('out/third-party.txt', notices(metafile));
}
