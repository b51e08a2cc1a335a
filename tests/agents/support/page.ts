// Extracts the configurations in docs/agents.md, so that the tests run them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './tools.ts';

/** Returns the first fenced block in the language under the heading. */
export function block(heading: string, language: string): string {
  const page = readFileSync(join(repository, 'docs/agents.md'), 'utf8');
  const below = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0];
  const text = below?.split(`\n\`\`\`${language}\n`)[1]?.split('\n```')[0];
  if (text === undefined) {
    throw new Error(`docs/agents.md has no block of ${language} under "${heading}"`);
  }
  return `${text}\n`;
}
