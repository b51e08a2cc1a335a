// The stream of events from the server, which is opened again when it ends.
import { Ended, type Session } from './session';

export type Connection = 'connecting' | 'connected' | 'no-daemon' | 'no-server' | 'ended';

/** A proposal has changed. */
export interface Changed {
  id: string;
  revision: number;
  state: string;
}

export interface Listener {
  /** The state of the connection has changed. */
  connection: (state: Connection) => void;
  changed: (proposal: Changed) => void;
  /** The session is over. */
  ended: (message: string) => void;
}

const SHORTEST_PAUSE = 300;
const LONGEST_PAUSE = 3000;
/** The server sends a line at least every ten seconds. */
const SILENCE = 25_000;

/** Listens to events until the session ends. */
export async function listen(session: Session, listener: Listener): Promise<void> {
  let pause = SHORTEST_PAUSE;
  for (;;) {
    try {
      await receive(session, listener, () => (pause = SHORTEST_PAUSE));
    } catch (error) {
      if (error instanceof Ended) {
        listener.connection('ended');
        listener.ended(error.message);
        return;
      }
    }
    listener.connection('no-server');
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

async function receive(session: Session, listener: Listener, opened: () => void): Promise<void> {
  const abort = new AbortController();
  const { body } = await session.events(abort.signal);
  if (body === null) {
    return;
  }
  opened();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const silence = setTimeout(() => {
      abort.abort();
    }, SILENCE);
    const { value, done } = await reader.read().finally(() => {
      clearTimeout(silence);
    });
    if (done) {
      return;
    }
    const events = (rest + value).split('\n\n');
    rest = events.pop() ?? '';
    events.forEach((event) => {
      handle(event, listener);
    });
  }
}

function handle(event: string, listener: Listener): void {
  const field = (name: string): string | undefined =>
    event
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field('data');
  if (data === undefined) {
    return;
  }
  if (field('event') === 'proposal') {
    listener.changed(JSON.parse(data) as Changed);
  } else if (field('event') === 'daemon') {
    listener.connection((JSON.parse(data) as { connected: boolean }).connected ? 'connected' : 'no-daemon');
  }
}
