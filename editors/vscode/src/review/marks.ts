/** Decorations on the lines of open files that a proposal would change, or that a command has changed. */
import * as vscode from 'vscode';

import { config, onDidChangeConfig } from '../config';
import type { FileEntry, Hunk, ProposalResult } from '../daemon/wire';
import { errorsIn, type Place, placesInFile } from './places';
import type { Store } from './store';
import { conflictNote, hunkDiff, syntaxNote, titleOf } from './labels';

type Kind = 'pending' | 'landed' | 'deleted' | 'conflicted';

const KINDS = ['pending', 'landed', 'deleted', 'conflicted'] as const;

interface Mark {
  readonly kind: Kind;
  readonly isBetween: boolean;
  readonly options: vscode.DecorationOptions;
}

const COLORS: Record<Kind, string> = {
  pending: 'charts.yellow',
  landed: 'charts.green',
  deleted: 'charts.red',
  conflicted: 'list.warningForeground',
};

export class Marks implements vscode.Disposable {
  private readonly lines = {
    pending: lineType('pending'),
    landed: lineType('landed'),
    deleted: lineType('deleted'),
    conflicted: lineType('conflicted'),
  };
  private readonly between = {
    pending: betweenType('pending'),
    landed: betweenType('landed'),
    deleted: betweenType('deleted'),
    conflicted: betweenType('conflicted'),
  };
  private readonly subscriptions: vscode.Disposable;

  constructor(private readonly store: Store) {
    const update = () => {
      vscode.window.visibleTextEditors.forEach((editor) => {
        this.show(editor);
      });
    };
    this.subscriptions = vscode.Disposable.from(
      ...Object.values(this.lines),
      ...Object.values(this.between),
      store.onDidChange(update),
      vscode.window.onDidChangeVisibleTextEditors(update),
      onDidChangeConfig(['review.decorations'], update),
    );
    update();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private show(editor: vscode.TextEditor): void {
    const { uri } = editor.document;
    if (uri.scheme !== 'file') {
      return;
    }
    const about = config.decorations ? this.store.about(uri) : [];
    const marks = about.flatMap(({ proposal, file }) =>
      placesInFile(file).flatMap((place) => markOf(editor.document, proposal, file, place)),
    );
    for (const kind of KINDS) {
      for (const [types, isBetween] of [
        [this.lines, false],
        [this.between, true],
      ] as const) {
        const shown = marks.filter((mark) => mark.kind === kind && mark.isBetween === isBetween);
        editor.setDecorations(
          types[kind],
          shown.map(({ options }) => options),
        );
      }
    }
  }
}

function markOf(document: vscode.TextDocument, proposal: ProposalResult, file: FileEntry, place: Place): Mark[] {
  const { hunk, start, lines } = place;
  if (hunk.state !== 'pending' && hunk.state !== 'conflicted') {
    return [];
  }
  const first = Math.min(start, document.lineCount - 1);
  const last = Math.min(Math.max(start + lines - 1, first), document.lineCount - 1);
  const options = { range: new vscode.Range(first, 0, last, 0), hoverMessage: hoverOf(proposal, file, hunk) };
  return [{ kind: kindOf(file, hunk, hunk.state), isBetween: lines === 0, options }];
}

function kindOf({ isLanded }: FileEntry, hunk: Hunk, state: 'pending' | 'conflicted'): Kind {
  if (state === 'pending' && hunk.newLines === 0 && hunk.oldLines > 0) {
    return 'deleted';
  }
  return state === 'pending' && isLanded ? 'landed' : state;
}

function hoverOf(proposal: ProposalResult, file: FileEntry, hunk: Hunk): vscode.MarkdownString {
  const hover = new vscode.MarkdownString().appendText(titleOf(proposal));
  if (hunk.state === 'conflicted') {
    hover.appendText(`\n${conflictNote(file)}`);
  }
  for (const error of errorsIn(file, hunk)) {
    hover.appendText(`\n${syntaxNote(error)}`);
  }
  return hover.appendCodeblock(hunkDiff(file, hunk).slice(0, 4000), 'diff');
}

function lineType(kind: Kind): vscode.TextEditorDecorationType {
  const color = new vscode.ThemeColor(COLORS[kind]);
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor(`editd.${kind}Line`),
    ...(kind === 'deleted' && { textDecoration: 'line-through' }),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    borderColor: color,
    overviewRulerColor: color,
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
}

/** A rule above the line before which lines would be inserted. */
function betweenType(kind: Kind): vscode.TextEditorDecorationType {
  const color = new vscode.ThemeColor(COLORS[kind]);
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderStyle: 'solid',
    borderWidth: '2px 0 0 0',
    borderColor: color,
    overviewRulerColor: color,
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
}
