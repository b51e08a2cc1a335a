// The Responses API of OpenAI: the input and the output are items, and tools may be in the namespace of their
// server.
import type { ServerResponse } from 'node:http';
import {
  type Answer,
  type Call,
  type Dialect,
  IMAGE,
  type Offered,
  type Request,
  type Shown,
  stream,
} from './dialect.ts';
import { type Fields, record, records, text } from './record.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** The task of a sub-agent is a message of another agent. */
const MESSAGES = new Set(['message', 'agent_message']);
const USAGE = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null };

export class Responses implements Dialect {
  /** Names of tools in calls, by their full names. */
  private readonly wire = new Map<string, { name: string; namespace?: string }>();
  /** Tools whose input is any text: the argument `input` of a script's call. */
  private readonly free = new Set<string>();
  private answers = 0;

  read(path: string, body: unknown): Request | undefined {
    const fields = record(body);
    if (path !== '/v1/responses' || fields === undefined) {
      return undefined;
    }
    const input = records(fields['input']);
    const added = input.filter((item) => item['type'] === 'additional_tools');
    const offered = [fields, ...added].flatMap((each) => records(each['tools']));
    const tools = offered.flatMap((each) => this.offered(each));
    return {
      // The instructions of a server are part of its namespace.
      instructions: [
        ...input.filter((item) => MESSAGES.has(text(item, 'type'))).map((item) => textOf(item['content'])),
        ...offered.filter((tool) => tool['type'] === 'namespace').map((tool) => text(tool, 'description')),
      ].join('\n'),
      tools,
      results: resultsOf(input),
      problems: [
        ...(fields['stream'] === true ? [] : ['no stream is requested']),
        ...[...this.wire.values()].filter(({ name }) => !NAME.test(name)).map(({ name }) => `the name ${name}`),
        ...unpaired(input),
      ],
    };
  }

  write(response: ServerResponse, answer: Answer): void {
    const id = `resp_${++this.answers}`;
    const items =
      'text' in answer
        ? [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: answer.text }] }]
        : answer.calls.map((call) => this.called(call));
    stream(response, [
      { type: 'response.created', response: { id } },
      ...items.map((item, index) => ({ type: 'response.output_item.done', output_index: index, item })),
      { type: 'response.completed', response: { id, usage: { ...USAGE, total_tokens: 2 } } },
    ] as { type: string }[]);
  }

  private called({ id, name, arguments: args }: Call): object {
    const wire = this.wire.get(name) ?? { name };
    return this.free.has(name)
      ? { type: 'custom_tool_call', id: `ctc_${id}`, call_id: id, ...wire, input: args['input'] }
      : { type: 'function_call', id: `fc_${id}`, call_id: id, ...wire, arguments: JSON.stringify(args) };
  }

  private offered(tool: Fields, namespace?: string): Offered[] {
    const name = text(tool, 'name');
    if (tool['type'] === 'namespace') {
      return records(tool['tools']).flatMap((each) => this.offered(each, name));
    }
    if (tool['type'] !== 'function' && tool['type'] !== 'custom') {
      return []; // built in by the vendor
    }
    const full = namespace === undefined || namespace === 'functions' ? name : `${namespace}__${name}`;
    if (tool['type'] === 'custom') {
      this.free.add(full);
    }
    this.wire.set(full, namespace === undefined ? { name } : { name, namespace });
    return [{ name: full, description: text(tool, 'description'), schema: tool['parameters'] }];
  }
}

/** A message directly before or behind a result belongs to the result. */
function resultsOf(input: readonly Fields[]): Shown[] {
  const results: Shown[] = [];
  let last: Shown | undefined;
  let before = '';
  for (const item of input) {
    const said = item['type'] === 'message' && item['role'] !== 'assistant' ? `\n${textOf(item['content'])}` : '';
    if (isResult(item)) {
      last = { call: text(item, 'call_id'), text: textOf(item['output']) + before };
      results.push(last);
    } else if (said !== '' && last !== undefined) {
      last.text += said;
    } else {
      last = undefined;
      before = said === '' ? '' : before + said;
    }
  }
  return results;
}

function isResult(item: Fields): boolean {
  return item['type'] === 'function_call_output' || item['type'] === 'custom_tool_call_output';
}

/** Checks that each call is followed by exactly one result, and that each result belongs to a call. */
function unpaired(input: readonly Fields[]): string[] {
  const open = new Set<unknown>();
  const problems: string[] = [];
  for (const item of input) {
    const id = text(item, 'call_id');
    if (item['type'] === 'function_call' || item['type'] === 'custom_tool_call') {
      open.add(id);
    } else if (isResult(item)) {
      problems.push(...(open.delete(id) ? [] : [`a result without its call: ${id}`]));
      problems.push(...(textOf(item['output']) === '' ? [`an empty result of ${id}`] : []));
    }
  }
  return [...problems, ...[...open].map((id) => `a call without a result: ${String(id)}`)];
}

/** Returns a text that is a string or a list of parts. */
function textOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : records(content)
        .map((part) => (part['type'] === 'input_image' ? IMAGE : text(part, 'text') || text(part, 'encrypted_content')))
        .join('\n');
}
