// An error of permission names the path, its owner and the command; other errors stay as they are.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { withRemedy } from '../../../src/cli/terminal/denied.ts';

test('what the system forbids is told with the owner and the command, as a mistake of the caller', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-denied-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'report.json');
  const told = await withRemedy(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path }));
  assert.ok(told instanceof ParleyError);
  assert.equal(told.code, 'caller/file-denied');
  const me = userInfo().username;
  assert.ok(told.message.startsWith(`not allowed at ${path}: ${dir} belongs to ${me}:`), told.message);
  assert.ok(told.message.endsWith(`chown ${me} ${dir}`), told.message);
});

test('an error that says what to do, or is about something else, stays', async () => {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', path: '/x' });
  const known = new ParleyError('caller/usage', 'expected a, got b', {
    cause: Object.assign(new Error('EACCES'), { code: 'EACCES' }),
  });
  const pathless = Object.assign(new Error('EPERM'), { code: 'EPERM' });
  for (const error of [full, known, pathless, 'text']) assert.equal(await withRemedy(error), error);
});
