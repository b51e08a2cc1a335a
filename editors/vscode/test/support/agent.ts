// An AI agent: a session on agent.sock.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Refused, Rpc } from './rpc';

export interface Read {
  text: string;
  hash: string;
  source: 'disk' | 'editor';
  version?: number;
  eol: string;
  bom: boolean;
}

export interface ChangedFile {
  path: string;
  hash: string | null;
  hashAfter: string | null;
  source: 'disk' | 'editor';
  saved: boolean;
  diff: string;
  warnings: string[];
  hunks: { id: string; state: string }[];
}

export interface Outcome {
  id: string;
  revision: number;
  state: string;
  transaction?: string;
  files: ChangedFile[];
}

/** Maximum number of attempts of an edit. */
const TRIES = 5;

/** A replacement: old text, new text. */
export type Replacement = readonly [oldText: string, newText: string];

export class Agent {
  private constructor(
    private readonly rpc: Rpc,
    private readonly root: string,
  ) {}

  static async connect(socket: string, name: string, root: string): Promise<Agent> {
    const agent = new Agent(await Rpc.connect(socket), root);
    await agent.call('initialize', {
      clientInfo: { name },
      workspaceFolders: [{ uri: pathToFileURL(root).href, name: 'work' }],
    });
    agent.rpc.notify('initialized', {});
    return agent;
  }

  // The caller knows the type of the result.

  async call<T>(method: string, params: object = {}): Promise<T> {
    return (await this.rpc.call(method, params)) as T;
  }

  notified<T>(method: string, fits?: (params: T) => boolean): Promise<T> {
    return this.rpc.notified(method, fits);
  }

  read(name: string): Promise<Read> {
    return this.call('editd/read', { path: this.path(name) });
  }

  /** Reads the files, then edits them in one request. Retries if one has changed in between, as the refusal advises. */
  async edit(changes: Record<string, Replacement[]>, options: object = {}): Promise<Outcome> {
    for (let tries = 1; ; tries += 1) {
      for (const name of Object.keys(changes)) {
        await this.read(name);
      }
      try {
        return await this.editUnread(changes, options);
      } catch (error) {
        if (!(error instanceof Refused && error.kind === 'stale' && tries < TRIES)) {
          throw error;
        }
      }
    }
  }

  /** Edits files based on earlier reads. */
  editUnread(changes: Record<string, Replacement[]>, options: object = {}): Promise<Outcome> {
    return this.call('editd/edit', { changes: this.edits(changes), ...options });
  }

  async propose(changes: Record<string, Replacement[]>, options: object = {}): Promise<Outcome> {
    for (const name of Object.keys(changes)) {
      await this.read(name);
    }
    return this.call('editd/propose', { changes: this.edits(changes), ...options });
  }

  /** Writes a whole file, a new one or one that was read before. */
  write(name: string, content: string, options: object = {}): Promise<Outcome> {
    return this.call('editd/edit', { changes: [{ kind: 'write', path: this.path(name), content }], ...options });
  }

  apply(proposal: Outcome, options: object = {}): Promise<Outcome> {
    return this.call('editd/apply', { id: proposal.id, ...options });
  }

  /** `true` while the agent is connected to a daemon. */
  get open(): boolean {
    return this.rpc.open;
  }

  close(): void {
    this.rpc.close();
  }

  private path(name: string): string {
    return join(this.root, name);
  }

  private edits(changes: Record<string, Replacement[]>): object[] {
    return Object.entries(changes).map(([name, replacements]) => ({
      kind: 'edit',
      path: this.path(name),
      edits: replacements.map(([oldText, newText]) => ({ oldText, newText })),
    }));
  }
}
