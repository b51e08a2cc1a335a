// Settings that users of the programs have: with comments where the program allows them, and with hooks, plugins and
// servers of others.
import type { Gated } from './programs.ts';

/** A file in the home folder that the hook or plugin of another creates. */
export const TRACE = 'other-hook-ran';

const TOUCH = `touch \\"$HOME/${TRACE}\\"`;

const CLAUDE = `{
    "permissions": {"allow": ["Bash(ls:*)", "mcp__notes"], "deny": []},
    "env": { "NO_COLOR": "1" },
  "hooks": {
    "PreToolUse": [
      { "matcher": "Edit|Write|Bash",
        "hooks": [ { "type": "command", "command": "${TOUCH}" } ] }
    ],
    "Stop": []
  },
\t"cleanupPeriodDays": 30
}`;

const CODEX = `# My settings. They must stay as they are.
approval_policy = "never"   # no questions

[mcp_servers.notes]
command = "editd"
args = [ "mcp", "--read-only" ]

[tui]
notifications = false
# the end`;

const CODEX_HOOKS = `{"description": "mine",
  "hooks": {"PreToolUse": [
    {"matcher": "^(apply_patch|Bash)$", "hooks": [{"type": "command", "command": "${TOUCH}", "timeout": 5}]}
  ]}}
`;

const GEMINI = `{
  // My settings. They must stay as they are.
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": {"usageStatisticsEnabled": false},
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "mcpServers": {
    "notes": { "command": "editd", "args": ["mcp", "--read-only"], "trust": true } // a server
  },
  "hooks": {
    /* another hook */
    "BeforeTool": [
      { "matcher": ".*", "hooks": [{ "name": "mine", "type": "command", "command": "${TOUCH}" }] }
    ]
  }
}
`;

const OPENCODE = `{
  "$schema": "https://opencode.ai/config.json", // my settings
  "mcp": {
    "notes": { "type": "local", "command": ["editd", "mcp", "--read-only"] },
  },
  "permission": { "bash": "allow" },
}
`;

const touch = `import { writeFileSync } from 'node:fs';
const touch = () => writeFileSync(process.env.HOME + '/${TRACE}', '');
`;

const PI = `{
  "theme": "dark",
  "quietStartup": true }
`;

/** The files of each program, by their names in the home folder. */
export const OTHERS: Record<Gated['client'], Record<string, string>> = {
  claude: { '.claude/settings.json': CLAUDE },
  codex: { '.codex/config.toml': CODEX, '.codex/hooks.json': CODEX_HOOKS },
  gemini: { '.gemini/settings.json': GEMINI },
  opencode: {
    '.config/opencode/opencode.jsonc': OPENCODE,
    '.config/opencode/plugin/mine.js': `${touch}export const Mine = async () => ({ 'tool.execute.before': touch });\n`,
  },
  pi: {
    '.pi/agent/settings.json': PI,
    '.pi/agent/extensions/mine.ts': `${touch}export default (pi: any) => pi.on('tool_call', touch);\n`,
  },
};
