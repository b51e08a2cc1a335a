// The daemon cannot be started.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CART, EDIT, EDITED } from './cart.ts';
import type { Scene } from './scene.ts';
import { alone, aloneReviewed } from './setting.ts';

const files = { 'cart.py': CART };

const WARNING = /editd does not check changes now/g;

export const failsOpen: Scene = {
  name: 'The daemon cannot be started',
  setting: alone,
  files,
  usually: 'made, with a warning',
  play: async (desk, model) => {
    assert.match(await model.edits(...EDIT), desk.program.succeeded);
    assert.match(
      await model.edits('cart.py', '        return amount', '        return -amount'),
      desk.program.succeeded,
    );
    assert.equal(desk.text('cart.py'), EDITED.after.replace('return amount', 'return -amount'));
  },
  written: (text, { place, program }) => {
    assert.equal(text.match(WARNING)?.length ?? 0, program.showsWarnings ? 1 : 0, text);
    assert.equal(readdirSync(join(place.state, 'notices')).length, 1, 'the warning is given once');
  },
};

export const failsClosed: Scene = {
  name: 'The daemon cannot be started, and a review is required',
  setting: aloneReviewed,
  files,
  usually: 'refused',
  play: async (desk, model) => {
    const shown = await model.edits(...EDIT);
    assert.match(shown, /editd must check this change/);
    desk.refuses(shown);
    assert.equal(desk.text('cart.py'), CART);
  },
};
