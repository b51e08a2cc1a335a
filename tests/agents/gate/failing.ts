// A tool fails after editd has let it go on.
import assert from 'node:assert/strict';
import { CART, EDIT, EDITED } from './cart.ts';
import type { Scene } from './scene.ts';
import type { Setting } from './setting.ts';

const REASON = 'Another plugin wants no test.';

/** A plugin of the user that runs after that of editd. */
const PLUGIN = `export const Other = async () => ({
  'tool.execute.before': async ({ tool }, { args }) => {
    if (tool !== 'read' && JSON.stringify(args).includes('# test')) {
      throw new Error('${REASON}');
    }
  },
});
`;

const refusing: Setting = {
  name: 'with a plugin that refuses edits',
  config: '',
  arrange: (place) => {
    place.configure('.config/opencode/plugin/other.js', PLUGIN);
    return Promise.resolve();
  },
};

/** editd holds back an edit while another of the same file is made, so it must know that one has failed. */
export const fails: Scene = {
  name: 'A tool fails',
  setting: refusing,
  files: { 'cart.py': CART },
  usually: 'made',
  play: async (desk, model) => {
    await model.reads('cart.py');
    const [failed, made] = await model.editsAll([['cart.py', 'def total(items):', 'def total(items): # test'], EDIT]);
    assert.match(failed ?? '', new RegExp(REASON));
    await desk.ends(made ?? '', EDITED);
  },
};
