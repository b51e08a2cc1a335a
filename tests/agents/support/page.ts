// What docs/agents.md tells people to write, so that it is what the tests run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './tools.ts';

/** The fenced block in that language that comes first below the heading. */
export function block(heading: string, language: string): string {
  const page = readFileSync(join(repository, 'docs/agents.md'), 'utf8');
  const below = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0];
  const text = below?.split(`\n\`\`\`${language}\n`)[1]?.split('\n```')[0];
  if (text === undefined) {
    throw new Error(`docs/agents.md has no block of ${language} below "${heading}"`);
  }
  return `${text}\n`;
}
