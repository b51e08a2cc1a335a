/** What the doctor says, as Markdown. */
import type { Located } from '../daemon/binary';
import type { State } from '../daemon/connection';

export interface Facts {
  readonly extension: string;
  readonly editor: string;
  readonly state: State;
  readonly located: Located;
  /** The path that is set, or empty. */
  readonly configured: string;
  /** The PATH in which it is looked for. */
  readonly path: string;
  /** Where `cargo install` has put a program that is not found. */
  readonly installed: string | undefined;
  readonly autostart: boolean;
  readonly isTrusted: boolean;
  /** Whether the window has a folder that is on the disk. */
  readonly hasFolder: boolean;
  readonly announced: readonly string[];
  /** What `editd/status` answers, if somebody answers. */
  readonly status: Readonly<Record<string, unknown>> | undefined;
  readonly pending: number | undefined;
  /** Whether the program can be an MCP server; undefined if there is none. */
  readonly hasMcp: boolean | undefined;
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** What `editd doctor` printed. */
  readonly program: string | undefined;
}

export interface Finding {
  readonly isFine: boolean;
  readonly about: string;
  readonly said: string;
  /** What to do next, where something is to be done. */
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
  const wrong = found.filter(({ isFine }) => !isFine).length;
  const sum = wrong === 0 ? 'All is well.' : wrong === 1 ? 'One thing needs you.' : `${wrong} things need you.`;
  const rows = found.map(
    ({ isFine, about, said, next }) =>
      `| ${isFine ? 'OK' : '**Look**'} | ${about} | ${cell(next === undefined ? said : `${said} **${next}**`)} |`,
  );
  const settings = facts.settings.map(([name, value]) => `| \`${name}\` | \`${cell(value)}\` |`);
  return [
    '# editd: Doctor',
    sum,
    table(['', '', ''], rows),
    `Extension ${facts.extension}, ${facts.editor}.`,
    ...(settings.length === 0 ? [] : ['## Settings that are not the default', table(['Setting', 'Value'], settings)]),
    ...(facts.program === undefined
      ? []
      : ['## What the program says', `\`\`\`text\n${facts.program.trimEnd()}\n\`\`\``]),
    '',
  ].join('\n\n');
}

/** A report without the names of folders that are nobody's business. */
export function withoutPlaces(text: string, home: string, folders: readonly string[]): string {
  const named = folders.map((path, index) => [path, folders.length === 1 ? '<folder>' : `<folder ${index + 1}>`]);
  return [...named, [home, '~']].reduce(
    (said, [path = '', name = '']) => (path.length > 1 ? said.replaceAll(path, name) : said),
    text,
  );
}

function program({ located, configured, path, installed }: Facts): Finding {
  const about = 'Program';
  switch (located.kind) {
    case 'found':
      return { isFine: true, about, said: `\`${located.program}\`, version ${located.version}` };
    case 'old':
      return {
        isFine: false,
        about,
        said: `\`${located.program}\` is version ${located.version}, which is too old.`,
        next: 'Install a later one.',
      };
    case 'broken':
      return {
        isFine: false,
        about,
        said: `\`${located.program}\` cannot be run: ${located.reason}`,
        next: configured === '' ? 'Remove it, or set the path of another.' : 'Set another path in `editd.path`.',
      };
    case 'missing':
      return {
        isFine: false,
        about,
        said: `Not found. Looked for it in ${located.looked.map((place) => `\`${place}\``).join(' and ')}.${configured === '' ? ofPath(path) : ''}`,
        next: configured === '' ? toInstall(installed) : 'Correct the setting `editd.path`.',
      };
  }
}

function ofPath(path: string): string {
  return ` The \`PATH\` of this window is \`${path}\`; that of a terminal may be another.`;
}

function toInstall(installed: string | undefined): string {
  return installed === undefined
    ? 'Install it with `cargo install --locked --path .` in a clone of editd, or set its path in `editd.path`.'
    : `There is \`${installed}\`: set that path in \`editd.path\`.`;
}

function connection({ state, autostart }: Facts): Finding {
  const about = 'Daemon';
  const wrong = (said: string, next: string): Finding => ({ isFine: false, about, said, next });
  switch (state.kind) {
    case 'connected':
      return { isFine: true, about, said: `connected, version ${state.version}, protocol ${state.protocol}` };
    case 'connecting':
      return wrong('Connecting.', 'Ask again in a moment.');
    case 'off':
      return wrong('Disconnected by you.', 'Run "editd: Connect".');
    case 'missing':
      return wrong('Not connected, for want of a program.', 'See above.');
    case 'old':
      return wrong(
        `Version ${state.version}; this extension needs ${state.wanted} or later, with protocol 1.`,
        state.program === undefined
          ? 'Install a later program, run `editd stop` with it, then "editd: Connect Again".'
          : 'Install a later program.',
      );
    case 'waiting':
      return wrong(`Not connected: ${state.reason}`, waitingFor(state.stopped, autostart));
  }
}

function waitingFor(isStopped: boolean, autostart: boolean): string {
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
    ? [{ isFine: true, about: 'Socket for agents', said: `\`${folder}/agent.sock\`` }]
    : [];
}

function review({ status, hasFolder, announced }: Facts): Finding[] {
  const error = status?.['configurationError'];
  const policy = status?.['review'];
  if (typeof error === 'string') {
    return [{ isFine: false, about: 'Configuration', said: error, next: 'Correct the file.' }];
  }
  if (typeof policy !== 'string') {
    return [];
  }
  const offered = `This window offers ${announced.join(', ')}.`;
  const waits = waiting(policy, hasFolder);
  return [{ about: 'Review', ...waits, said: `${waits.said} (\`review = "${policy}"\`). ${offered}` }];
}

/** What of agents' changes waits for the person. */
function waiting(policy: string, hasFolder: boolean): Omit<Finding, 'about'> {
  if (policy === 'off') {
    return { isFine: true, said: 'Agents change files at once' };
  }
  if (policy === 'auto' && !hasFolder) {
    return {
      isFine: false,
      said: 'No folder is open here, so only changes of open files wait for you',
      next: 'Open the folder that agents work in.',
    };
  }
  return {
    isFine: true,
    said: policy === 'auto' ? 'Changes in the folders of this window wait for you' : 'All changes wait for you',
  };
}

function pending({ pending }: Facts): Finding[] {
  const said = pending === 0 ? 'none' : pending === 1 ? 'One waits for you.' : `${pending ?? 0} wait for you.`;
  return pending === undefined ? [] : [{ isFine: true, about: 'Proposals', said }];
}

function trust({ isTrusted }: Facts): Finding {
  const about = 'Workspace';
  return isTrusted
    ? { isFine: true, about, said: 'trusted' }
    : { isFine: true, about, said: 'In restricted mode: changes can be reviewed; no MCP server is offered.' };
}

function mcp({ hasMcp }: Facts): Finding[] {
  if (hasMcp === undefined) {
    return [];
  }
  const said = hasMcp
    ? 'The program can be an MCP server.'
    : 'The program is too old to be an MCP server; agents use the socket.';
  return [{ isFine: true, about: 'MCP', said }];
}

function table(head: readonly string[], rows: readonly string[]): string {
  return [`| ${head.join(' | ')} |`, `|${head.map(() => ' --- |').join('')}`, ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
