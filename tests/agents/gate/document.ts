// Writes the table of situations and programs to docs/agents.md: tests/agents/run gate/document.ts
import { document } from './table.ts';

document();
