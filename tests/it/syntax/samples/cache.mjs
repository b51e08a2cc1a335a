// Keeps answers of a server for a time.
import { createHash } from "node:crypto";
import fs from "node:fs/promises";

export const VERSION = 3;

const DEFAULTS = {
  ttl: 60_000,
  folder: ".cache",
  now: () => Date.now(),
};

let hits = 0;
var misses = 0;

/** An entry of the cache. */
class Entry {
  #expires;

  constructor(value, expires) {
    this.value = value;
    this.#expires = expires;
  }

  isFresh(now) {
    return now < this.#expires;
  }

  static from(text) {
    const { value, expires } = JSON.parse(text);
    return new Entry(value, expires);
  }

  toJSON() {
    return { value: this.value, expires: this.#expires };
  }
}

/**
 * Returns the name of the file for a key.
 */
function nameOf(key) {
  return createHash("sha256").update(key).digest("hex").slice(0, 16);
}

const pathOf = (options, key) => `${options.folder}/${nameOf(key)}.json`;

export class Cache {
  static shared = new Cache();

  entries = new Map();

  constructor(options = {}) {
    this.options = { ...DEFAULTS, ...options };
  }

  get size() {
    return this.entries.size;
  }

  // Gets a value, from the server if it is not fresh.
  async get(key, load) {
    const entry = this.entries.get(key) ?? (await this.#stored(key));
    if (entry?.isFresh(this.options.now())) {
      hits += 1;
      return entry.value;
    }
    misses += 1;
    const value = await load(key);
    this.set(key, value);
    return value;
  }

  set = (key, value) => {
    const entry = new Entry(value, this.options.now() + this.options.ttl);
    this.entries.set(key, entry);
    return fs.writeFile(pathOf(this.options, key), JSON.stringify(entry));
  };

  async #stored(key) {
    try {
      return Entry.from(await fs.readFile(pathOf(this.options, key), "utf8"));
    } catch {
      return undefined;
    }
  }

  *[Symbol.iterator]() {
    yield* this.entries;
  }
}

export async function* lines(stream) {
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + chunk).split(/\r?\n/);
    rest = parts.pop();
    yield* parts;
  }
  if (rest) yield rest;
}

export const stats = function () {
  return { hits, misses, rate: hits / (hits + misses || 1) };
};

export default Cache;
