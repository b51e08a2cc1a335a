// Questions before a decision, in a dialog. Keys answer them, too.
import { button, el } from './dom';

export interface Answer {
  label: string;
  key: string;
  kind?: string;
}

/** Asks a question. Returns the index of the answer, or `undefined` if the person has closed the dialog. */
export function ask(
  question: string,
  details: readonly string[],
  answers: readonly Answer[],
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const dialog = el('dialog', { class: 'question', 'aria-label': question });
    let chosen: number | undefined;
    const choose = (index: number | undefined): void => {
      chosen = index;
      dialog.close();
    };
    const buttons = answers.map(({ label, key, kind }, index) =>
      button(
        label,
        () => {
          choose(index);
        },
        { key, ...(kind === undefined ? {} : { kind }) },
      ),
    );
    const cancel = button('Cancel', () => {
      choose(undefined);
    });
    dialog.append(
      el('h2', {}, question),
      ...details.map((detail) => el('p', {}, detail)),
      el('div', { class: 'buttons' }, cancel, ...buttons),
    );
    dialog.addEventListener('keydown', (event) => {
      const index = answers.findIndex(({ key }) => key === event.key);
      if (index >= 0 && !event.ctrlKey && !event.altKey && !event.metaKey) {
        event.preventDefault();
        choose(index);
      }
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
    // A key that is pressed by habit decides nothing.
    cancel.focus();
  });
}
