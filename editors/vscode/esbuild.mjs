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

if (process.argv.includes('--tests')) {
  // Remove bundles of deleted tests, which would still run.
  rmSync('out/test', { recursive: true, force: true });
  await build({
    ...shared,
    entryPoints: ['test', 'test/unit'].flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => `${folder}/${name}`),
    ),
    outbase: 'test',
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
