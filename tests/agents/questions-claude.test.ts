// Claude Code on a terminal: its user is asked about a change that only a person can allow.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Script } from './model/conversation.ts';
import { Messages } from './model/messages.ts';
import { Model } from './model/model.ts';
import { claude } from './native/claude.ts';
import { type Place, scene } from './support/place.ts';
import { Terminal } from './support/terminal.ts';
import { installed } from './support/tools.ts';
import { until } from './support/until.ts';

const CI = '.github/workflows/ci.yml';
const FILES = { [CI]: 'on: push\n' };

/** Runs Claude Code with the server. `meanwhile` is the part of the person. */
async function play(place: Place, script: Script, meanwhile: (terminal: Terminal) => Promise<void>): Promise<void> {
  // The questions of the first start are answered, and the model calls the tools without a search for them.
  const mcpServers = { editd: { type: 'stdio', command: 'editd', args: ['mcp'], alwaysLoad: true } };
  const projects = { [place.work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  place.configure(
    '.claude.json',
    JSON.stringify({ hasCompletedOnboarding: true, theme: 'dark', projects, mcpServers }),
  );
  place.configure('.claude/settings.json', '{ "permissions": { "allow": ["mcp__editd"] } }');
  const model = new Model(new Messages(), 'mcp__editd__', script);
  const { env } = claude.configure(place, await model.listen());
  const { ANTHROPIC_API_KEY: token = '', ...rest } = env;
  const command = [
    installed('claude'),
    '--model',
    'claude-sonnet-5',
    '--permission-mode',
    'default',
    'Play your part.',
  ];
  const terminal = new Terminal(command, { ...place.env, ...rest, ANTHROPIC_AUTH_TOKEN: token }, place.work);
  try {
    await meanwhile(terminal);
    model.check();
  } catch (error) {
    throw new Error(`${String(error)}\n${terminal.text.slice(-3000)}`, { cause: error });
  } finally {
    terminal.kill();
    model.close();
  }
}

/** Calls the tool that changes the file. `answers` receives the answer. */
function change(answers: string[]): Script {
  return async (model) => {
    // The server starts beside the first request, and its tools are searched for.
    for (let tries = 0; tries < 50 && !model.tools.some(({ name }) => name === 'mcp__editd__edit'); tries += 1) {
      await pause(200);
      await model.callOwn('ToolSearch', { query: 'select:mcp__editd__read,mcp__editd__edit', max_results: 5 });
    }
    await model.call('read', { path: CI });
    answers.push(await model.call('edit', { path: CI, oldText: 'push', newText: 'pull_request' }));
  };
}

/** Keys of a terminal. */
const [RIGHT, DOWN, ENTER, ESCAPE] = ['\x1b[C', '\x1b[B', '\r', '\x1b'];

/** Waits for the question, and opens the list of decisions. */
async function opened(terminal: Terminal): Promise<void> {
  await terminal.shows('Allow this change? `.github/workflows/ci.yml` is protected by the rule `ci`');
  await terminal.shows('-on: push +on: pull_request');
  await terminal.shows('shows all of it in a terminal');
  terminal.type(RIGHT);
  await terminal.shows('Do not make this change');
}

/** Sends the form. */
async function accept(terminal: Terminal): Promise<void> {
  await terminal.shows('✔ Decision');
  terminal.type(DOWN);
  await terminal.shows('Type something');
  terminal.type(DOWN);
  await terminal.shows('❯ Accept');
  await pause(1_000); // it ignores keys that come at once
  terminal.type(ENTER);
}

void describe('Claude Code asks its user', () => {
  scene('and makes the change', FILES, async (place) => {
    const answers: string[] = [];
    await play(place, change(answers), async (terminal) => {
      await opened(terminal);
      terminal.type(' ');
      await accept(terminal);
      await until('the answer', () => answers[0]);
    });
    assert.match(answers.join(), /applied|Changed/);
    assert.equal(place.read(CI), 'on: pull_request\n');
  });

  scene('who does not want the change', FILES, async (place) => {
    const answers: string[] = [];
    await play(place, change(answers), async (terminal) => {
      await opened(terminal);
      terminal.type(DOWN);
      await pause(500); // the mark moves without a text
      terminal.type(' ');
      await accept(terminal);
      await until('the answer', () => answers[0]);
    });
    assert.match(answers.join(), /rejected/);
    assert.equal(place.read(CI), 'on: push\n');
  });

  scene('who closes the question', FILES, async (place) => {
    const answers: string[] = [];
    await play(place, change(answers), async (terminal) => {
      await opened(terminal);
      terminal.type(ESCAPE);
      await pause(500); // this closes the list only
      terminal.type(ESCAPE);
      await until('the answer', () => answers[0]);
    });
    assert.match(answers.join(), /The user was asked and closed the question without an answer/);
    assert.equal(place.read(CI), 'on: push\n');
  });
});
