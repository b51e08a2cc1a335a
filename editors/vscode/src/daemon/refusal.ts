import { ErrorCodes, ResponseError } from 'vscode-languageclient/node';

/** The daemon said no. `kind` is one of the names in `docs/protocol.md`, or `error` for what is not a refusal. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly hint: string | undefined,
    readonly data: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'Refusal';
  }

  /** What to show to a person. */
  get text(): string {
    return this.hint ? `${this.message} ${this.hint}` : this.message;
  }
}

/** There is no daemon to ask. */
export class NotConnected extends Refusal {
  constructor() {
    super('Not connected to editd.', 'not_connected', 'Run the command "editd: Doctor" to see why.', {});
  }
}

/** What the client says of a request whose connection has ended. */
const LOST: ReadonlySet<number> = new Set([ErrorCodes.PendingResponseRejected, ErrorCodes.ConnectionInactive]);

export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) {
    return error;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ResponseError && LOST.has(error.code)) {
    return new NotConnected();
  }
  const data: unknown = error instanceof ResponseError ? error.data : undefined;
  if (typeof data !== 'object' || data === null) {
    return new Refusal(message, 'error', undefined, {});
  }
  const fields = data as Record<string, unknown>;
  const word = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined);
  return new Refusal(message, word('kind') ?? 'error', word('hint'), fields);
}
