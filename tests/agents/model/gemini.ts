// The API of Gemini: contents of the user and of the model alternate, and a result directly follows its call.
import type { ServerResponse } from 'node:http';
import { type Answer, type Dialect, IMAGE, type Request, type Shown, stream } from './dialect.ts';
import { type Fields, record, records, text } from './record.ts';

const PATH = /^\/v1beta\/models\/[\w.-]+:streamGenerateContent\?alt=sse$/;
const COUNT = /^\/v1beta\/models\/[\w.-]+:countTokens$/;
const ASKED = /^\/v1beta\/models\/[\w.-]+:generateContent$/;
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

export class Gemini implements Dialect {
  /**
   * The program requests the length of a conversation that contains an image, and asks in a long one whether the model
   * makes progress.
   */
  aside(path: string): object | undefined {
    const progress = { candidates: [{ content: { role: 'model', parts: [{ text: '{}' }] }, finishReason: 'STOP' }] };
    return COUNT.test(path) ? { totalTokens: 1 } : ASKED.test(path) ? progress : undefined;
  }

  read(path: string, body: unknown): Request | undefined {
    const fields = record(body);
    if (!PATH.test(path) || fields === undefined) {
      return undefined;
    }
    const declared = records(fields['tools']).flatMap((tool) => records(tool['functionDeclarations']));
    const contents = records(fields['contents']);
    const said = [...parts(record(fields['systemInstruction']) ?? {}), ...contents.flatMap(parts)];
    return {
      instructions: said.map((part) => text(part, 'text')).join('\n'),
      tools: declared.map((tool) => ({
        name: text(tool, 'name'),
        description: text(tool, 'description'),
        schema: tool['parametersJsonSchema'],
      })),
      results: contents.flatMap(resultsOf),
      problems: [
        ...declared
          .map((tool) => text(tool, 'name'))
          .filter((name) => !NAME.test(name))
          .map((name) => `the name ${name}`),
        ...outOfTurn(contents),
      ],
    };
  }

  write(response: ServerResponse, answer: Answer): void {
    const content =
      'text' in answer
        ? [{ text: answer.text }]
        : answer.calls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } }));
    stream(response, [
      {
        candidates: [{ content: { role: 'model', parts: content }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        modelVersion: 'fake',
      } as object,
    ]);
  }
}

function parts(content: Fields): Fields[] {
  return records(content['parts']);
}

/** Images follow the results that they belong to. */
function resultsOf(content: Fields): Shown[] {
  const results: Shown[] = [];
  for (const part of parts(content)) {
    const result = record(part['functionResponse']);
    const last = results.at(-1);
    if (result !== undefined) {
      // Programs use `output` for success and `error` for failure.
      const response = record(result['response']);
      results.push({ call: text(result, 'id'), text: text(response, 'output') || text(response, 'error') });
    } else if (last !== undefined && text(record(part['inlineData']), 'mimeType') === 'image/png') {
      last.text += IMAGE;
    }
  }
  return results;
}

/** Checks that the calls of one content are answered by the next one, in number and by name. */
function outOfTurn(contents: readonly Fields[]): string[] {
  const problems: string[] = [];
  for (const [index, content] of contents.entries()) {
    const role = content['role'];
    if (role !== (index % 2 === 0 ? 'user' : 'model')) {
      problems.push(`content ${index} is by ${String(role)}`);
    }
    const called = names(content, 'functionCall');
    const answered = names(contents[index + 1] ?? {}, 'functionResponse');
    if (called !== answered) {
      problems.push(`content ${index} calls "${called}", and "${answered}" is answered`);
    }
  }
  return problems;
}

function names(content: Fields, kind: string): string {
  return parts(content)
    .map((part) => text(record(part[kind]), 'name'))
    .filter((name) => name !== '')
    .join(' ');
}
