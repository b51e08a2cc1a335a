// A box for a comment to the author.
import { button, el } from './dom';
import { visibleText } from './lineText';

export interface CommentBox {
  element: HTMLElement;
  /** Shows the box and moves the focus into it. */
  open: () => void;
  /** Returns the text as it was typed and empties the box; nothing if it is blank. */
  take: () => string | undefined;
  /** Puts a text back that was not sent. */
  restore: (text: string) => void;
}

/** Creates a box, which is closed at first. `send` returns `true` if the comment was recorded. */
export function commentBox(name: string, send: (text: string) => Promise<boolean>): CommentBox {
  const input = el('textarea', { rows: 2, 'aria-label': name, placeholder: 'Comment for the author' });
  const element = el('form', { class: 'comment-box', hidden: true });
  const close = (): void => {
    const parent = element.parentElement;
    element.hidden = true;
    parent?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
  };
  const take = (): string | undefined => {
    const text = input.value;
    input.value = '';
    element.hidden = true;
    return text.trim() === '' ? undefined : text;
  };
  const restore = (text: string): void => {
    input.value = text;
    element.hidden = false;
  };
  const submit = async (): Promise<void> => {
    const text = take();
    if (text !== undefined && !(await send(text.trim()))) {
      restore(text);
    }
  };
  element.append(
    input,
    el(
      'div',
      { class: 'buttons' },
      button('Send comment', () => void submit(), { kind: 'primary' }),
      button('Close', close),
      el('span', { class: 'faint' }, 'Ctrl+Enter sends it. A decision sends it, too.'),
    ),
  );
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void submit();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    }
  });
  const open = (): void => {
    element.hidden = false;
    input.focus();
  };
  return { element, open, take, restore };
}

/** Creates the list of comments that were sent. */
export function commentList(comments: readonly { text: string }[]): HTMLElement | undefined {
  if (comments.length === 0) {
    return undefined;
  }
  return el(
    'ul',
    { class: 'comments', 'aria-label': 'Comments' },
    ...comments.map(({ text }) => el('li', {}, ...visibleText(text))),
  );
}
