// The review page of `editd review --web`.
import { App } from './app';
import { el, fill } from './dom';
import { Session } from './session';

async function start(): Promise<void> {
  try {
    const session = await Session.open();
    await new App(session, document.body).start();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    fill(
      document.body,
      el('main', { class: 'nothing' }, el('h1', {}, 'This page cannot be opened'), el('p', { role: 'alert' }, message)),
    );
  }
}

void start();
