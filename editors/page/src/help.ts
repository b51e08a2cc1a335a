// The keys of the page.
import { button, el } from './dom';

const KEYS: [string, string][] = [
  ['j, k', 'next or previous hunk'],
  [']  [', 'next or previous file'],
  ['J, K', 'next or previous change in the list'],
  ['y', 'accept or keep the hunk'],
  ['n', 'reject or revert it; in a conflict, keep the current text'],
  ['t', "in a conflict, take the author's side or restore the earlier lines"],
  ['a, d', 'accept or reject all open hunks of the file'],
  ['A, D', 'accept or reject all open hunks of the change'],
  ['e', 'edit the text of the file'],
  ['c', 'comment to the author'],
  ['s', 'leave the hunk for later'],
  ['o', 'reopen rejected hunks'],
  ['u', 'side by side or unified'],
  ['h, r', 'history, review'],
  ['q', 'back to the list'],
  ['?', 'this help'],
];

/** Creates the dialog with the keys. */
export function helpDialog(): HTMLDialogElement {
  const dialog = el('dialog', { class: 'help', 'aria-label': 'Keys' });
  dialog.append(
    el('h2', {}, 'Keys'),
    el('dl', {}, ...KEYS.flatMap(([keys, meaning]) => [el('dt', {}, el('kbd', {}, keys)), el('dd', {}, meaning)])),
    el(
      'p',
      { class: 'faint' },
      'Nothing is written before all hunks of a change are decided. Until then, each decision can be changed.',
    ),
    button('Close', () => {
      dialog.close();
    }),
  );
  return dialog;
}
