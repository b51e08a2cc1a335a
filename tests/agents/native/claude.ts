// Anthropic's Claude Code.
import { Messages } from '../model/messages.ts';
import { installed } from '../support/tools.ts';
import type { NativeProgram } from './program.ts';

const program = installed('claude');

export const claude: NativeProgram = {
  name: 'Claude Code',
  tools: {
    read: (path) => ['Read', { file_path: path }],
    edit: (path, oldText, newText) => ['Edit', { file_path: path, old_string: oldText, new_string: newText }],
    write: (path, text) => ['Write', { file_path: path, content: text }],
    shell: (command) => ['Bash', { command, description: 'Run it' }],
  },
  dialect: () => new Messages(),
  configure: (place, modelUrl) => ({
    command: [
      ...[program, '--print', '--model', 'claude-sonnet-5', '--permission-mode', 'acceptEdits'],
      // This format contains the messages for the person.
      ...['--verbose', '--output-format', 'stream-json'],
      ...['--allowed-tools=Bash', 'Play your part.'],
    ],
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_TMPDIR: place.home,
      DISABLE_AUTOUPDATER: '1',
    },
  }),
};
