// Colours of the syntax, as the server computes them.
import type { Session } from './session';
import type { Side } from './rows';

/** Classes of spans, in the order of their numbers. */
const CLASSES = [
  'comment',
  'keyword',
  'type',
  'function',
  'string',
  'constant',
  'property',
  'tag',
  'heading',
  'operator',
].map((name) => `c-${name}`);

/** Maximum length of a text that is sent to the server. It colours no larger ones. */
const LONGEST = 500_000;

export interface Span {
  start: number;
  end: number;
  name: string;
}

/** Colours of a text, by line. */
export class Colours {
  private constructor(
    private readonly side: Side,
    /** Start, length and class of each span, ordered by start. */
    private readonly spans: readonly number[],
  ) {}

  static async of(session: Session, path: string, side: Side): Promise<Colours> {
    const spans = side.text.length > LONGEST ? [] : await session.colours(path, side.text);
    return new Colours(side, spans);
  }

  /** Returns the spans of a line, which counts from 1. */
  of(number: number): Span[] {
    const line = this.side.lines[number - 1];
    if (line === undefined) {
      return [];
    }
    const end = line.start + line.text.length;
    const found: Span[] = [];
    for (let at = this.firstAfter(line.start); at < this.spans.length; at += 3) {
      const [start = 0, length = 0, name = 0] = this.spans.slice(at, at + 3);
      if (start >= end) {
        break;
      }
      found.push({
        start: Math.max(start - line.start, 0),
        end: Math.min(start + length, end) - line.start,
        name: CLASSES[name] ?? '',
      });
    }
    return found;
  }

  /** Returns the index of the first span that ends after an offset. Spans do not overlap. */
  private firstAfter(offset: number): number {
    let [low, high] = [0, this.spans.length / 3];
    while (low < high) {
      const middle = (low + high) >> 1;
      const [start = 0, length = 0] = this.spans.slice(middle * 3, middle * 3 + 2);
      if (start + length <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low * 3;
  }
}
