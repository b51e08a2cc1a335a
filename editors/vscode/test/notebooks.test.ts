// Notebooks are open as cells, not as text.
import assert from 'node:assert/strict';
import { Refused } from './support/rpc';
import { stage } from './support/stage';
import { until } from './support/until';

const cell = { cell_type: 'code', id: 'first', metadata: {}, source: ['x = 1'], outputs: [], execution_count: null };
const notebook = `${JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;

const scene = stage({ configuration: 'review = "off"', files: { 'a.ipynb': notebook } });

scene(
  'a notebook is changed on disk while it is clean, and refused while it is dirty',
  async ({ window, agent, files }) => {
    await window.evaluate(async ({ vscode }, path) => {
      const opened = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path));
      await vscode.window.showNotebookDocument(opened);
    }, files.path('a.ipynb'));
    // Until the window has reported that the notebook is saved, a change is refused.
    const edited = (old: string, text: string): Promise<boolean> =>
      agent.edit({ 'a.ipynb': [[old, text]] }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Refused && error.kind === 'editor_refused') return false;
          throw error;
        },
      );
    await until('the change', () => edited('x = 1', 'x = 2'), Boolean);
    assert.match(files.read('a.ipynb'), /x = 2/);
    const source = (): Promise<string | undefined> =>
      window.evaluate(({ vscode }) => vscode.workspace.notebookDocuments[0]?.cellAt(0).document.getText());
    await until('the notebook shows the change', source, (text) => text === 'x = 2');

    await window.evaluate(async ({ vscode }) => {
      const [document] = vscode.workspace.notebookDocuments[0]?.getCells().map((each) => each.document) ?? [];
      const edit = new vscode.WorkspaceEdit();
      edit.insert((document ?? assert.fail()).uri, new vscode.Position(0, 5), ' + mine');
      await vscode.workspace.applyEdit(edit);
    });
    await until(
      'the daemon knows of the unsaved text',
      () => agent.call('editd/read', { path: 'a.ipynb' }),
      (read) => JSON.stringify(read).includes('unsaved text'),
    );
    const refusal = async (): Promise<unknown> => {
      try {
        await agent.edit({ 'a.ipynb': [['x = 2', 'x = 3']] });
        return undefined;
      } catch (error) {
        return error instanceof Refused ? error.kind : error;
      }
    };
    assert.equal(await refusal(), 'editor_refused');
    assert.match(files.read('a.ipynb'), /x = 2/);

    await window.evaluate(async ({ vscode }) => {
      await vscode.workspace.notebookDocuments[0]?.save();
    });
    await until('the change', () => edited('x = 2 + mine', 'x = 3 + mine'), Boolean);
    await until('the notebook shows both', source, (text) => text === 'x = 3 + mine');
  },
);
