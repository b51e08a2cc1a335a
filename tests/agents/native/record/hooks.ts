// Hooks and plugins that store each event in a file of its own and change nothing.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fields } from '../../model/record.ts';
import type { Place } from '../../support/place.ts';

/** An event with the names that its file gets. */
export interface Recorded {
  name: string;
  tool: string | undefined;
  content: unknown;
}

const PREFIX = 'event-';

const hook = (folder: string): string => `#!/usr/bin/python3
import json, sys, time
with open(f"${folder}/${PREFIX}{time.time_ns()}", "w") as file:
    json.dump(json.load(sys.stdin), file)
`;

const store = (folder: string): string => `
import { writeFileSync } from 'node:fs';
const store = (event) => writeFileSync('${folder}/${PREFIX}' + process.hrtime.bigint(), JSON.stringify(event));
`;

const PLUGIN = `
export const Recorder = async () => ({
  'tool.execute.before': async (input, output) => store({ hook: 'tool.execute.before', input, output }),
  'tool.execute.after': async (input, output) => store({ hook: 'tool.execute.after', input, output }),
  'chat.message': async (input, output) => store({ hook: 'chat.message', input, output }),
  event: async ({ event }) => {
    if (event.type === 'session.created' || event.type === 'file.edited') {
      store({ hook: 'event-' + event.type, input: event });
    }
  },
});
`;

const EXTENSION = `
const NAMES = ['session_start', 'input', 'agent_start', 'tool_call', 'tool_result', 'session_shutdown'];
export default (pi) => {
  for (const hook of NAMES) {
    pi.on(hook, async (event, { cwd, mode, hasUI, model, sessionManager }) => {
      const session = { sessionId: sessionManager.getSessionId(), sessionFile: sessionManager.getSessionFile() };
      const context = { cwd, mode, hasUI, model: { id: model?.id, provider: model?.provider }, ...session };
      store({ hook, event, context });
    });
  }
};
`;

/** Writes the hook program, and the settings of a client that call it at these events. */
function hooked(place: Place, settings: string, events: readonly string[]): void {
  place.configure('hook.py', hook(place.folder));
  const command = `python3 ${place.home}/hook.py`;
  const entry = [{ matcher: '.*', hooks: [{ type: 'command', command }] }];
  place.configure(settings, JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, entry])) }));
}

const AROUND = ['PreToolUse', 'PostToolUse', 'SessionStart', 'SessionEnd', 'UserPromptSubmit', 'Stop'];
const OF_SUB_AGENTS = ['SubagentStart', 'SubagentStop'];

/** Sets up the recording for each client. */
export const set = {
  claude: (place: Place): void => {
    const more = ['PostToolUseFailure', 'PostToolBatch', 'PermissionRequest'];
    hooked(place, '.claude/settings.json', [...AROUND, ...OF_SUB_AGENTS, ...more]);
  },
  codex: (place: Place): void => {
    hooked(place, '.codex/hooks.json', [...AROUND, ...OF_SUB_AGENTS, 'PermissionRequest']);
  },
  gemini: (place: Place): void => {
    hooked(place, '.gemini/settings.json', ['BeforeTool', 'AfterTool', 'BeforeAgent', 'AfterAgent']);
  },
  opencode: (place: Place): void => {
    place.configure('.config/opencode/plugin/recorder.js', store(place.folder) + PLUGIN);
  },
  pi: (place: Place): void => {
    place.configure('.pi/agent/extensions/recorder.js', store(place.folder) + EXTENSION);
  },
};

/** Returns the events that have been stored, from the first to the last. */
export function recorded(place: Place): Recorded[] {
  const files = readdirSync(place.folder).filter((name) => name.startsWith(PREFIX));
  const order = (name: string): bigint => BigInt(name.slice(PREFIX.length));
  files.sort((one, other) => (order(one) < order(other) ? -1 : 1));
  return files.map((file) => named(JSON.parse(readFileSync(join(place.folder, file), 'utf8')) as Fields));
}

function named(event: Fields): Recorded {
  const { hook: name, ...content } = event;
  if (typeof name === 'string') {
    const inner = (event['event'] ?? event['input']) as Fields;
    return { name, tool: (inner['toolName'] ?? inner['tool']) as string | undefined, content };
  }
  const batch = event['tool_calls'] as Fields[] | undefined;
  const tool = batch?.map((call) => call['tool_name']).join('-') ?? event['tool_name'];
  return { name: event['hook_event_name'] as string, tool: tool as string | undefined, content: event };
}
