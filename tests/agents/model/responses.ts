// The Responses API of OpenAI: the input and the output are items, and tools may be in the namespace of their
// server.
import type { ServerResponse } from 'node:http';
import { type Answer, type Dialect, IMAGE, type Offered, type Request, stream } from './dialect.ts';
import { type Fields, record, records, text } from './record.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const USAGE = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null };

export class Responses implements Dialect {
  /** Names of tools in calls, by their full names. */
  private readonly wire = new Map<string, { name: string; namespace?: string }>();
  private answers = 0;

  read(path: string, body: unknown): Request | undefined {
    const fields = record(body);
    if (path !== '/v1/responses' || fields === undefined) {
      return undefined;
    }
    const offered = records(fields['tools']);
    const tools = offered.flatMap((each) => this.offered(each));
    const input = records(fields['input']);
    const results = input.filter((item) => item['type'] === 'function_call_output');
    return {
      // The instructions of a server are part of its namespace.
      instructions: [
        ...input.filter((item) => item['type'] === 'message').map((item) => textOf(item['content'])),
        ...offered.filter((tool) => tool['type'] === 'namespace').map((tool) => text(tool, 'description')),
      ].join('\n'),
      tools,
      results: results.map((item) => ({ call: text(item, 'call_id'), text: textOf(item['output']) })),
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
        : answer.calls.map((call) => ({
            type: 'function_call',
            id: `fc_${call.id}`,
            call_id: call.id,
            ...(this.wire.get(call.name) ?? { name: call.name }),
            arguments: JSON.stringify(call.arguments),
          }));
    stream(response, [
      { type: 'response.created', response: { id } },
      ...items.map((item, index) => ({ type: 'response.output_item.done', output_index: index, item })),
      { type: 'response.completed', response: { id, usage: { ...USAGE, total_tokens: 2 } } },
    ] as { type: string }[]);
  }

  private offered(tool: Fields, namespace?: string): Offered[] {
    const name = text(tool, 'name');
    if (tool['type'] === 'namespace') {
      return records(tool['tools']).flatMap((each) => this.offered(each, name));
    }
    if (tool['type'] !== 'function') {
      return []; // built in by the vendor, or its input is not an object
    }
    const full = namespace === undefined ? name : `${namespace}__${name}`;
    this.wire.set(full, namespace === undefined ? { name } : { name, namespace });
    return [{ name: full, description: text(tool, 'description'), schema: tool['parameters'] }];
  }
}

/** Checks that each call is followed by exactly one result, and that each result belongs to a call. */
function unpaired(input: readonly Fields[]): string[] {
  const open = new Set<unknown>();
  const problems: string[] = [];
  for (const item of input) {
    const id = text(item, 'call_id');
    if (item['type'] === 'function_call') {
      open.add(id);
    } else if (item['type'] === 'function_call_output') {
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
        .map((part) => (part['type'] === 'input_image' ? IMAGE : text(part, 'text')))
        .join('\n');
}
