// Edits by sub-agents.
import assert from 'node:assert/strict';
import { CART, EDIT, EDITED } from './cart.ts';
import type { Desk } from './desk.ts';
import type { Hands } from './hands.ts';
import type { Never, Scene } from './scene.ts';
import { delegated } from './setting.ts';

const [FIRST, SECOND, THIRD] = ['the first helper', 'the second helper', 'the third helper'];

const files = { 'cart.py': CART };

const none: Never = { never: 'no sub-agents' };

async function delegate({ program: { subAgents } }: Desk, { stage }: Hands, helper: string): Promise<void> {
  await subAgents?.delegate(stage, `You are ${helper}: change cart.py.`);
}

export const onlyRead: Scene = {
  name: 'A sub-agent edits a file that only another agent has read',
  setting: delegated,
  files,
  usually: 'refused',
  except: { codex: none, codexInCode: 'made', gemini: 'made', pi: none },
  play: async (desk, model) => {
    await model.reads('cart.py');
    await delegate(desk, model, FIRST);
  },
  helpers: {
    [FIRST]: async (desk, model) => {
      await desk.ends(await model.edits(...EDIT), { ...EDITED, reason: /has not been read/ });
    },
  },
};

export const named: Scene = {
  name: 'Two sub-agents edit a file',
  setting: delegated,
  files,
  usually: 'named',
  except: { codex: none, gemini: 'not named', pi: none },
  play: async (desk, model) => {
    await delegate(desk, model, SECOND);
    await delegate(desk, model, THIRD);
    assert.equal(desk.text('cart.py'), EDITED.after.replace('return amount', 'return -amount'));
    const log = await desk.log();
    const agents = log.map(({ origin }) => origin?.agent);
    assert.equal(log.length, 2);
    assert.equal(new Set(agents).size, desk.outcome === 'named' ? 2 : 1);
    for (const agent of agents.filter((each) => each !== undefined)) {
      assert.equal((await desk.log('--agent', agent)).length, 1);
    }
    assert.equal((await desk.log('--agent', 'none')).length, 0);
  },
  helpers: {
    [SECOND]: async (desk, model) => {
      await model.reads('cart.py');
      await desk.ends(await model.edits(...EDIT), EDITED);
    },
    [THIRD]: async (desk, model) => {
      await model.reads('cart.py');
      const shown = await model.edits('cart.py', '        return amount', '        return -amount');
      assert.match(shown, desk.program.succeeded);
    },
  },
};
