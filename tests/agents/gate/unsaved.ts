// The file has unsaved text in an editor.
import assert from 'node:assert/strict';
import { Editor } from '../support/editor.ts';
import { meanwhile } from '../support/meanwhile.ts';
import { Neovim } from '../support/nvim.ts';
import { CART, EDIT, EDITED } from './cart.ts';
import type { Scene } from './scene.ts';
import { usual } from './setting.ts';

const TYPED = '# typed by the person\n';

export const unsaved: Scene = {
  name: 'The file has unsaved text in an editor',
  setting: usual,
  files: { 'cart.py': CART },
  usually: 'made by editd',
  play: async (desk, model) => {
    const [editor, path] = [await Editor.start(desk.place), desk.path('cart.py')];
    try {
      await editor.open(path);
      await editor.type(path, TYPED);
      await model.reads('cart.py');
      const shown = await model.edits(...EDIT);
      await desk.ends(shown, { ...EDITED, after: CART });
      assert.equal(editor.text(path), TYPED + EDITED.after);
      await model.edits('cart.py', '        return amount', '        return -amount');
      const twice = TYPED + EDITED.after.replace('return amount', 'return -amount');
      assert.equal(editor.text(path), twice);
      assert.equal(desk.text('cart.py'), CART);
      await editor.save(path);
      assert.equal(desk.text('cart.py'), twice);
    } finally {
      editor.close();
    }
  },
};

export const unsavedInNeovim: Scene = {
  name: 'The file has unsaved text in Neovim, and the person accepts the edit there',
  setting: usual,
  files: { 'cart.py': CART },
  usually: 'made by editd',
  play: async (desk, model) => {
    const neovim = await Neovim.open(desk.place, desk.path('cart.py'));
    try {
      await neovim.types('Go<C-u># typed by the person<Esc>', CART + TYPED);
      await model.reads('cart.py');
      const shown = await meanwhile(model.edits(...EDIT), neovim.accepts());
      await desk.ends(shown, { ...EDITED, after: CART });
      assert.equal(await neovim.text(), EDITED.after + TYPED);
      assert.equal(desk.text('cart.py'), CART);
      await neovim.saves();
      assert.equal(desk.text('cart.py'), EDITED.after + TYPED);
    } finally {
      await neovim.close();
    }
  },
};
