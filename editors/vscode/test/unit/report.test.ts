import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Facts, findings, report, withoutFolders } from '../../src/help/report';

const healthy: Facts = {
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

const problems = (facts: Partial<Facts>) => findings({ ...healthy, ...facts }).filter(({ isFine }) => !isFine);

test('a healthy setup has no problems', () => {
  assert.deepEqual(problems({}), []);
  const text = report(healthy);
  for (const part of [
    'No problems found.',
    '/run/user/1000/editd/agent.sock',
    '2 are waiting for you',
    'editd.autostart',
    'ok  policy',
  ]) {
    assert.ok(text.includes(part), part);
  }
});

test('a missing, old or broken program has a recommended action', () => {
  const missing = problems({
    located: { kind: 'missing', searched: ['/ext/bin/editd', 'PATH'] },
    state: { kind: 'missing', searched: [] },
    status: undefined,
    hasMcp: undefined,
  });
  assert.deepEqual(
    missing.map(({ about }) => about),
    ['Program', 'Daemon'],
  );
  assert.match(missing[0]?.next ?? '', /cargo install/);
  assert.match(missing[0]?.detail ?? '', /`PATH` of this window is `\/usr\/bin:\/bin`/);
  const [installed] = problems({
    located: { kind: 'missing', searched: ['PATH'] },
    installed: '/home/ada/.cargo/bin/editd',
  });
  assert.match(installed?.next ?? '', /\/home\/ada\/\.cargo\/bin\/editd/);
  const [old] = problems({ located: { kind: 'old', program: '/bin/editd', version: '0.0.9' } });
  assert.match(old?.detail ?? '', /0\.0\.9/);
  const [broken] = problems({ located: { kind: 'broken', program: '/x', reason: 'not found' }, configured: '/x' });
  assert.match(broken?.next ?? '', /editd\.path/);
});

test('a failing connection has a reason and a way to start a daemon', () => {
  const state = { kind: 'waiting', reason: 'the daemon was stopped', stopped: true } as const;
  const [stopped] = problems({ state });
  assert.match(stopped?.detail ?? '', /was stopped/);
  assert.match(stopped?.next ?? '', /Connect Again/);
  const [failing] = problems({ state: { ...state, stopped: false } });
  assert.match(failing?.next ?? '', /to see why/);
  const [waiting] = problems({ state, autostart: false });
  assert.match(waiting?.next ?? '', /editd\.autostart/);
});

test('an invalid configuration and a window without a folder are reported', () => {
  const [configuration] = problems({ status: { ...healthy.status, configurationError: 'line 3' } });
  assert.equal(configuration?.about, 'Configuration');
  const [folder] = problems({ hasFolder: false });
  assert.match(folder?.next ?? '', /Open the folder/);
  assert.deepEqual(problems({ hasFolder: false, status: { review: 'always' } }), []);
});

test('newlines and bars are escaped in table cells', () => {
  const text = report({ ...healthy, settings: [['editd.path', '/a|b\nc']] });
  assert.ok(text.includes('`/a\\|b c`'));
});

test('a report to share contains no folder names', () => {
  const text = withoutFolders('/home/ada/shop/a.py and /home/ada/.cargo', '/home/ada', ['/home/ada/shop']);
  assert.equal(text, '<folder>/a.py and ~/.cargo');
  assert.equal(withoutFolders('/w/a /w/b', '/', ['/w/a', '/w/b']), '<folder 1> <folder 2>');
});
