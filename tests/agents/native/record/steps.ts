// The calls that are recorded. A step is the variant in the names of its files, and a call.
import type { Helpers } from '../../model/model.ts';
import type { Files, Place } from '../../support/place.ts';
import { NOTEBOOK } from '../../support/files.ts';
import { claude } from '../claude.ts';
import { codex, codexInCode } from '../codex.ts';
import { gemini } from '../gemini.ts';
import { opencode, opencodeWithPatches } from '../opencode.ts';
import { pi } from '../pi.ts';
import type { NativeProgram } from '../program.ts';
import { updating } from '../patch.ts';
import { set } from './hooks.ts';

export type Step = [variant: string, tool: string, args: Record<string, unknown>];

export interface Session {
  client: keyof typeof set;
  program: NativeProgram;
  /** Is part of all names, if another session of the client records the same tools. */
  suffix: string;
  steps(place: Place): Step[];
  helpers: Helpers;
}

export const FILES: Files = {
  'cart.py':
    'def total(items):\n    amount = 0\n    for item in items:\n        amount += item.price\n    return amount\n',
  'old.py': 'one\n',
  'gone.py': 'gone\n',
  'two.py': 'a = 1\na = 1\n',
  'crlf.txt': 'one\r\ntwo\r\n',
  'notes.ipynb': NOTEBOOK,
};

const SHOW = 'cat cart.py; echo more >> old.py';
const TASK = 'You are the helper: change two.py.';
const HELPER = 'the helper';

const MULTI = `*** Begin Patch
*** Update File: cart.py
@@ def total(items):
-    amount = 1
+    amount = 2
*** Delete File: gone.py
*** Update File: old.py
*** Move to: lib/moved.py
@@
-one
+two
*** Add File: lib/new.py
+new = True
*** End Patch
`;

const claudeSession: Session = {
  client: 'claude',
  program: claude,
  suffix: '',
  steps: (place) => {
    const edit = (name: string, old_string: string, new_string: string): Record<string, unknown> => ({
      ...{ file_path: place.path(name), old_string, new_string },
    });
    return [
      ['', 'Read', { file_path: place.path('cart.py') }],
      ['range', 'Read', { file_path: place.path('cart.py'), offset: 2, limit: 2 }],
      ['unchanged', 'Read', { file_path: place.path('cart.py') }],
      ['', 'Edit', edit('cart.py', 'amount = 0', 'amount = 1')],
      ['absent', 'Edit', edit('cart.py', 'nothing like it', 'x')],
      ['twice', 'Edit', edit('two.py', 'a = 1', 'a = 2')],
      ['all', 'Edit', { ...edit('two.py', 'a = 1', 'a = 2'), replace_all: true }],
      ['crlf', 'Edit', edit('crlf.txt', 'one\ntwo', 'uno\ndue')],
      ['create', 'Edit', edit('made.py', '', 'x = 1\n')],
      ['create', 'Write', { file_path: place.path('new.py'), content: 'new = True\n' }],
      ['', 'Write', { file_path: place.path('old.py'), content: 'two\n' }],
      ['missing', 'Read', { file_path: place.path('none.py') }],
      ['notebook', 'Read', { file_path: place.path('notes.ipynb') }],
      ['', 'Bash', { command: SHOW, description: 'Show the cart' }],
      ['failed', 'Bash', { command: 'exit 3', description: 'Fail' }],
      ['', 'ToolSearch', { query: 'select:NotebookEdit', max_results: 1 }],
      ['', 'NotebookEdit', { notebook_path: place.path('notes.ipynb'), cell_id: 'c1', new_source: 'x = 2' }],
      ['subagent', 'Agent', { description: 'Change two', prompt: TASK, run_in_background: false }],
    ];
  },
  helpers: {
    [HELPER]: async (model) => {
      await model.callOwn('Read', { file_path: 'two.py' });
      await model.callOwn('Edit', { file_path: 'two.py', old_string: 'a = 2\na = 2', new_string: 'a = 3' });
    },
  },
};

const codexSession: Session = {
  client: 'codex',
  program: codex,
  suffix: '',
  steps: (place) => [
    ['', 'exec_command', { cmd: 'cat cart.py' }],
    ['', 'apply_patch', { input: updating('cart.py', '    amount = 0', '    amount = 1') }],
    ['multi', 'apply_patch', { input: MULTI }],
    ['absent', 'apply_patch', { input: updating('cart.py', 'nothing like it', 'x') }],
    ['crlf', 'apply_patch', { input: updating('crlf.txt', 'one\ntwo', 'uno\ndue') }],
    ['absolute', 'apply_patch', { input: updating(place.path('cart.py'), '    return amount', '    return 0') }],
    ['patch', 'exec_command', { cmd: `apply_patch <<'EOF'\n${updating('two.py', 'a = 1', 'a = 2')}EOF\n` }],
    ['failed', 'exec_command', { cmd: 'exit 3' }],
    ['workdir', 'exec_command', { cmd: 'cat new.py', workdir: place.path('lib') }],
  ],
  helpers: {},
};

const codexInCodeSession: Session = {
  client: 'codex',
  program: codexInCode,
  suffix: 'code',
  steps: () => [
    ['', ...codexInCode.tools.shell('cat cart.py')],
    ['', ...codexInCode.tools.edit('cart.py', '    amount = 0', '    amount = 1')],
    ['spawn', 'collaboration__spawn_agent', { task_name: 'helper', message: TASK, fork_turns: 'none' }],
    ['subagent', 'collaboration__wait_agent', { timeout_ms: 10_000 }],
  ],
  helpers: {
    [HELPER]: async (model) => {
      await new Promise((resolve) => setTimeout(resolve, 1000)); // until it is waited for
      await model.callOwn(...codexInCode.tools.edit('two.py', 'a = 1\na = 1', 'a = 2'));
    },
  },
};

