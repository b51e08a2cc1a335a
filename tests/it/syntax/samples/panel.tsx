import { useState, useCallback, memo } from 'react';

type Props = {
  title: string;
  onClose?: () => void;
};

export interface Theme {
  color: string;
  apply(target: HTMLElement): void;
}

const SIZE = 3;
let counter = 0;

/** A panel. */
export const Panel = ({ title, onClose }: Props) => {
  const [open, setOpen] = useState(true);
  const close = useCallback(() => {
    setOpen(false);
    onClose?.();
  }, [onClose]);

  const renderRow = (row: number) => {
    const style = (wide: boolean) => ({ width: wide ? 2 : 1 });

    return <Row key={row} style={style(row > SIZE)} />;
  };

  function toggle() {
    setOpen(!open);
  }

  return (
    <div className="panel" onClick={() => toggle()}>
      {[1, 2, 3].map((row) => renderRow(row))}
      <button onClick={close}>{title}</button>
    </div>
  );
};

export const Row = memo(function Row({ style }: { style: object }) {
  return <li style={style} />;
});

export abstract class Base<T> {
  @observable private value: T | null = null;
  static instances = 0;

  constructor(protected readonly name: string) {
    counter += 1;
  }

  // Resets it.
  @action.bound
  reset = () => {
    this.value = null;
  };

  get isEmpty(): boolean {
    return this.value === null;
  }

  async load(id: string): Promise<T>;
  async load(id: number): Promise<T>;
  async load(id: string | number): Promise<T> {
    return fetchValue(id);
  }

  abstract describe(): string;
}

export enum Kind {
  Small = 'small',
  Large = 'large',
}

namespace Inner {
  export type Alias = string | number;

  export const helper = (x: Alias) => `${x}`;
}

export const api = {
  get: (path: string) => fetch(path),

  post(path: string, body: unknown) {
    return fetch(path, { method: 'POST', body: JSON.stringify(body) });
  },

  remove: async function (path: string) {
    return fetch(path, { method: 'DELETE' });
  },
};

export default function App() {
  return <Panel title="x" />;
}
