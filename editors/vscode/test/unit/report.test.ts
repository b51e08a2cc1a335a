import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Facts, findings, report, withoutPlaces } from '../../src/help/report';

const well: Facts = {
  extension: '0.1.0',
  editor: 'Code 1.101.0',
  state: {
    kind: 'connected',
    program: '/home/ada/.cargo/bin/editd',
    version: '0.1.0',
    protocol: 1,
  },
  located: { kind: 'found', program: '/home/ada/.cargo/bin/editd', version: '0.1.0' },
  configured: '',
  path: '/usr/bin:/bin',
  installed: undefined,
  autostart: true,
  isTrusted: true,
  hasFolder: true,
  announced: ['applyEdits', 'review'],
  status: { review: 'auto', runtimeDir: '/run/user/1000/editd' },
  pending: 2,
  hasMcp: false,
  settings: [['editd.autostart', 'false']],
  program: 'ok  policy\n',
};

const wrong = (facts: Partial<Facts>) => findings({ ...well, ...facts }).filter(({ isFine }) => !isFine);

test('where all is well, nothing is to be done', () => {
  assert.deepEqual(wrong({}), []);
  const text = report(well);
  for (const said of [
    'All is well.',
    '/run/user/1000/editd/agent.sock',
    '2 wait for you',
    'editd.autostart',
    'ok  policy',
  ]) {
    assert.ok(text.includes(said), said);
  }
});

test('a program that is missing, old or broken says what to do next', () => {
  const missing = wrong({
    located: { kind: 'missing', looked: ['/ext/bin/editd', 'PATH'] },
    state: { kind: 'missing', looked: [] },
    status: undefined,
    hasMcp: undefined,
  });
  assert.deepEqual(
    missing.map(({ about }) => about),
    ['Program', 'Daemon'],
  );
  assert.match(missing[0]?.next ?? '', /cargo install/);
  assert.match(missing[0]?.said ?? '', /`PATH` of this window is `\/usr\/bin:\/bin`/);
  const [installed] = wrong({
    located: { kind: 'missing', looked: ['PATH'] },
    installed: '/home/ada/.cargo/bin/editd',
  });
  assert.match(installed?.next ?? '', /\/home\/ada\/\.cargo\/bin\/editd/);
  const [old] = wrong({ located: { kind: 'old', program: '/bin/editd', version: '0.0.9' } });
  assert.match(old?.said ?? '', /0\.0\.9/);
  const [broken] = wrong({ located: { kind: 'broken', program: '/x', reason: 'not found' }, configured: '/x' });
  assert.match(broken?.next ?? '', /editd\.path/);
});

test('a connection that does not come says why, and who can start a daemon', () => {
  const state = { kind: 'waiting', reason: 'the daemon was stopped', stopped: true } as const;
  const [stopped] = wrong({ state });
  assert.match(stopped?.said ?? '', /was stopped/);
  assert.match(stopped?.next ?? '', /Connect Again/);
  const [failing] = wrong({ state: { ...state, stopped: false } });
  assert.match(failing?.next ?? '', /to see why/);
  const [waiting] = wrong({ state, autostart: false });
  assert.match(waiting?.next ?? '', /editd\.autostart/);
});

test('a configuration that cannot be read, and a window without a folder, are told', () => {
  const [configuration] = wrong({ status: { ...well.status, configurationError: 'line 3' } });
  assert.equal(configuration?.about, 'Configuration');
  const [folder] = wrong({ hasFolder: false });
  assert.match(folder?.next ?? '', /Open the folder/);
  assert.deepEqual(wrong({ hasFolder: false, status: { review: 'always' } }), []);
});

test('lines and bars stay in their cell', () => {
  const text = report({ ...well, settings: [['editd.path', '/a|b\nc']] });
  assert.ok(text.includes('`/a\\|b c`'));
});

test('a report for others names no folders', () => {
  const text = withoutPlaces('/home/ada/shop/a.py and /home/ada/.cargo', '/home/ada', ['/home/ada/shop']);
  assert.equal(text, '<folder>/a.py and ~/.cargo');
  assert.equal(withoutPlaces('/w/a /w/b', '/', ['/w/a', '/w/b']), '<folder 1> <folder 2>');
});
