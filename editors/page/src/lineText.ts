// The text of a line, with its colours, changed words and invisible characters.
import type { Span } from './colours';
import { button, el } from './dom';
import { count } from './names';
import { pieces } from './visible';
import type { Range } from './words';

/** Number of characters of a line that are shown at first. */
const SHOWN = 1000;

export interface LineParts {
  text: string;
  spans: readonly Span[];
  words: readonly Range[];
}

/** Appends a line to an element. The rest of a very long line follows a button. */
export function appendLine(target: Element, line: LineParts): void {
  const { text } = line;
  appendUpTo(target, line, Math.min(text.length, SHOWN));
  if (text.length > SHOWN) {
    const more = button(`… ${count(text.length - SHOWN, 'more character')}`, () => {
      target.replaceChildren();
      appendUpTo(target, line, text.length);
    });
    more.classList.add('more');
    target.append(more);
  }
}

function appendUpTo(target: Element, { text, spans, words }: LineParts, end: number): void {
  const ends = new Set([end]);
  for (const [from, to] of [...words, ...spans.map(({ start, end }) => [start, end] as const)]) {
    ends.add(Math.min(from, end)).add(Math.min(to, end));
  }
  let [at, word, span] = [0, 0, 0];
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
