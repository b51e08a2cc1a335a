// Tools that write a whole file.
import assert from 'node:assert/strict';
import { CART, EDITED } from './cart.ts';
import type { Scene } from './scene.ts';
import { usual } from './setting.ts';

const [OLD, NEW] = ['one\n', 'two\n'];
const WRITTEN = { name: 'notes.txt', before: OLD, after: NEW };

/** A patch that adds a file does not mean one that exists. */
const adds = { codex: 'refused', codexInCode: 'refused', opencodeWithPatches: 'refused' } as const;

export const overUnread: Scene = {
  name: 'A file is written over one that was not read',
  setting: usual,
  files: { 'notes.txt': OLD },
  usually: 'refused',
  play: async (desk, model) => {
    await desk.ends(await model.writes('notes.txt', NEW), { ...WRITTEN, reason: /has not been read|exists/ });
  },
};

export const overRead: Scene = {
  name: 'A file is written over one that was read',
  setting: usual,
  files: { 'notes.txt': OLD },
  usually: 'made',
  except: adds,
  play: async (desk, model) => {
    await model.reads('notes.txt');
    await desk.ends(await model.writes('notes.txt', NEW), { ...WRITTEN, reason: /exists/ });
  },
};

export const created: Scene = {
  name: 'A new file',
  setting: usual,
  files: {},
  usually: 'made',
  play: async (desk, model) => {
    await desk.ends(await model.writes('lib/cart.py', CART), {
      ...EDITED,
      name: 'lib/cart.py',
      before: '',
      after: CART,
    });
    assert.equal((await desk.log())[0]?.files[0]?.action, 'create');
  },
};

export const secret: Scene = {
  name: 'A path rule protects the file',
  setting: usual,
  files: {},
  usually: 'refused',
  play: async (desk, model) => {
    for (const name of ['.env', 'tls/server.key']) {
      const reason = name === '.env' ? desk.program.refusesEnv : undefined;
      const edited = { name, before: '', after: '', reason: reason ?? /protected by the rule `secrets`/ };
      await desk.ends(await model.writes(name, 'KEY=1\n'), edited);
      assert.ok(!desk.has(name));
    }
  },
};
