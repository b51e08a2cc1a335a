// Files whose bytes a tool could change where the edit does not.
import type { Edited } from './desk.ts';
import type { Replacement } from './hands.ts';
import type { Scene } from './scene.ts';
import { usual } from './setting.ts';

type Format = Pick<Scene, 'name' | 'usually'> &
  Partial<Pick<Scene, 'except'>> &
  Omit<Edited, 'name' | 'encoding'> & { edit: [oldText: string, newText: string] };

/** A scene that edits a file of that format. Texts are in Latin-1, so that each character is one byte. */
function format({ before, after, reason = /./, edit, ...rest }: Format): Scene {
  const name = 'notes.txt';
  const replacement: Replacement = [name, ...edit];
  return {
    ...rest,
    setting: usual,
    files: { [name]: Buffer.from(before, 'latin1') },
    play: async (desk, model) => {
      await model.reads(name);
      const shown = await model.edits(...replacement);
      await desk.ends(shown, { name, before, after, reason, encoding: 'latin1' });
    },
  };
}

export const formats: Scene[] = [
  format({
    name: 'The file has Windows line endings',
    usually: 'made',
    except: { opencodeWithPatches: 'made by editd' },
    before: 'one\r\ntwo\r\nthree\r\n',
    edit: ['two\nthree', '2\n3'],
    after: 'one\r\n2\r\n3\r\n',
  }),
  format({
    name: 'The file has mixed line endings',
    usually: 'made by editd',
    before: 'one\r\ntwo\nthree\r\nfour\n',
    edit: ['three', '3'],
    after: 'one\r\ntwo\n3\r\nfour\n',
  }),
  format({
    name: 'The file has a byte order mark',
    usually: 'made by editd',
    before: '\xef\xbb\xbfone\ntwo\n',
    edit: ['two', '2'],
    after: '\xef\xbb\xbfone\n2\n',
  }),
  format({
    name: 'The last line has no line ending',
    usually: 'made',
    except: { codex: 'made by editd', codexInCode: 'made by editd', opencodeWithPatches: 'made by editd' },
    before: 'one\ntwo',
    edit: ['two', '2'],
    after: 'one\n2',
  }),
  format({
    name: 'The file is not UTF-8',
    usually: 'made by editd',
    except: { claude: 'refused' },
    reason: /not valid UTF-8/,
    before: 'caf\xe9\none\nA few more words, or Gemini CLI takes this for a binary file.\n',
    edit: ['one', '1'],
    after: 'caf\xe9\n1\nA few more words, or Gemini CLI takes this for a binary file.\n',
  }),
];
