/** The report of the doctor, in Markdown. */
import type { Located } from '../daemon/binary';
import type { State } from '../daemon/connection';

export interface Facts {
  readonly extension: string;
  readonly editor: string;
  readonly state: State;
  readonly located: Located;
  /** The configured path, or empty. */
  readonly configured: string;
  /** The PATH that is searched for the program. */
  readonly path: string;
  /** Path of a program installed by `cargo install`, if there is one. */
  readonly installed: string | undefined;
  readonly autostart: boolean;
  readonly isTrusted: boolean;
  /** `true` if the window has a folder on disk. */
  readonly hasFolder: boolean;
  readonly announced: readonly string[];
  /** The answer to `editd/status`; undefined if there is none. */
  readonly status: Readonly<Record<string, unknown>> | undefined;
  readonly pending: number | undefined;
  /** `true` if the program can be an MCP server; undefined if there is no program. */
  readonly hasMcp: boolean | undefined;
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** The output of `editd doctor`. */
  readonly program: string | undefined;
}

export interface Finding {
  readonly isFine: boolean;
  readonly about: string;
  readonly detail: string;
  /** Recommended action, if any. */
  readonly next?: string;
}

export function findings(facts: Facts): Finding[] {
  return [
    program(facts),
    connection(facts),
    ...sockets(facts),
    ...review(facts),
    ...pending(facts),
    trust(facts),
    ...mcp(facts),
  ];
}

export function report(facts: Facts): string {
  const found = findings(facts);
  const problems = found.filter(({ isFine }) => !isFine).length;
  const summary =
    problems === 0 ? 'No problems found.' : problems === 1 ? 'Found one problem.' : `Found ${problems} problems.`;
  const rows = found.map(
    ({ isFine, about, detail, next }) =>
      `| ${isFine ? 'OK' : '**Problem**'} | ${about} | ${cell(next === undefined ? detail : `${detail} **${next}**`)} |`,
  );
  const settings = facts.settings.map(([name, value]) => `| \`${name}\` | \`${cell(value)}\` |`);
  return [
    '# editd: Doctor',
    summary,
    table(['', '', ''], rows),
    `Extension ${facts.extension}, ${facts.editor}.`,
    ...(settings.length === 0
      ? []
      : ['## Settings changed from their defaults', table(['Setting', 'Value'], settings)]),
    ...(facts.program === undefined
      ? []
      : ['## Output of `editd doctor`', `\`\`\`text\n${facts.program.trimEnd()}\n\`\`\``]),
    '',
  ].join('\n\n');
}

/** Removes the names of private folders from a report. */
export function withoutFolders(text: string, home: string, folders: readonly string[]): string {
  const named = folders.map((path, index) => [path, folders.length === 1 ? '<folder>' : `<folder ${index + 1}>`]);
  return [...named, [home, '~']].reduce(
    (text, [path = '', name = '']) => (path.length > 1 ? text.replaceAll(path, name) : text),
    text,
  );
}

function program({ located, configured, path, installed }: Facts): Finding {
  const about = 'Program';
  switch (located.kind) {
    case 'found':
      return { isFine: true, about, detail: `\`${located.program}\`, version ${located.version}` };
    case 'old':
      return {
        isFine: false,
        about,
        detail: `\`${located.program}\` is version ${located.version}, which is too old.`,
        next: 'Install a newer version.',
      };
    case 'broken':
      return {
        isFine: false,
        about,
        detail: `\`${located.program}\` cannot be run: ${located.reason}`,
        next:
          configured === '' ? 'Remove it, or set the path of another program.' : 'Set another path in `editd.path`.',
      };
    case 'missing':
      return {
        isFine: false,
        about,
        detail: `Not found in ${located.searched.map((path) => `\`${path}\``).join(' and ')}.${configured === '' ? pathNote(path) : ''}`,
        next: configured === '' ? installAdvice(installed) : 'Correct the setting `editd.path`.',
      };
  }
}

function pathNote(path: string): string {
  return ` The \`PATH\` of this window is \`${path}\`; that of a terminal may differ.`;
}

