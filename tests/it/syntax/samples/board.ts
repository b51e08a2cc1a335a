/** A board with the boats of a lake. */
import type { Clock } from "./clock";
import { sorted } from "./sorted";

export const VERSION = "2.1";

const LIMIT = 200;
const PAUSE = 50;

let opened = 0;

/** The state of a boat. */
export enum State {
  Free = "free",
  Rented = "rented",
}

export type Id = string & { readonly brand: unique symbol };

type Listener<T> = (value: T) => void;

export interface Boat {
  readonly id: Id;
  name: string;
  state?: State;
  rename(name: string): void;
}

interface Store<K extends string, V> {
  get(key: K): V | undefined;
  [key: symbol]: unknown;
}

export abstract class Source<T> implements Store<string, T> {
  static #count = 0;
  protected readonly listeners = new Set<Listener<T>>();
  [key: symbol]: unknown;

  constructor(
    private readonly clock: Clock,
    protected name = "source",
  ) {
    Source.#count += 1;
  }

  abstract get(key: string): T | undefined;

  /** Calls a function for each new value. */
  on(listener: Listener<T>): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get size(): number {
    return this.listeners.size;
  }

  protected async emit(value: T): Promise<void> {
    for (const listener of this.listeners) {
      await Promise.resolve(listener(value));
    }
  }
}

export class Board extends Source<Boat> {
  readonly #boats = new Map<string, Boat>();

  get(key: string): Boat | undefined {
    return this.#boats.get(key);
  }

  add = async (boat: Boat): Promise<this> => {
    if (this.#boats.size >= LIMIT) {
      throw new RangeError(`more than ${LIMIT} boats`);
    }
    this.#boats.set(boat.id, boat);
    await this.emit(boat);
    return this;
  };

  *free(): Generator<Boat> {
    for (const boat of sorted(this.#boats.values())) {
      if (boat.state !== State.Rented) yield boat;
    }
  }
}

export function find(board: Board, id: Id): Boat;
export function find(board: Board, id: string): Boat | undefined;
export function find(board: Board, id: string): Boat | undefined {
  return board.get(id);
}

/** Waits between two steps. */
export const pause = (ms: number = PAUSE): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

export const isFree = function (boat: Boat): boat is Boat & { state: State.Free } {
  return (boat.state ?? State.Free) === State.Free;
};

namespace Names {
  export function short(boat: Boat): string {
    return boat.name.slice(0, 8);
  }
}

declare global {
  interface Window {
    board?: Board;
  }
}

export default function open(): number {
  opened += 1;
  return opened + Names.short.length;
}
