// opencode, with a provider that speaks the Messages API. The name of the model decides which tools it is offered.
import { Messages } from '../model/messages.ts';
import { installed } from '../support/tools.ts';
import { adding, updating } from './patch.ts';
import type { NativeProgram, Tools } from './program.ts';

const program = installed('opencode');

const calls: Tools = {
  read: (path) => ['read', { filePath: path }],
  edit: (path, oldText, newText) => ['edit', { filePath: path, oldString: oldText, newString: newText }],
  write: (path, text) => ['write', { filePath: path, content: text }],
  shell: (command) => ['bash', { command, description: 'Run it' }],
};

const settings = (modelUrl: string, model: string): object => ({
  autoupdate: false,
  share: 'disabled',
  model: `fake/${model}`,
  small_model: `fake/${model}`,
  enabled_providers: ['fake'],
  provider: {
    fake: {
      npm: '@ai-sdk/anthropic',
      name: 'fake',
      options: { baseURL: `${modelUrl}/v1`, apiKey: 'none' },
      models: { [model]: { name: model, tool_call: true, limit: { context: 200_000, output: 8_000 } } },
    },
  },
});

function opencodeWith(name: string, model: string, tools: Tools): NativeProgram {
  return {
    name,
    tools,
    dialect: () => new Messages(),
    configure: (place, modelUrl) => {
      // It installs the types for plugins from npm, and waits for that if there is a plugin.
      place.configure('.npmrc', 'offline=true\n');
      return {
        command: [program, 'run', '--auto', '--model', `fake/${model}`, 'Play your part.'],
        env: {
          TMPDIR: place.home, // it leaves its libraries there
          OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(modelUrl, model)),
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          OPENCODE_DISABLE_MODELS_FETCH: '1',
          OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        },
      };
    },
  };
}

export const opencode = opencodeWith('opencode', 'claude-sonnet-5', calls);

/** A model that is offered patches in place of `edit` and `write`. */
export const opencodeWithPatches = opencodeWith('opencode with patches', 'gpt-5.5', {
  ...calls,
  edit: (path, oldText, newText) => ['apply_patch', { patchText: updating(path, oldText, newText) }],
  write: (path, text) => ['apply_patch', { patchText: adding(path, text) }],
});
