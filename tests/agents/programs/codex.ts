// OpenAI's Codex, which shows its model the structured content of a result instead of the text, if there is
// any.
import assert from 'node:assert/strict';
import { Responses } from '../model/responses.ts';
import { block } from '../support/page.ts';
import { installed } from '../support/tools.ts';
import type { AgentProgram } from './program.ts';

const program = installed('codex');

const PATCH = `apply_patch <<'EOF'
*** Begin Patch
*** Update File: cart.py
@@
-    amount = 0
+    amount = 1
*** End Patch
EOF`;

const MODEL = `
model = "gpt-5.2-codex"
model_provider = "fake"
check_for_update_on_startup = false
# As with the models that it knows.
tool_output_token_limit = 10000
`;

const provider = (url: string): string => `
[analytics]
enabled = false

[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
`;

export const codex: AgentProgram = {
  name: 'Codex',
  prefix: 'mcp__editd__',
  triesItsOwnTools: async (model) => {
    const names = model.tools.map((tool) => tool.name);
    assert.ok(names.includes('exec_command') && !names.includes('apply_patch'), names.join(', '));
    const run = (cmd: string): Promise<string> => model.callOwn('exec_command', { cmd });
    assert.match(await run('cat cart.py'), /amount = 0/);
    assert.match(await run('echo gone > cart.py'), /Read-only file system/);
    assert.match(await run(PATCH), /rejected/);
  },
  adds: {},
  dialect: () => new Responses(),
  configure: (place, modelUrl) => {
    place.configure('.codex/config.toml', MODEL + block('Codex', 'toml') + provider(modelUrl));
    return {
      command: [program, 'exec', '--skip-git-repo-check', 'Play your part.'],
      env: { FAKE_KEY: 'none' },
    };
  },
};
