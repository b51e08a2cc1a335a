/** Comments for the authors of proposals, in comment threads of VS Code. */
import * as vscode from 'vscode';

import type { Actions } from './actions';
import { ask } from './notifications';
import { placesIn, touched } from './places';
import type { Store } from './store';
import type { HunkSubject } from './subject';
import { placesAt } from './target';
import { addressOf, uriOf } from './uris';
import { nameOf } from './labels';

interface Thread {
  /** Undefined if there was no hunk at the thread when the comment was written. */
  subject: HunkSubject | undefined;
  readonly thread: vscode.CommentThread;
  /** Comments that the daemon has not received. */
  unsent: readonly string[];
}

export class Comments implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('editd', 'editd');
  private threads: Thread[] = [];
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {
    this.controller.options = {
      prompt: 'Comment for the agent',
      placeHolder: 'The agent receives it with your decision',
    };
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: (document) => this.ranges(document),
    };
    this.subscriptions = vscode.Disposable.from(
      this.controller,
      store.onDidEnd(({ proposal, outcome }) => {
        this.endThreads(proposal.id, outcome !== undefined);
      }),
      store.onDidChange(() => {
        this.update();
      }),
      vscode.workspace.onDidCloseTextDocument(() => {
        this.update();
      }),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** Sends a comment to the daemon. If that fails, the comment stays in its thread as unsent. */
  async send({ thread, text }: vscode.CommentReply): Promise<void> {
    const entry = this.entryOf(thread);
    entry.subject ??= this.subjectAt(thread);
    const { subject } = entry;
    const others = entry.unsent.filter((each) => each !== text);
    // The comment counts as unsent until the daemon has received it, so that the thread is not removed.
    entry.unsent = [...others, text];
    show(entry, this.receivedComments(subject));
    if (!subject) {
      this.warnUnsent(thread, text);
    } else if (await this.actions.comment(subject.id, { path: subject.path, hunk: subject.hunk }, text)) {
      entry.unsent = others;
      this.update();
    }
  }

  private entryOf(thread: vscode.CommentThread): Thread {
    const known = this.threads.find((each) => each.thread === thread);
    if (known) {
      return known;
    }
    const entry: Thread = { subject: undefined, thread, unsent: [] };
    this.threads.push(entry);
    return entry;
  }

  private warnUnsent(thread: vscode.CommentThread, text: string): void {
    const reason = this.store.isReady ? 'there is no longer a change here' : 'editd is not connected';
    void ask('warning', `Your comment was not sent: ${reason}. It is kept in its thread.`, {
      'Send Again': () => this.send({ thread, text }),
    });
  }

  private ranges(document: vscode.TextDocument): vscode.Range[] {
    if (addressOf(document.uri)?.side === 'base') {
      return [];
    }
    const last = document.lineCount - 1;
    return placesAt(this.store, document.uri).flatMap(({ places }) =>
      places.map(({ start, lines }) => {
        const first = Math.min(start, last);
        return new vscode.Range(first, 0, Math.min(Math.max(first + lines - 1, first), last), 0);
      }),
    );
  }

  private subjectAt(thread: vscode.CommentThread): HunkSubject | undefined {
    const line = thread.range?.end.line ?? 0;
    for (const { id, path, places } of placesAt(this.store, thread.uri)) {
      const [place] = touched(places, thread.range?.start.line ?? line, line);
      if (place) {
        return { kind: 'hunk', id, path, hunk: place.hunk.id };
      }
    }
    return undefined;
  }

  /** Returns the comments on a hunk that the daemon has received. */
  private receivedComments(subject: HunkSubject | undefined): string[] {
    const comments = subject ? (this.store.get(subject.id)?.comments ?? []) : [];
    return comments.filter(({ hunk }) => hunk === subject?.hunk).map(({ text }) => text);
  }

  private endThreads(id: string, decidedHere: boolean): void {
    const ended = this.threads.filter(({ subject }) => subject?.id === id);
    const unsent = ended.filter((each) => each.unsent.length > 0);
    if (unsent.length > 0) {
      const names = [...new Set(unsent.map(({ thread }) => nameOf(thread.uri.path)))].join(', ');
      const texts = unsent.flatMap((each) => each.unsent).join('\n');
      void ask('warning', `Your comment in ${names} was not sent, because its proposal has ended.`, {
        'Copy the Comment': () => vscode.env.clipboard.writeText(texts),
      });
    }
    if (decidedHere) {
      this.remove(ended.filter((each) => each.unsent.length === 0));
    }
  }

  private remove(gone: readonly Thread[]): void {
    gone.forEach(({ thread }) => {
      thread.dispose();
    });
    this.threads = this.threads.filter((each) => !gone.includes(each));
  }

  /** Updates the comments and moves threads to the current lines of their hunks. */
  private update(): void {
    if (!this.store.isReady) {
      return;
    }
    // VS Code does not report unfinished replies, and removes them with their thread. If another client has decided the
    // proposal, the thread stays while its document is open, so that the user can finish or copy the reply.
    const isOver = ({ subject }: Thread) => subject !== undefined && !this.store.get(subject.id);
    this.remove(
      this.threads.filter((each) => isOver(each) && each.unsent.length === 0 && !isOpenDocument(each.thread.uri)),
    );
    for (const proposal of this.store.pending) {
      for (const file of proposal.files) {
        for (const { hunk } of placesIn(file, 'proposed')) {
          const subject: HunkSubject = { kind: 'hunk', id: proposal.id, path: file.path, hunk: hunk.id };
          this.placeThreads(subject, this.receivedComments(subject));
        }
      }
    }
  }

  private placeThreads(subject: HunkSubject, texts: readonly string[]): void {
    const isAbout = (each: Thread) => each.subject?.id === subject.id && each.subject.hunk === subject.hunk;
    let threads = this.threads.filter(isAbout);
    if (threads.length === 0 && texts.length > 0) {
      const uri = uriOf(subject.id, 'proposed', subject.path);
      const thread = this.controller.createCommentThread(uri, new vscode.Range(0, 0, 0, 0), []);
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
      threads = [{ subject, thread, unsent: [] }];
      this.threads.push(...threads);
    }
    for (const entry of threads) {
      const { thread } = entry;
      const places = placesAt(this.store, thread.uri).flatMap(({ id, places: all }) => (id === subject.id ? all : []));
      const place = places.find(({ hunk }) => hunk.id === subject.hunk);
      if (place) {
        const line = place.start + Math.max(place.lines - 1, 0);
        thread.range = new vscode.Range(line, 0, line, 0);
      }
      show(entry, texts);
    }
  }
}

function show({ thread, unsent }: Thread, sent: readonly string[]): void {
  thread.label = 'For the agent';
  thread.comments = [
    ...sent.map((text) => commentOf(text)),
    ...unsent.map((text) => ({ ...commentOf(text), label: 'not sent' })),
  ];
}

function commentOf(text: string): vscode.Comment {
  return {
    body: new vscode.MarkdownString().appendText(text),
    mode: vscode.CommentMode.Preview,
    author: { name: 'You' },
  };
}

function isOpenDocument(uri: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
}
