// Claude Code with the server of editd, and edits by line numbers and symbols.
import { describe } from 'node:test';
import { byLines } from './lines.ts';
import { claude } from './native/claude.ts';
import { work } from './native/program.ts';

// The model calls the tools without a search for them.
const server = { type: 'stdio', command: 'editd', args: ['mcp'], alwaysLoad: true };

void describe(claude.name, () => {
  byLines((place, script) => {
    place.configure('.claude/settings.json', '{ "permissions": { "allow": ["mcp__editd"] } }');
    place.configure('.claude.json', JSON.stringify({ mcpServers: { editd: server } }));
    return work(claude, place, script);
  });
});
