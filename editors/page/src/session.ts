// Requests to the server of this page, with the token of the session.

import type { Layout } from './table';

/** A refusal of the daemon. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly kind: string | undefined,
    readonly hint: string | undefined,
  ) {
    super(message);
  }
}

/** The session is over, or was never open. The message says what to do. */
export class Ended extends Error {}

/** The server does not answer. */
export class Unreachable extends Error {}

interface Saved {
  token: string;
  /** Folder in which the command was run, if it can be a root. */
  root: string | null;
  preferences: Preferences;
  /** True if the tab may store the session, so that it goes on after a reload. */
  stored: boolean;
}

/** Preferences of the person. The server stores them, because another run of it is another origin. */
export interface Preferences {
  layout: Layout;
}

interface Answer {
  result?: unknown;
  error?: { message: string; data?: { kind?: string; hint?: string } };
}

const KEY = 'editd.session';

const AGAIN = 'Run `editd review --web` again, and open the address that it prints.';

export class Session {
  private constructor(private readonly saved: Saved) {}

  /** Opens a session with the token in the address, or continues the one of this tab. */
  static async open(): Promise<Session> {
    const once = location.hash.slice(1);
    const saved = sessionStorage.getItem(KEY);
    if (once === '') {
      if (saved === null) {
        throw new Ended(`This address has no token. ${AGAIN}`);
      }
      return new Session(JSON.parse(saved) as Saved);
    }
    // The token is used up, so it should not stay in the address bar and the history of the browser.
    history.replaceState(null, '', location.pathname);
    try {
      const response = await request('/session', { body: JSON.stringify({ once }) });
      const session = new Session((await response.json()) as Saved);
      session.store();
      return session;
    } catch (error) {
      // The address was opened again in the tab that has its session.
      if (!(error instanceof Ended && saved !== null)) {
        throw error;
      }
    }
    return new Session(JSON.parse(sessionStorage.getItem(KEY) ?? '') as Saved);
  }

  get root(): string | null {
    return this.saved.root;
  }

  get preferences(): Preferences {
    return this.saved.preferences;
  }

  /** Stores preferences, for this tab and for the next run of the command. */
  async prefer(preferences: Preferences): Promise<void> {
    this.saved.preferences = preferences;
    this.store();
    await this.post('/preferences', preferences);
  }

  private store(): void {
    if (this.saved.stored) {
      sessionStorage.setItem(KEY, JSON.stringify(this.saved));
    }
  }

  /** Calls a method of the daemon. The caller knows the type of the result. */
  async call<T>(method: string, params: object = {}): Promise<T> {
    const { result, error } = (await this.post('/call', { method, params })) as Answer;
    if (error !== undefined) {
      throw new Refusal(error.message, error.data?.kind, error.data?.hint);
    }
    return result as T;
  }

  /** Returns the colours of a text: start, length and class of each span, one after another. */
  async colours(path: string, text: string): Promise<number[]> {
    const { spans } = (await this.post('/colours', { path, text })) as { spans: number[] };
    return spans;
  }

  /** Opens the stream of events. */
  events(signal: AbortSignal): Promise<Response> {
    return request('/events', { token: this.saved.token, signal, method: 'GET' });
  }

  private async post(path: string, body: object): Promise<unknown> {
    const response = await request(path, { token: this.saved.token, body: JSON.stringify(body) });
    return response.json();
  }
}

interface Options {
  method?: 'GET' | 'POST';
  token?: string;
  body?: string;
  signal?: AbortSignal;
}

async function request(path: string, { method = 'POST', token, body, signal }: Options): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: 'omit',
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch {
    throw new Unreachable('The server of this page does not answer.');
  }
  if (response.status === 401 || response.status === 410) {
    throw new Ended((await response.text()).trim());
  }
  // Answers of the daemon that could not be reached are JSON, too.
  if (!response.ok && response.headers.get('Content-Type') !== 'application/json') {
    throw new Refusal((await response.text()).trim(), undefined, undefined);
  }
  return response;
}
