// The table of situations and programs in docs/agents.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/tools.ts';
import { type Key, PROGRAMS } from './programs.ts';
import { OUTCOMES, type Outcome, type Scene, outcome } from './scene.ts';
import { SCENES } from './scenes.ts';

const PAGE = join(repository, 'docs/agents.md');
const HEADING = '### Situations and programs\n';

const programs = Object.values(PROGRAMS);
const clients = [...new Set(programs.map(({ client }) => client))];

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

function word(scene: Scene, key: Key): string {
  const found = outcome(scene, key);
  return typeof found === 'string' ? found : `not possible: ${found.never}`;
}

/** The outcome with the usual kind of model, and with others if they differ. */
function cell(scene: Scene, client: string): string {
  const kinds = programs.filter((program) => program.client === client);
  const [usual, ...others] = kinds.map(({ key, kind }) => [kind, word(scene, key)] as const);
  const different = others.filter(([, word]) => word !== usual?.[1]);
  return [usual?.[1], ...different.map(([kind, word]) => `${kind}: ${word}`)].join('; ');
}

/** Returns the part of the page under the heading. */
export function table(): string {
  const titles = clients.map((client) => programs.find((program) => program.client === client)?.title ?? client);
  const rows = SCENES.map((scene) => row([scene.name, ...clients.map((client) => cell(scene, client))]));
  const used = new Set(SCENES.flatMap((scene) => programs.map(({ key }) => outcome(scene, key))));
  const words = Object.entries(OUTCOMES).filter(([word]) => used.has(word as Outcome));
  return [
    row(['Situation', ...titles]),
    row(['Situation', ...titles].map(() => '---')),
    ...rows,
    '\n',
    ...words.map(([word, meaning]) => `- **${word}**: ${meaning}.\n`),
  ].join('');
}

/** Returns the page before the part, the part, and the page after it. */
function parts(): [string, string, string] {
  const page = readFileSync(PAGE, 'utf8');
  const start = page.indexOf(HEADING);
  const table = page.indexOf('\n| ', start) + 1;
  const end = page.indexOf('\n#', table);
  if (start === -1 || table === 0 || end === -1) {
    throw new Error(`docs/agents.md has no table under ${HEADING}`);
  }
  return [page.slice(0, table), page.slice(table, end), page.slice(end)];
}

export function documented(): string {
  return parts()[1];
}

export function document(): void {
  const [before, , after] = parts();
  writeFileSync(PAGE, before + table() + after);
}
