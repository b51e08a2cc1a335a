// An editor without the plugin of editd: it announces its documents over LSP, and applies the edits of the daemon.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Connection, type Fields } from './connection.ts';
import type { Place } from './place.ts';

interface Position {
  line: number;
  character: number;
}

interface Edit {
  range: { start: Position; end: Position };
  newText: string;
}

interface Changes {
  documentChanges: { textDocument: { uri: string; version: number }; edits: Edit[] }[];
}

interface Document {
  text: string;
  version: number;
}

export class Editor {
  private readonly documents = new Map<string, Document>();
  private connection: Connection | undefined;

  private constructor() {
    // `start` connects it.
  }

  static async start(place: Place): Promise<Editor> {
    await place.editd('log'); // starts the daemon
    const editor = new Editor();
    const introduction = {
      clientInfo: { name: 'editor' },
      capabilities: { workspace: { applyEdit: true } },
      rootUri: pathToFileURL(place.work).href,
    };
    editor.connection = await Connection.open(place, introduction, (method, params) => editor.serve(method, params));
    return editor;
  }

  /** Opens a file, and returns when the daemon knows it. */
  async open(path: string): Promise<void> {
    const uri = pathToFileURL(path).href;
    const document = { text: readFileSync(path, 'utf8'), version: 1 };
    this.documents.set(uri, document);
    this.connection?.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'text', ...document } });
    await this.settle();
  }

  /** Selects a line of a document, from 1, and returns when the daemon knows it. */
  async select(path: string, line: number): Promise<void> {
    const selection = { start: { line: line - 1, character: 0 }, end: { line, character: 0 } };
    this.connection?.notify('editd/focus', { uri: pathToFileURL(path).href, selection });
    await this.settle();
  }

  /** Types at the start of a document, and returns when the daemon knows it. */
  async type(path: string, text: string): Promise<void> {
    const start = { line: 0, character: 0 };
    this.change(pathToFileURL(path).href, [{ range: { start, end: start }, newText: text }]);
    await this.settle();
  }

  text(path: string): string {
    return this.document(pathToFileURL(path).href).text;
  }

  /** Saves a document, and returns when the daemon knows it. */
  async save(path: string): Promise<void> {
    writeFileSync(path, this.text(path));
    this.connection?.notify('textDocument/didSave', { textDocument: { uri: pathToFileURL(path).href } });
    await this.settle();
  }

  close(): void {
    this.connection?.close();
  }

  /** Waits for an answer, after which the daemon has processed all messages before. */
  private async settle(): Promise<void> {
    await this.connection?.call('editd/status', {});
  }

  private document(uri: string): Document {
    const document = this.documents.get(uri);
    if (document === undefined) {
      throw new Error(`${uri} is not open`);
    }
    return document;
  }

  private serve(method: string, params: Fields): unknown {
    if (method !== 'workspace/applyEdit') {
      return null;
    }
    const { documentChanges } = params['edit'] as Changes;
    const isCurrent = documentChanges.every(
      ({ textDocument: { uri, version } }) => this.documents.get(uri)?.version === version,
    );
    if (isCurrent) {
      for (const { textDocument, edits } of documentChanges) {
        this.change(textDocument.uri, edits);
      }
    }
    return { applied: isCurrent };
  }

  /** Changes a document and tells the daemon. The edits refer to the text before. */
  private change(uri: string, edits: readonly Edit[]): void {
    const document = this.document(uri);
    for (const { range, newText } of [...edits].reverse()) {
      const [start, end] = [offset(document.text, range.start), offset(document.text, range.end)];
      document.text = document.text.slice(0, start) + newText + document.text.slice(end);
    }
    document.version += 1;
    this.connection?.notify('textDocument/didChange', {
      textDocument: { uri, version: document.version },
      contentChanges: [{ text: document.text }],
    });
  }
}

function offset(text: string, { line, character }: Position): number {
  const before = text.split('\n').slice(0, line);
  return before.reduce((sum, each) => sum + each.length + 1, character);
}
