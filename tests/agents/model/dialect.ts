// The common parts of model APIs that the tests need.
import type { ServerResponse } from 'node:http';

/** A tool offered to the model. */
export interface Offered {
  /** The full name, including that of its server, if it has one. */
  name: string;
  description: string;
  schema: unknown;
}

/** A tool call requested by the model. */
export interface Call {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** Placeholder in the text of a result for an image that the model is shown. */
export const IMAGE = '\n(an image)';

/** The result of a call, as shown to the model. */
export interface Shown {
  call: string;
  text: string;
}

export interface Request {
  /** The instructions of the user and of the program. */
  instructions: string;
  tools: Offered[];
  /** All results of the conversation so far. */
  results: Shown[];
  /** Errors that a real model API would report. */
  problems: string[];
}

export type Answer = { calls: Call[] } | { text: string };

/** The model API of a vendor. */
export interface Dialect {
  /** How the ids of calls begin, if a program expects it. */
  readonly calls?: string;
  /** Returns the response to a request that does not involve the model. */
  aside?(path: string): object | undefined;
  /** Returns undefined for an unknown path. */
  read(path: string, body: unknown): Request | undefined;
  write(response: ServerResponse, answer: Answer): void;
}

/** Sends the events of a stream and closes it. */
export function stream(response: ServerResponse, events: readonly { type?: string }[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const name = event.type === undefined ? '' : `event: ${event.type}\n`;
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}
