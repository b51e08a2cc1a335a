// Renames by the language server of VS Code.
import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { stage } from './support/stage';
import { until } from './support/until';

const SHOP = 'export class Cart {\n  total(): number {\n    return 1;\n  }\n}\n';
/** The type of `cart` is inferred. */
const USED = "import { make } from './make';\nconst cart = make();\nconsole.log('é', cart.total());\n";
const MAKE =
  "import { Cart } from './shop';\nexport const make = () => new Cart();\nexport const other = { total: () => 2 };\n";

interface Renamed {
  files: { path: string; matches: { by?: string }[] }[];
}

const scene = stage({
  configuration: 'review = "off"',
  settings: { 'files.autoSave': 'off' },
  files: {
    'tsconfig.json': '{ "compilerOptions": { "strict": true }, "include": ["*.ts"] }\n',
    'shop.ts': SHOP,
    'used.ts': USED,
    'make.ts': MAKE,
  },
});

scene('the language server renames open, unsaved and closed files', async ({ window, agent, files }) => {
  await window.open('shop.ts');
  await window.open('used.ts');
  await window.type({ after: 'cart.total());' }, ' // typed');
  // It loads the project for its first request, which can take longer than a rename may.
  await until(
    'the language server renames',
    () =>
      window.evaluate(async ({ vscode }, path) => {
        const position = new vscode.Position(1, 3);
        const edit = await vscode.commands
          .executeCommand<vscode.WorkspaceEdit | undefined>(
            'vscode.executeDocumentRenameProvider',
            vscode.Uri.file(path),
            position,
            'sumAll',
          )
          .then(undefined, () => undefined);
        return edit?.size ?? 0;
      }, files.path('shop.ts')),
    (count) => count === 2,
    { within: 60_000 },
  );
  await agent.read('shop.ts');
  const edits = [{ symbol: 'Cart.total', op: 'rename', newText: 'sumAll' }];
  const done = await agent.call<Renamed>('editd/edit', { path: files.path('shop.ts'), edits });
  assert.deepEqual(
    done.files.map(({ matches }) => matches[0]?.by),
    ['language server', 'language server'],
  );
  await window.shows('shop.ts', { text: SHOP.replace('total', 'sumAll'), dirty: false });
  await window.shows('used.ts', { text: USED.replace('total());', 'sumAll()); // typed'), dirty: true });
  assert.equal(files.read('used.ts'), USED);
  assert.equal(files.read('make.ts'), MAKE);
});
