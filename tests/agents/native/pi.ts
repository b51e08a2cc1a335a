// pi, with a provider that speaks the Messages API.
import { Messages } from '../model/messages.ts';
import { installed } from '../support/tools.ts';
import type { NativeProgram } from './program.ts';

const program = installed('pi');

const providers = (modelUrl: string): object => ({
  fake: {
    baseUrl: modelUrl,
    api: 'anthropic-messages',
    apiKey: 'none',
    models: [{ id: 'claude-sonnet-5' }],
  },
});

export const pi: NativeProgram = {
  name: 'pi',
  tools: {
    read: (path) => ['read', { path }],
    edit: (path, oldText, newText) => ['edit', { path, edits: [{ oldText, newText }] }],
    write: (path, text) => ['write', { path, content: text }],
    shell: (command) => ['bash', { command }],
  },
  dialect: () => new Messages(),
  configure: (place, modelUrl) => {
    place.configure('.pi/agent/models.json', JSON.stringify({ providers: providers(modelUrl) }));
    return {
      command: [program, '--print', '--provider', 'fake', '--model', 'claude-sonnet-5', 'Play your part.'],
      env: { PI_OFFLINE: '1', PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1' },
    };
  },
};
