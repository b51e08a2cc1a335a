// License notices for the packages whose code is in a bundle.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the licenses of all bundled packages, by the metafile of esbuild. Throws if a package has no license file.
 */
export function notices(metafile) {
  const folders = Object.keys(metafile.inputs).map(folderOf).filter(Boolean);
  return [...new Set(folders)]
    .sort()
    .map(notice)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns the folder of the innermost package that contains a file. */
function folderOf(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) {
    throw new Error(`${name} ${version} has no license file.`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