const geminiSession: Session = {
  client: 'gemini',
  program: gemini,
  suffix: '',
  steps: (place) => {
    const edit = (name: string, old_string: string, new_string: string): Record<string, unknown> => ({
      ...{ file_path: name, instruction: 'Change it.', old_string, new_string },
    });
    return [
      ['', 'read_file', { file_path: place.path('cart.py') }],
      ['range', 'read_file', { file_path: place.path('cart.py'), start_line: 2, end_line: 3 }],
      ['', 'replace', edit(place.path('cart.py'), 'amount = 0', 'amount = 1')],
      ['absent', 'replace', edit(place.path('cart.py'), 'nothing like it', 'x')],
      ['all', 'replace', { ...edit(place.path('two.py'), 'a = 1', 'a = 2'), allow_multiple: true }],
      ['crlf', 'replace', edit(place.path('crlf.txt'), 'one\ntwo', 'uno\ndue')],
      ['relative', 'replace', edit('cart.py', 'return amount', 'return amount * 2')],
      ['create', 'write_file', { file_path: place.path('new.py'), content: 'new = True\n' }],
      ['', 'write_file', { file_path: place.path('old.py'), content: 'two\n' }],
      ['missing', 'read_file', { file_path: place.path('none.py') }],
      ['', 'run_shell_command', { command: SHOW, description: 'Show the cart' }],
      ['failed', 'run_shell_command', { command: 'exit 3', description: 'Fail' }],
      ['subagent', 'invoke_agent', { agent_name: 'generalist', prompt: TASK }],
    ];
  },
  helpers: {
    [HELPER]: async (model) => {
      const edit = { file_path: 'two.py', instruction: 'Change it.', old_string: 'a = 2\na = 2', new_string: 'a = 3' };
      await model.callOwn('replace', edit);
      // It does not expect an answer to this call.
      void model.callOwn('complete_task', { result: { response: 'Done.' } });
    },
  },
};

const opencodeSession: Session = {
  client: 'opencode',
  program: opencode,
  suffix: '',
  steps: (place) => {
    const edit = (filePath: string, oldString: string, newString: string): Record<string, unknown> => ({
      ...{ filePath, oldString, newString },
    });
    return [
      ['', 'read', { filePath: place.path('cart.py') }],
      ['range', 'read', { filePath: place.path('cart.py'), offset: 2, limit: 2 }],
      ['', 'edit', edit(place.path('cart.py'), 'amount = 0', 'amount = 1')],
      ['absent', 'edit', edit(place.path('cart.py'), 'nothing like it', 'x')],
      ['all', 'edit', { ...edit(place.path('two.py'), 'a = 1', 'a = 2'), replaceAll: true }],
      ['crlf', 'edit', edit(place.path('crlf.txt'), 'one\ntwo', 'uno\ndue')],
      ['relative', 'edit', edit('cart.py', 'return amount', 'return amount * 2')],
      ['create', 'write', { filePath: place.path('new.py'), content: 'new = True\n' }],
      ['', 'write', { filePath: place.path('old.py'), content: 'two\n' }],
      ['', 'bash', { command: SHOW, description: 'Show the cart' }],
      ['failed', 'bash', { command: 'exit 3', description: 'Fail' }],
      ['subagent', 'task', { description: 'Change two', prompt: TASK, subagent_type: 'general' }],
    ];
  },
  helpers: {
    [HELPER]: async (model) => {
      await model.callOwn('edit', { filePath: 'two.py', oldString: 'a = 2\na = 2', newString: 'a = 3' });
    },
  },
};

const opencodePatchSession: Session = {
  client: 'opencode',
  program: opencodeWithPatches,
  suffix: '',
  steps: () => [
    ['', 'apply_patch', { patchText: updating('cart.py', '    amount = 0', '    amount = 1') }],
    ['multi', 'apply_patch', { patchText: MULTI }],
  ],
  helpers: {},
};

const piSession: Session = {
  client: 'pi',
  program: pi,
  suffix: '',
  steps: (place) => [
    ['', 'read', { path: 'cart.py' }],
    ['range', 'read', { path: place.path('cart.py'), offset: 2, limit: 2 }],
    ['', ...pi.tools.edit('cart.py', 'amount = 0', 'amount = 1')],
    ['several', 'edit', { path: place.path('two.py'), edits: [{ oldText: 'a = 1\na = 1', newText: 'a = 2' }] }],
    ['single', 'edit', { path: 'cart.py', oldText: 'amount = 1', newText: 'amount = 3' }],
    ['absent', ...pi.tools.edit('cart.py', 'nothing like it', 'x')],
    ['crlf', ...pi.tools.edit('crlf.txt', 'one\ntwo', 'uno\ndue')],
    ['create', ...pi.tools.write('lib/new.py', 'new = True\n')],
    ['', ...pi.tools.write('old.py', 'two\n')],
    ['missing', 'read', { path: 'none.py' }],
    ['', 'bash', { command: SHOW }],
    ['failed', 'bash', { command: 'exit 3' }],
  ],
  helpers: {},
};

export const SESSIONS = [
  ...[claudeSession, codexSession, codexInCodeSession, geminiSession],
  ...[opencodePatchSession, opencodeSession, piSession],
];
