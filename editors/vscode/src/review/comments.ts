/** Comments for authors, in the editor's own threads. */
import * as vscode from 'vscode';

import type { Actions } from './actions';
import { placesIn, touched } from './places';
import type { Store } from './store';
import type { HunkSubject } from './subject';
import { placesAt } from './target';
import { addressOf, uriOf } from './uris';

interface Thread {
  readonly subject: HunkSubject;
  readonly thread: vscode.CommentThread;
}

export class Comments implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('editd', 'editd');
  private threads: Thread[] = [];
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {
    this.controller.options = { prompt: 'Comment for the agent', placeHolder: 'The agent gets it with your decision' };
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: (document) => this.ranges(document),
    };
    this.subscriptions = vscode.Disposable.from(
      this.controller,
      store.onDidChange(() => {
        this.update();
      }),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** What was written into a thread goes to the daemon at once. */
  async send({ thread, text }: vscode.CommentReply): Promise<void> {
    const subject = this.threads.find((each) => each.thread === thread)?.subject ?? this.subjectAt(thread);
    if (!subject) {
      thread.dispose();
      return;
    }
    if (!this.threads.some((each) => each.thread === thread)) {
      this.threads.push({ subject, thread });
    }
    if (!(await this.actions.comment(subject.id, { path: subject.path, hunk: subject.hunk }, text))) {
      show(thread, [...thread.comments.map(({ body }) => bodyOf(body)), `${text} (not sent)`]);
    }
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

  /** Shows what the daemon has, where the hunks are now. */
  private update(): void {
    if (!this.store.isReady) {
      return;
    }
    const gone = this.threads.filter(({ subject }) => !this.store.get(subject.id));
    gone.forEach(({ thread }) => {
      thread.dispose();
    });
    this.threads = this.threads.filter((each) => !gone.includes(each));
    for (const proposal of this.store.pending) {
      for (const file of proposal.files) {
        for (const { hunk } of placesIn(file, 'proposed')) {
          const texts = (proposal.comments ?? []).filter((each) => each.hunk === hunk.id).map(({ text }) => text);
          const subject: HunkSubject = { kind: 'hunk', id: proposal.id, path: file.path, hunk: hunk.id };
          this.place(subject, texts);
        }
      }
    }
  }

  private place(subject: HunkSubject, texts: readonly string[]): void {
    const isAbout = (each: Thread) => each.subject.id === subject.id && each.subject.hunk === subject.hunk;
    let threads = this.threads.filter(isAbout);
    if (threads.length === 0 && texts.length > 0) {
      const uri = uriOf(subject.id, 'proposed', subject.path);
      const thread = this.controller.createCommentThread(uri, new vscode.Range(0, 0, 0, 0), []);
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
      threads = [{ subject, thread }];
      this.threads.push(...threads);
    }
    for (const { thread } of threads) {
      const places = placesAt(this.store, thread.uri).flatMap(({ id, places: all }) => (id === subject.id ? all : []));
      const place = places.find(({ hunk }) => hunk.id === subject.hunk);
      if (place) {
        const line = place.start + Math.max(place.lines - 1, 0);
        thread.range = new vscode.Range(line, 0, line, 0);
      }
      show(thread, texts);
    }
  }
}

function show(thread: vscode.CommentThread, texts: readonly string[]): void {
  thread.label = 'For the agent';
  thread.comments = texts.map((text) => ({
    body: new vscode.MarkdownString().appendText(text),
    mode: vscode.CommentMode.Preview,
    author: { name: 'You' },
  }));
}

function bodyOf(body: string | vscode.MarkdownString): string {
  return typeof body === 'string' ? body : body.value;
}
