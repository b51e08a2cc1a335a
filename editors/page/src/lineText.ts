// The text of a line, with its colours, changed words and invisible characters.
import type { Span } from './colours';
import { button, el } from './dom';
import { count } from './names';
import { pieces } from './visible';
import type { Range } from './words';

/** Length of a line up to which it is shown whole. */
const WHOLE = 1000;

/** Number of unchanged characters that are shown around a change of a longer line. */
const AROUND = 120;

/** Number of characters of a change that are shown at first. */
const CHANGED = 20_000;

export interface LineParts {
  text: string;
  spans: readonly Span[];
  /** The changed parts, or `undefined` if all of the line is changed. */
  words: readonly Range[] | undefined;
  /** True if a very long line is shown whole, too. */
  isWhole: boolean;
  /** Called when a person asks for the whole line. */
  expand: () => void;
}

/** Appends a line to an element. Of a very long line, the parts around changes are shown; a button shows more. */
export function appendLine(target: Element, { text, spans, words, isWhole, expand }: LineParts): void {
  const parts = { text, spans, words: words ?? [] };
  if (isWhole || text.length <= WHOLE) {
    appendRange(target, parts, [0, text.length]);
    return;
  }
  const changes = words ?? [[0, text.length] as const];
  let at = 0;
  for (const range of shownRanges(text, changes)) {
    appendMore(target, [at, range[0]], changes, expand);
    appendRange(target, parts, range);
    at = range[1];
  }
  appendMore(target, [at, text.length], changes, expand);
}

/** Returns the parts of a long line that are shown at first. */
export function shownRanges(text: string, changes: readonly Range[]): Range[] {
  const shown: [number, number][] = [];
  for (const [from, to] of changes.length > 0 ? changes : [[0, 0] as const]) {
    const start = boundary(text, Math.max(from - AROUND, 0));
    const end = boundary(text, Math.min(from + Math.min(to - from, CHANGED) + AROUND, text.length));
    const last = shown.at(-1);
    if (last !== undefined && start <= last[1]) {
      last[1] = Math.max(last[1], end);
    } else {
      shown.push([start, end]);
    }
  }
  return shown;
}

/** Moves an offset out of a character that has two units. */
function boundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

function appendMore(target: Element, [from, to]: Range, changes: readonly Range[], press: () => void): void {
  if (to > from) {
    const more = button(`… ${count(to - from, 'more character')} …`, press);
    more.classList.add('more');
    // Changed text that is not shown counts as not seen.
    more.classList.toggle(
      'changed',
      changes.some(([start, end]) => start < to && end > from),
    );
    target.append(more);
  }
}

function appendRange(
  target: Element,
  { text, spans, words }: { text: string; spans: readonly Span[]; words: readonly Range[] },
  [start, end]: Range,
): void {
  const ends = new Set([end]);
  for (const [from, to] of [...words, ...spans.map(({ start, end }) => [start, end] as const)]) {
    for (const offset of [from, to].filter((offset) => offset > start && offset < end)) {
      ends.add(offset);
    }
  }
  let [at, word, span] = [start, 0, 0];
  for (const next of [...ends].sort((one, other) => one - other)) {
    while ((words[word]?.[1] ?? Infinity) <= at) word += 1;
    while ((spans[span]?.end ?? Infinity) <= at) span += 1;
    if (next > at) {
      const isChanged = (words[word]?.[0] ?? Infinity) <= at;
      const colour = (spans[span]?.start ?? Infinity) <= at ? spans[span]?.name : undefined;
      appendSegment(target, text.slice(at, next), [isChanged ? 'changed' : '', colour ?? ''].join(' ').trim());
      at = next;
    }
  }
}

/** Returns a text of several lines with marks for its invisible characters. */
export function visibleText(text: string): (Node | string)[] {
  return text.split(/\r?\n/).flatMap((line, at) => [...(at === 0 ? [] : ['\n']), ...marked(line)]);
}

function marked(text: string): (Node | string)[] {
  return pieces(text).map(({ text, hidden }) => (hidden === undefined ? text : mark(text, hidden)));
}

function appendSegment(target: Element, text: string, classes: string): void {
  const parts = marked(text);
  if (classes === '') {
    target.append(...parts);
  } else {
    target.append(el('span', { class: classes }, ...parts));
  }
}

/** Shows an invisible character by its name. The character itself is left out, except a tab. */
function mark(character: string, name: string): HTMLElement {
  return name === 'tab'
    ? el('span', { class: 'tab' }, character)
    : el('span', { class: 'hidden-character', title: 'A character that is not visible' }, name);
}
