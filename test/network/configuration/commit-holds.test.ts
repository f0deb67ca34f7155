// A change without `persist` belongs to its session: a hold that fails undoes it, and does not free it for other sessions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { silentLog } from '#base/log.ts';
import type { CommitView, ConfigurationPort } from '#model/router/configuration.ts';
import { createHolds } from '#network/configuration/commit-holds.ts';

const COMMIT: CommitView = {
  id: '00000001-0a0b0c0d',
  state: 'APPLIED',
  by: 'operator/ann',
  startedMs: 0,
  deadlineMs: 60_000,
  timeoutMs: 60_000,
  persist: false,
};

function bed(init: { open?: CommitView; cancelFails?: boolean }) {
  const cancelled: string[] = [];
  const configuration = {
    hold: async () => Promise.reject(new Error('the helper has no connection left')),
    open: async () => init.open,
    cancel: async (_: string, reason: string, persistId: string | undefined, commitId: string) => {
      // Another change of the same party may be open by the time of its turn.
      assert.deepEqual([persistId, commitId], [undefined, COMMIT.id]);
      cancelled.push(reason);
      if (init.cancelFails) throw new Error('the helper is away');
      return COMMIT;
    },
  } as unknown as ConfigurationPort;
  return { holds: createHolds({ configuration, log: silentLog }), cancelled };
}

test('a change whose hold fails is undone at once [NET-15]', async () => {
  const { holds, cancelled } = bed({ open: COMMIT });
  await holds.begin(COMMIT, 'operator/ann', new AbortController().signal);
  await setImmediate();
  assert.deepEqual(cancelled, ['the change could not be held']);
  holds.checkSession(new AbortController().signal);
});

test('a change that could be neither held nor undone stays with its session, whose end undoes it [NET-15]', async () => {
  const { holds, cancelled } = bed({ open: COMMIT, cancelFails: true });
  const session = new AbortController();
  await holds.begin(COMMIT, 'operator/ann', session.signal);
  await setImmediate();
  assert.throws(() => holds.checkSession(new AbortController().signal), { code: 'caller/not-yours' });
  holds.checkSession(session.signal);
  session.abort();
  assert.deepEqual(cancelled, ['the change could not be held', 'the session was lost']);
});

test('a failed hold undoes neither what persists nor another change that is open by now', async () => {
  for (const init of [{ open: { ...COMMIT, id: '00000002-0a0b0c0d' } }, {}]) {
    const { holds, cancelled } = bed(init);
    await holds.begin(COMMIT, 'operator/ann', undefined);
    await setImmediate();
    assert.deepEqual(cancelled, []);
  }
  const { holds, cancelled } = bed({ open: COMMIT });
  await holds.begin({ ...COMMIT, persist: true }, 'operator/ann', undefined);
  await setImmediate();
  assert.deepEqual(cancelled, []);
});
