// What the interfaces of models have in common, as far as it matters here.
import type { ServerResponse } from 'node:http';

/** A tool as it is offered to the model. */
export interface Offered {
  /** The name in full: with that of its server where it has one. */
  name: string;
  description: string;
  schema: unknown;
}

/** A call of a tool that the model wants. */
export interface Call {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** What stands in the text of a result for an image that the model is shown. */
export const IMAGE = '\n(an image)';

/** What a tool has given back for a call, as the model is shown it. */
export interface Shown {
  call: string;
  text: string;
}

export interface Request {
  /** What a person and the program say to the model before it begins. */
  instructions: string;
  tools: Offered[];
  /** All results of the conversation so far. */
  results: Shown[];
  /** What a real model's interface would not take. */
  problems: string[];
}

export type Answer = { calls: Call[] } | { text: string };

/** The interface of a model, as one vendor has it. */
export interface Dialect {
  /** The answer to a request that the model has no part in. */
  aside?(path: string): object | undefined;
  /** Undefined for a path that it does not have. */
  read(path: string, body: unknown): Request | undefined;
  write(response: ServerResponse, answer: Answer): void;
}

/** Sends events of a stream and closes it. */
export function stream(response: ServerResponse, events: readonly { type?: string }[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const name = event.type === undefined ? '' : `event: ${event.type}\n`;
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}
