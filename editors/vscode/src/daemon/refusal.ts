import { ErrorCodes, ResponseError } from 'vscode-languageclient/node';

/** A request that failed. `kind` is a refusal kind of `docs/protocol.md`, or `error` for other errors. */
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

  /** The message and the hint. */
  get text(): string {
    return this.hint ? `${this.message} ${this.hint}` : this.message;
  }
}

/** A request that failed because the window is not connected. */
export class NotConnected extends Refusal {
  constructor() {
    super('Not connected to editd.', 'not_connected', 'Run the command "editd: Doctor" to see why.', {});
  }
}

/** Error codes of the language client for requests whose connection has ended. */
const CONNECTION_LOST: ReadonlySet<number> = new Set([
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
]);

/** Converts any error to a `Refusal`. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) {
    return error;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ResponseError && CONNECTION_LOST.has(error.code)) {
    return new NotConnected();
  }
  const data: unknown = error instanceof ResponseError ? error.data : undefined;
  if (typeof data !== 'object' || data === null) {
    return new Refusal(message, 'error', undefined, {});
  }
  const fields = data as Record<string, unknown>;
  const stringField = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined);
  return new Refusal(message, stringField('kind') ?? 'error', stringField('hint'), fields);
}
