import assert from 'node:assert/strict';
import { test } from 'node:test';

import { locate } from '../../src/daemon/binary';

test('a path that is not absolute is rejected', async () => {
  for (const path of ['~/bin/editd', 'bin/editd', '42']) {
    const located = await locate(path, '/nowhere', process.env);
    assert.equal(located.kind, 'broken');
    assert.match('reason' in located ? located.reason : '', /must begin with \//);
  }
});
