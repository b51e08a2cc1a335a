// opencode, which shows its model only the text of a result.
import assert from 'node:assert/strict';
import { opencode as native } from '../native/opencode.ts';
import { block } from '../support/page.ts';
import type { AgentProgram } from './program.ts';

export const opencode: AgentProgram = {
  name: native.name,
  prefix: 'editd_',
  triesItsOwnTools: (model) => {
    const names = model.tools.map((tool) => tool.name);
    assert.ok(names.includes('read') && names.includes('bash'), 'its own tools have the expected names');
    assert.deepEqual(
      names.filter((name) => ['edit', 'write', 'apply_patch'].includes(name)),
      [],
    );
    return Promise.resolve();
  },
  adds: {},
  dialect: () => native.dialect(),
  configure: (place, modelUrl) => {
    place.configure('.config/opencode/opencode.json', block('opencode', 'json'));
    return native.configure(place, modelUrl);
  },
};
