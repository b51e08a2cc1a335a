// Messages about results and failures. Screen readers say them.
import { button, el, fill } from './dom';
import { oneLine } from './visible';

interface Action {
  label: string;
  press: () => void;
}

const SHOWN = 6000;
const SHOWN_WITH_ACTION = 20_000;

export class Messages {
  /** Results, which go away. */
  private readonly results = el('div', { class: 'result', role: 'status' });
  /** News, which stay until they are closed. */
  private readonly news = el('div', { class: 'result', role: 'status' });
  /** Failures, which stay until they are closed. */
  private readonly failures = el('div', { class: 'failure', role: 'alert' });
  readonly element = el('div', { class: 'messages' }, this.failures, this.news, this.results);
  private timer = 0;

  say(message: string, action?: Action): void {
    clearTimeout(this.timer);
    const clear = (): void => {
      fill(this.results);
    };
    fill(
      this.results,
      el('span', {}, oneLine(message)),
      action !== undefined &&
        button(action.label, () => {
          clear();
          action.press();
        }),
    );
    this.timer = window.setTimeout(clear, action === undefined ? SHOWN : SHOWN_WITH_ACTION);
  }

  tell(message: string, action: Action): void {
    const clear = (): void => {
      fill(this.news);
    };
    const press = (): void => {
      clear();
      action.press();
    };
    fill(this.news, el('span', {}, oneLine(message)), button(action.label, press), button('Close', clear));
  }

  fail(message: string): void {
    fill(
      this.failures,
      el('span', {}, oneLine(message)),
      button('Close', () => {
        fill(this.failures);
      }),
    );
  }
}
