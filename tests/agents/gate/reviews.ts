// A person decides about an edit before it is made.
import assert from 'node:assert/strict';
import { meanwhile } from '../support/meanwhile.ts';
import { type Decision, decidesNext } from '../support/person.ts';
import type { Desk, Edited } from './desk.ts';
import type { Hands, Replacement } from './hands.ts';
import type { Scene } from './scene.ts';
import { reviewed } from './setting.ts';

const LINES = 'one\ntwo\nthree\nfour\nfive\n';
const EDIT: Replacement = ['lines.txt', 'two\nthree\nfour', '2\nthree\n4'];

const files = { 'lines.txt': LINES };

/** Makes the edit and the decision, and asserts the outcome. Returns what the model was shown. */
async function decided(desk: Desk, model: Hands, decision: Decision, edited: Partial<Edited>): Promise<string> {
  await model.reads('lines.txt');
  const shown = await meanwhile(model.edits(...EDIT), decidesNext(desk.place, decision));
  await desk.ends(shown, { name: 'lines.txt', before: LINES, after: LINES, ...edited });
  return shown;
}

export const accepted: Scene = {
  name: 'A person accepts the edit',
  setting: reviewed,
  files,
  usually: 'made',
  play: async (desk, model) => {
    await decided(desk, model, { accept: 'all' }, { after: 'one\n2\nthree\n4\nfive\n' });
  },
};

export const rejected: Scene = {
  name: 'A person rejects the edit, with a comment',
  setting: reviewed,
  files,
  usually: 'refused',
  play: async (desk, model) => {
    const reason = /rejected this change[^]*Keep it in words\./;
    await decided(desk, model, { reject: 'all', comment: 'Keep it in words.' }, { reason });
  },
};

export const partly: Scene = {
  name: 'A person accepts one hunk of two',
  setting: reviewed,
  files,
  usually: 'made in part',
  play: async (desk, model) => {
    const shown = await decided(desk, model, { accept: ['h1'], reject: ['h2'] }, { after: LINES.replace('two', '2') });
    assert.match(shown, /accepted only a part/);
  },
};

export const corrected: Scene = {
  name: 'A person corrects the edit',
  setting: reviewed,
  files,
  usually: 'corrected',
  play: async (desk, model) => {
    const after = 'one\nII\nthree\nIV\nfive\n';
    const shown = await decided(desk, model, { replace: after }, { after });
    assert.match(shown, /corrected this change[^]*\+II/);
  },
};
