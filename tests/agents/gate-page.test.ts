// The documentation states what the scenes assert.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documented, table } from './gate/table.ts';

test('docs/agents.md has the table of situations and programs', () => {
  assert.equal(documented(), table(), 'run: tests/agents/run gate/document.ts');
});