function installAdvice(installed: string | undefined): string {
  return installed === undefined
    ? 'Install it with `cargo install --locked --path .` in a clone of editd, or set its path in `editd.path`.'
    : `There is \`${installed}\`: set that path in \`editd.path\`.`;
}

function connection({ state, autostart }: Facts): Finding {
  const about = 'Daemon';
  const problem = (detail: string, next: string): Finding => ({ isFine: false, about, detail, next });
  switch (state.kind) {
    case 'connected':
      return { isFine: true, about, detail: `connected, version ${state.version}, protocol ${state.protocol}` };
    case 'connecting':
      return problem('Connecting.', 'Ask again in a moment.');
    case 'off':
      return problem('Disconnected by you.', 'Run "editd: Connect".');
    case 'missing':
      return problem('Not connected, because there is no program.', 'See above.');
    case 'old':
      return problem(
        `Version ${state.version}; this extension needs ${state.wanted} or later, with protocol 1.`,
        state.program === undefined
          ? 'Install a newer program, run `editd stop` with it, then "editd: Connect Again".'
          : 'Install a newer program.',
      );
    case 'waiting':
      return problem(`Not connected: ${state.reason}`, retryAdvice(state.stopped, autostart));
  }
}

function retryAdvice(isStopped: boolean, autostart: boolean): string {
  if (!autostart) {
    return 'Start one with `editd serve`: the setting `editd.autostart` is off.';
  }
  return isStopped
    ? 'Run "editd: Connect Again", which starts one.'
    : 'Run `editd serve` in a terminal to see why it does not start.';
}

function sockets({ status }: Facts): Finding[] {
  const folder = status?.['runtimeDir'];
  return typeof folder === 'string'
    ? [{ isFine: true, about: 'Socket for agents', detail: `\`${folder}/agent.sock\`` }]
    : [];
}

function review({ status, hasFolder, announced }: Facts): Finding[] {
  const error = status?.['configurationError'];
  const policy = status?.['review'];
  if (typeof error === 'string') {
    return [{ isFine: false, about: 'Configuration', detail: error, next: 'Correct the file.' }];
  }
  if (typeof policy !== 'string') {
    return [];
  }
  const offered = `This window offers ${announced.join(', ')}.`;
  const effect = reviewPolicy(policy, hasFolder);
  return [{ about: 'Review', ...effect, detail: `${effect.detail} (\`review = "${policy}"\`). ${offered}` }];
}

/** Describes which changes of agents wait for the user. */
function reviewPolicy(policy: string, hasFolder: boolean): Omit<Finding, 'about'> {
  if (policy === 'off') {
    return { isFine: true, detail: 'Changes by agents are applied immediately' };
  }
  if (policy === 'auto' && !hasFolder) {
    return {
      isFine: false,
      detail: 'No folder is open here, so only changes to open files wait for you',
      next: 'Open the folder that the agents work in.',
    };
  }
  return {
    isFine: true,
    detail: policy === 'auto' ? 'Changes in the folders of this window wait for you' : 'All changes wait for you',
  };
}

function pending({ pending }: Facts): Finding[] {
  const detail =
    pending === 0 ? 'none' : pending === 1 ? 'One is waiting for you.' : `${pending ?? 0} are waiting for you.`;
  return pending === undefined ? [] : [{ isFine: true, about: 'Proposals', detail }];
}

function trust({ isTrusted }: Facts): Finding {
  const about = 'Workspace';
  return isTrusted
    ? { isFine: true, about, detail: 'trusted' }
    : { isFine: true, about, detail: 'In restricted mode: changes can be reviewed, but no MCP server is offered.' };
}

function mcp({ hasMcp }: Facts): Finding[] {
  if (hasMcp === undefined) {
    return [];
  }
  const detail = hasMcp
    ? 'The program can be an MCP server.'
    : 'The program is too old to be an MCP server; agents use the socket.';
  return [{ isFine: true, about: 'MCP', detail }];
}

function table(head: readonly string[], rows: readonly string[]): string {
  return [`| ${head.join(' | ')} |`, `|${head.map(() => ' --- |').join('')}`, ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
