// A reviewer, who decides over the socket for editors, as a plugin does.
import { Connection, type Fields } from './connection.ts';
import type { Place } from './place.ts';
import { until } from './until.ts';

type Hunks = 'all' | readonly string[];

/** A decision about a proposal of one file. */
export interface Decision {
  accept?: Hunks;
  reject?: Hunks;
  /** The text that the file shall have in place of the proposed one. */
  replace?: string;
  /** A comment for the author. */
  comment?: string;
}

export class Person {
  private readonly connection: Connection;

  private constructor(connection: Connection) {
    this.connection = connection;
  }

  static async at(place: Place): Promise<Person> {
    const introduction = { clientInfo: { name: 'person' }, capabilities: {}, rootUri: null };
    return new Person(await Connection.open(place, introduction));
  }

  /** Waits for a proposal, or for a change that a command has made, and returns its id. */
  async waits(state: 'pending' | 'landed' = 'pending'): Promise<string> {
    const first = async (): Promise<string | undefined> => {
      const { proposals } = await this.connection.call('editd/proposals', { state });
      return (proposals as { id: string }[])[0]?.id;
    };
    return String(await until('a proposal', first, Boolean, 60_000));
  }

  async decides(id: string, { replace, ...decision }: Decision): Promise<void> {
    const { revision, files } = await this.connection.call('editd/proposal', { id });
    const [file] = files as Fields[];
    const text =
      replace === undefined
        ? {}
        : { replace: [{ path: file?.['path'], baseHash: file?.['hashBefore'], content: replace }] };
    await this.connection.call('editd/decide', { id, revision, ...decision, ...text });
  }

  leaves(): void {
    this.connection.close();
  }
}

/** Accepts all of a proposal. */
export async function accepts(place: Place, id: string): Promise<void> {
  const person = await Person.at(place);
  try {
    await person.decides(id, { accept: 'all' });
  } finally {
    person.leaves();
  }
}

/** Decides on the next proposal as soon as it is there. */
export async function decidesNext(
  place: Place,
  decision: Decision,
  state: 'pending' | 'landed' = 'pending',
): Promise<void> {
  const person = await Person.at(place);
  try {
    await person.decides(await person.waits(state), decision);
  } finally {
    person.leaves();
  }
}
