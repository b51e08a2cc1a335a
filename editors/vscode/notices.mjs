// The licences of the packages whose code is in a bundle.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A text with all of them, from what esbuild says of the bundle. Fails where a package has none. */
export function notices(metafile) {
  const folders = Object.keys(metafile.inputs).map(folderOf).filter(Boolean);
  return [...new Set(folders)]
    .sort()
    .map(notice)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** The folder of the package that a file belongs to, the innermost if there are several. */
function folderOf(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) {
    throw new Error(`${name} ${version} has no file with its licence.`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
