// OpenAI's Codex. Only the models in a table of its own are offered `apply_patch`.
import { Responses } from '../model/responses.ts';
import { installed } from '../support/tools.ts';
import { adding, updating } from './patch.ts';
import type { NativeProgram, ToolCall, Tools } from './program.ts';

const program = installed('codex');

/** Runs all hooks. Without it, Codex runs only those that the user has trusted. */
export const BYPASS = '--dangerously-bypass-hook-trust';

const settings = (url: string): Record<string, string> => ({
  model_provider: '"fake"',
  check_for_update_on_startup: 'false',
  'analytics.enabled': 'false',
  // In each folder that commands may write, the sandbox creates `.git` for a moment, which marks a repository.
  'sandbox_workspace_write.exclude_slash_tmp': 'true',
  'sandbox_workspace_write.exclude_tmpdir_env_var': 'true',
  'model_providers.fake': `{ name = "fake", base_url = "${url}/v1", wire_api = "responses", env_key = "FAKE_KEY" }`,
});

const calls: Tools = {
  read: (path) => ['exec_command', { cmd: `cat '${path}'` }],
  edit: (path, oldText, newText) => ['apply_patch', { input: updating(path, oldText, newText) }],
  write: (path, text) => ['apply_patch', { input: adding(path, text) }],
  shell: (command) => ['exec_command', { cmd: command }],
};

/** The same call by a program that the model writes in JavaScript. */
function inCode([tool, args]: ToolCall): ToolCall {
  return ['exec', { input: `text(await tools.${tool}(${JSON.stringify(args['input'] ?? args)}));` }];
}

const callsInCode: Tools = {
  read: (path) => inCode(calls.read(path)),
  edit: (path, oldText, newText) => inCode(calls.edit(path, oldText, newText)),
  write: (path, text) => inCode(calls.write(path, text)),
  shell: (command) => inCode(calls.shell(command)),
};

function codexWith(name: string, model: string, tools: Tools): NativeProgram {
  return {
    name,
    tools,
    dialect: () => new Responses(),
    configure: (_place, modelUrl) => ({
      command: [
        ...[program, 'exec', '--skip-git-repo-check', BYPASS],
        ...['--sandbox', 'workspace-write', '--model', model],
        ...Object.entries(settings(modelUrl)).flatMap(([key, value]) => ['--config', `${key}=${value}`]),
        'Play your part.',
      ],
      env: { FAKE_KEY: 'none' },
    }),
  };
}

/** A model that calls the tools themselves. An edit needs whole lines. */
export const codex = codexWith('Codex', 'gpt-5.5', calls);

/** A model with one tool that runs JavaScript, from which it calls the others. */
export const codexInCode = codexWith('Codex in code mode', 'gpt-6-sol', callsInCode);
