// The Messages API of Anthropic: messages of the user and of the model alternate, and a result directly follows
// its call.
import type { ServerResponse } from 'node:http';
import { type Answer, type Dialect, IMAGE, type Request, type Shown, stream } from './dialect.ts';
import { type Fields, record, records, text } from './record.ts';

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

export class Messages implements Dialect {
  readonly calls = 'toolu_01000000000000000000';
  private answers = 0;

  /** The program counts the tokens of a conversation, and checks first whether there is a server. */
  aside(path: string): object | undefined {
    return path === '/' || path.startsWith('/v1/messages/count_tokens') ? { input_tokens: 1 } : undefined;
  }

  read(path: string, body: unknown): Request | undefined {
    const fields = record(body);
    if (!/^\/v1\/messages(\?beta=true)?$/.test(path) || fields === undefined) {
      return undefined;
    }
    const messages = records(fields['messages']);
    const tools = records(fields['tools']).filter((tool) => tool['input_schema'] !== undefined);
    return {
      instructions: [fields['system'], ...messages.map((message) => message['content'])].map(textOf).join('\n'),
      tools: tools.map((tool) => ({
        name: text(tool, 'name'),
        description: text(tool, 'description'),
        schema: tool['input_schema'],
      })),
      results: resultsOf(messages),
      problems: [
        ...(fields['stream'] === true ? [] : ['no stream is requested']),
        ...tools
          .map((tool) => text(tool, 'name'))
          .filter((name) => !NAME.test(name))
          .map((name) => `the name ${name}`),
        ...unanswered(messages),
      ],
    };
  }

  write(response: ServerResponse, answer: Answer): void {
    const blocks: Fields[][] =
      'text' in answer
        ? [
            [
              { type: 'text', text: '' },
              { type: 'text_delta', text: answer.text },
            ],
          ]
        : answer.calls.map(({ id, name, arguments: args }) => [
            { type: 'tool_use', id, name, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(args) },
          ]);
    const message = { id: `msg_${++this.answers}`, type: 'message', role: 'assistant', model: 'fake', content: [] };
    const usage = { input_tokens: 1, output_tokens: 1 };
    stream(response, [
      { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } },
      ...blocks.flatMap(([block, delta], index) => [
        { type: 'content_block_start', index, content_block: block },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: 'text' in answer ? 'end_turn' : 'tool_use', stop_sequence: null },
        usage,
      },
      { type: 'message_stop' },
    ] as { type: string }[]);
  }
}

/** What is said behind a result, also by the program, belongs to the result. */
function resultsOf(messages: readonly Fields[]): Shown[] {
  const results: Shown[] = [];
  let last: Shown | undefined;
  for (const { role, content } of messages) {
    last = role === 'assistant' ? undefined : last;
    for (const part of typeof content === 'string' ? [{ type: 'text', text: content }] : records(content)) {
      if (part['type'] === 'tool_result') {
        last = { call: text(part, 'tool_use_id'), text: textOf(part['content']) };
        results.push(last);
      } else if (last !== undefined) {
        last.text += `\n${textOf([part])}`;
      }
    }
  }
  return results;
}

/** Checks that the next message answers each call of a message. */
function unanswered(messages: readonly Fields[]): string[] {
  return messages.flatMap((message, index) => {
    const called = ids(message, 'tool_use', 'id');
    const answered = ids(messages[index + 1] ?? {}, 'tool_result', 'tool_use_id');
    return called === answered ? [] : [`message ${index} calls "${called}", and "${answered}" is answered`];
  });
}

function ids(message: Fields, kind: string, name: string): string {
  return records(message['content'])
    .filter((part) => part['type'] === kind)
    .map((part) => text(part, name))
    .sort()
    .join(' ');
}

/** Returns a text that is a string or a list of parts. */
function textOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : records(content)
        .map((part) => (part['type'] === 'image' ? IMAGE : text(part, 'text')))
        .join('\n');
}
