// Agent programs with their own tools and without editd, as a base for tests with it.
import assert from 'node:assert/strict';
import { claude } from './native/claude.ts';
import { codex, codexInCode } from './native/codex.ts';
import { gemini } from './native/gemini.ts';
import { opencode, opencodeWithPatches } from './native/opencode.ts';
import { pi } from './native/pi.ts';
import { type NativeProgram, work } from './native/program.ts';
import { scene } from './support/place.ts';

const CART = 'def total(items):\n    return sum(items)\n';

function edits(program: NativeProgram): void {
  const { tools } = program;
  scene(`${program.name} reads and edits with its own tools`, { 'cart.py': CART }, async (place) => {
    await work(program, place, async (model) => {
      const path = place.path('cart.py');
      assert.match(await model.callOwn(...tools.read(path)), /return sum\(items\)/);
      await model.callOwn(...tools.edit(path, '    return sum(items)', '    return max(items)'));
    });
    assert.equal(place.read('cart.py'), CART.replace('sum', 'max'));
  });
}

for (const program of [claude, codex, codexInCode, opencode, opencodeWithPatches, gemini, pi]) {
  edits(program);
}
