// The correction of a text: a person edits the proposed side of a file.
import type { ReviewDesk } from './desk';
import { button, el } from './dom';
import { fileText } from './editable';
import { shortPath } from './names';
import type { ChangedFile } from './wire';

/** Opens a box with the text of a file in front of an element. Returns a function that focuses it. */
export async function openCorrection(
  desk: ReviewDesk,
  file: ChangedFile,
  place: HTMLElement,
): Promise<(() => void) | undefined> {
  const side = await fileText(desk, file);
  if (typeof side === 'string') {
    desk.fail(side);
    return undefined;
  }
  const input = el('textarea', {
    class: 'text',
    rows: Math.min(30, side.text.split('\n').length + 2),
    spellcheck: 'false',
    wrap: 'off',
    'aria-label': `Text of ${shortPath(file.path, desk.session.root)}`,
  });
  input.value = side.text;
  const save = async (): Promise<void> => {
    const replace = [{ path: file.path, baseHash: side.hash, content: input.value }];
    if (await desk.review.decide({ replace })) {
      desk.say('The text is recorded.');
      close();
    }
  };
  const box = el(
    'div',
    { class: 'correction' },
    el('p', { class: 'faint' }, 'The whole file with the change. Your text decides all hunks with lines in it.'),
    input,
    el(
      'div',
      { class: 'buttons' },
      button('Use this text', () => void save(), { kind: 'primary' }),
      button('Discard', () => {
        close();
      }),
    ),
  );
  const close = (): void => {
    box.remove();
    window.removeEventListener('beforeunload', keep);
    place.focus({ preventScroll: true });
  };
  const keep = (event: BeforeUnloadEvent): void => {
    if (box.isConnected && input.value !== side.text) {
      event.preventDefault();
    }
  };
  window.addEventListener('beforeunload', keep);
  place.prepend(box);
  input.focus();
  return () => {
    input.focus();
  };
}
