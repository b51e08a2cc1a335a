// Records what the programs hand to hooks and plugins around their own tools: the files of `recorded`.
//
//     ~/.cache/editd-tools/agents/node native/record/main.ts [CLIENT]...
//
// A file is named after the event, the tool and the variant of the call. Paths are those of Ada's shop.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Place } from '../../support/place.ts';
import { work } from '../program.ts';
import { recorded, set } from './hooks.ts';
import { FILES, SESSIONS, type Session } from './steps.ts';

const target = join(import.meta.dirname, '../../recorded');

function scrubbed(content: unknown, place: Place): string {
  const dashes = (path: string): string => path.replaceAll(/[/.]/g, '-');
  const text = JSON.stringify(content, null, 2);
  const paths: [string, string][] = [
    [place.work, '/home/ada/shop'],
    [join(place.home, '.gemini/tmp/work'), '/home/ada/.gemini/tmp/shop'],
    [place.home, '/home/ada'],
    [place.folder, '/home/ada'],
  ];
  const forms = paths.flatMap(([from, to]) => [
    [from, to] as const,
    [dashes(from).slice(1), dashes(to).slice(1)] as const,
    [from.slice(1), to.slice(1)] as const, // relative to the root
  ]);
  return forms.reduce((scrubbing, [from, to]) => scrubbing.replaceAll(from, to), text);
}

async function record(session: Session): Promise<void> {
  const { client, program, suffix, helpers } = session;
  const place = new Place(FILES);
  let stored = 0;
  const store = async (variant: string): Promise<void> => {
    await pause(150); // for hooks that are not waited for
    const events = recorded(place);
    for (const { name, tool, content } of events.slice(stored)) {
      const file = [name, tool, variant, suffix].filter((part) => part !== undefined && part !== '').join('-');
      writeFileSync(join(target, client, `${file}.json`), `${scrubbed(content, place)}\n`);
    }
    stored = events.length;
  };
  try {
    set[client](place);
    await work(
      program,
      place,
      async (model) => {
        await store('');
        for (const [variant, ...call] of session.steps(place)) {
          await model.callOwn(...call);
          await store(variant);
        }
      },
      helpers,
    );
    await store('');
  } finally {
    await place.end();
  }
}

const wanted = process.argv.slice(2);
const clients = new Set(
  SESSIONS.map(({ client }) => client).filter((name) => wanted.length === 0 || wanted.includes(name)),
);
for (const client of clients) {
  rmSync(join(target, client), { recursive: true, force: true });
  mkdirSync(join(target, client), { recursive: true });
  for (const session of SESSIONS.filter((each) => each.client === client)) {
    await record(session);
  }
}
