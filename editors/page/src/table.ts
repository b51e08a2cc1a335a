// A table of lines: side by side, or below each other.
import type { Colours, Span } from './colours';
import { el } from './dom';
import { appendLine } from './lineText';
import { type Pair, pairLines } from './pairs';
import type { Row } from './rows';
import type { Range } from './words';

export type Layout = 'split' | 'unified';

/** Colours of both texts of a file, once they are known. */
export interface Palette {
  old?: Colours;
  new?: Colours;
}

interface Drawn {
  row: Row;
  /** Changed words, if the line has a version on the other side. */
  words: readonly Range[] | undefined;
}

/** A line of the table: both sides of an unchanged line, or the versions of a changed one. */
type Drawing = { same: Row } | { old?: Drawn; new?: Drawn };

/** Creates the table of consecutive rows. Lines that are all new or all old need no second side. */
export function tableOf(rows: readonly Row[], chosen: Layout, palette: Palette): HTMLTableElement {
  const [first] = rows;
  const isOneSided = first?.kind !== 'same' && rows.every(({ kind }) => kind === first?.kind);
  const layout = isOneSided ? 'unified' : chosen;
  const body = el('tbody');
  for (const drawing of drawingsOf(rows)) {
    body.append(...(layout === 'split' ? [splitRow(drawing, palette)] : unifiedRows(drawing, palette)));
  }
  if (layout === 'unified') {
    removedFirst(body);
  }
  return el('table', { class: `lines ${layout}`, 'aria-label': 'Lines' }, columns(layout), body);
}

/** Creates the columns. Without them, the first row would decide about their widths. */
function columns(layout: Layout): HTMLTableColElement {
  const [number, text] = [(): HTMLElement => el('col', { class: 'number' }), (): HTMLElement => el('col')];
  const all = layout === 'split' ? [number(), text(), number(), text()] : [number(), number(), text()];
  return el('colgroup', {}, ...all);
}

/** Groups rows: each run of old and new lines is paired. */
function drawingsOf(rows: readonly Row[]): Drawing[] {
  const drawings: Drawing[] = [];
  let [old, fresh]: [Row[], Row[]] = [[], []];
  const flush = (): void => {
    const text = (row: Row): string => row.line.text;
    const pairs = old.length + fresh.length > 0 ? pairLines(old.map(text), fresh.map(text)) : [];
    const [oldRows, newRows] = [old, fresh];
    drawings.push(...pairs.map((pair) => drawnPair(pair, oldRows, newRows)));
    [old, fresh] = [[], []];
  };
  for (const row of rows) {
    if (row.kind === 'same') {
      flush();
      drawings.push({ same: row });
    } else {
      (row.kind === 'old' ? old : fresh).push(row);
    }
  }
  flush();
  return drawings;
}

function drawnPair(pair: Pair, old: readonly Row[], fresh: readonly Row[]): Drawing {
  const before = pair.old === undefined ? undefined : old[pair.old];
  const after = pair.new === undefined ? undefined : fresh[pair.new];
  return {
    ...(before === undefined ? {} : { old: { row: before, words: pair.oldWords } }),
    ...(after === undefined ? {} : { new: { row: after, words: pair.newWords } }),
  };
}

function splitRow(drawing: Drawing, palette: Palette): HTMLTableRowElement {
  if ('same' in drawing) {
    const { same } = drawing;
    return el('tr', {}, number(same.old), code(same, palette), number(same.new), code(same, palette));
  }
  const cells = [drawing.old, drawing.new].flatMap((drawn) =>
    drawn === undefined
      ? [el('td', { class: 'none', colspan: 2 })]
      : [number(drawn.row.old ?? drawn.row.new), code(drawn.row, palette, drawn.words)],
  );
  return el('tr', {}, ...cells);
}

function unifiedRows(drawing: Drawing, palette: Palette): HTMLTableRowElement[] {
  if ('same' in drawing) {
    const { same } = drawing;
    return [el('tr', {}, number(same.old), number(same.new), code(same, palette))];
  }
  return [drawing.old, drawing.new].flatMap((drawn) =>
    drawn === undefined
      ? []
      : [
          el(
            'tr',
            { 'data-kind': drawn.row.kind },
            number(drawn.row.old),
            number(drawn.row.new),
            code(drawn.row, palette, drawn.words),
          ),
        ],
  );
}

/** Moves the removed lines of each run before the added ones. */
function removedFirst(body: HTMLElement): void {
  let added: Element | undefined;
  for (const row of [...body.children]) {
    const kind = row.getAttribute('data-kind');
    if (kind === null) {
      added = undefined;
    } else if (kind === 'new') {
      added ??= row;
    } else if (added !== undefined) {
      added.before(row);
    }
  }
}

function number(line: number | undefined): HTMLTableCellElement {
  return el('td', { class: 'number' }, line === undefined ? '' : String(line));
}

/** Very long lines that a person wants to see whole, also when they are drawn again. */
const whole = new WeakSet<Row>();

function code(row: Row, palette: Palette, words?: readonly Range[]): HTMLTableCellElement {
  const cell = el('td', { class: `code ${row.kind}` });
  appendLine(cell, {
    text: row.line.text,
    spans: spansOf(row, palette),
    words: row.kind === 'same' ? [] : words,
    isWhole: whole.has(row),
    expand: () => {
      whole.add(row);
      cell.replaceWith(code(row, palette, words));
    },
  });
  if (row.kind !== 'same' && row.line.ending.startsWith('\r')) {
    cell.append(el('span', { class: 'hidden-character', title: 'A carriage return' }, 'CR'));
  } else if (row.line.ending === '') {
    cell.append(el('span', { class: 'hidden-character', title: 'The last line has no line ending' }, 'no line ending'));
  }
  return cell;
}

function spansOf(row: Row, palette: Palette): Span[] {
  if (row.kind !== 'old' && row.new !== undefined && palette.new !== undefined) {
    return palette.new.of(row.new);
  }
  return row.old === undefined ? [] : (palette.old?.of(row.old) ?? []);
}
