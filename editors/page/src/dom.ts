// Creation of elements. Strings become text nodes, never markup.

export type Child = Node | string | false | undefined;
type Attribute = string | number | boolean | undefined | ((event: Event) => void);

/** Creates an element. Functions become listeners, as in `{ onclick }`; `false` and `undefined` set nothing. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...present(children));
  return element;
}

/** Replaces all children of an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...present(children));
}

function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((child) => child !== undefined && child !== false);
}

/** Creates a button with a key that has the same effect. */
export function button(
  label: string,
  press: () => void,
  { key, kind, name }: { key?: string; kind?: string; name?: string } = {},
): HTMLButtonElement {
  return el(
    'button',
    {
      type: 'button',
      class: `button ${kind ?? ''}`.trim(),
      'aria-label': name,
      // The style sheet shows the key. As text, it would be part of the name.
      'data-key': key,
      'aria-keyshortcuts':
        key === undefined ? undefined : key.length === 1 && key !== key.toLowerCase() ? `Shift+${key}` : key,
      onclick: (event) => {
        event.stopPropagation();
        press();
      },
    },
    label,
  );
}
