// Keys of the page. Keys with modifiers, and keys in a text box, belong to the browser.

export type Commands = Readonly<Record<string, () => void>>;

/** Runs a command for each key. Keys without a command are offered to `other`. */
export function listenToKeys(commands: Commands, other: (key: string) => boolean): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || isTyping(event.target)) {
      return;
    }
    if (document.querySelector('dialog[open]') !== null) {
      return;
    }
    const command = Object.hasOwn(commands, event.key) ? commands[event.key] : undefined;
    if (command !== undefined) {
      event.preventDefault();
      command();
    } else if (other(event.key)) {
      event.preventDefault();
    }
  });
}

/** Returns `true` if keys belong to a text box, because it has the focus. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('textarea, input, select') !== null;
}
