// The agent programs whose tools pass through editd.
import { claude } from '../native/claude.ts';
import { codex, codexInCode } from '../native/codex.ts';
import { gemini } from '../native/gemini.ts';
import { opencode, opencodeWithPatches } from '../native/opencode.ts';
import { pi } from '../native/pi.ts';
import type { NativeProgram } from '../native/program.ts';
import { type SubAgents, agents } from './subAgents.ts';

/** A program with a kind of model, if the tools depend on the model. */
export type Key = 'claude' | 'codex' | 'codexInCode' | 'gemini' | 'opencode' | 'opencodeWithPatches' | 'pi';

export interface Gated {
  readonly key: Key;
  readonly native: NativeProgram;
  /** The name on the command line of `editd connect`. */
  readonly client: 'claude' | 'codex' | 'gemini' | 'opencode' | 'pi';
  /** The name for people. */
  readonly title: string;
  /** The kind of model, if there are several. */
  readonly kind?: string;
  readonly author: string;
  /** The model in the log. */
  readonly model: RegExp;
  /** A part of the result of each tool that has written a file. */
  readonly succeeded: RegExp;
  readonly subAgents: SubAgents | undefined;
  /** The refusal of the program itself to write `.env`, before editd is asked. */
  readonly refusesEnv?: RegExp;
  /** `true` if the output of a run without a terminal contains the warnings of hooks. */
  readonly showsWarnings: boolean;
}

const ofCodex = {
  client: 'codex',
  title: 'Codex',
  author: 'codex',
  showsWarnings: false,
  succeeded: /Success\. Updated the following files/,
} as const;

const ofOpencode = {
  client: 'opencode',
  title: 'opencode',
  author: 'opencode',
  showsWarnings: false,
  succeeded: /Edit applied successfully|Wrote file successfully|Success\. Updated the following files/,
} as const;

export const PROGRAMS: Record<Key, Gated> = {
  claude: {
    key: 'claude',
    native: claude,
    client: 'claude',
    title: 'Claude Code',
    author: 'claude-code',
    showsWarnings: true,
    model: /^fake$/,
    succeeded: /has been updated successfully|created successfully/,
    subAgents: agents.claude,
  },
  codex: { ...ofCodex, key: 'codex', native: codex, model: /^gpt-5\.5$/, subAgents: undefined },
  codexInCode: {
    ...ofCodex,
    succeeded: /Script completed/,
    key: 'codexInCode',
    native: codexInCode,
    kind: 'in code mode',
    model: /^gpt-6-sol$/,
    subAgents: agents.codexInCode,
  },
  gemini: {
    key: 'gemini',
    native: gemini,
    client: 'gemini',
    title: 'Gemini CLI',
    author: 'gemini-cli',
    showsWarnings: true,
    refusesEnv: /Path not in workspace/,
    model: /^gemini-/,
    succeeded: /Successfully (modified file|created and wrote|overwrote file)/,
    subAgents: agents.gemini,
  },
  opencode: { ...ofOpencode, key: 'opencode', native: opencode, model: /claude-sonnet-5$/, subAgents: agents.opencode },
  opencodeWithPatches: {
    ...ofOpencode,
    key: 'opencodeWithPatches',
    native: opencodeWithPatches,
    kind: 'with patches',
    model: /gpt-5\.5$/,
    subAgents: agents.opencode,
  },
  pi: {
    key: 'pi',
    native: pi,
    client: 'pi',
    title: 'pi',
    author: 'pi',
    showsWarnings: true,
    model: /claude-sonnet-5$/,
    succeeded: /Successfully (replaced|wrote)/,
    subAgents: undefined,
  },
};
