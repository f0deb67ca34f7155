// Persistent changes whose health gate has not spoken: its agent died, or lost the answer of the commit. Confirmable by their token, by the
// gate where it can still compare, and else with a warning.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommitView, UNVERIFIED } from '#model/router/configuration.ts';
import { bed, COMMIT } from '../change-bed.ts';

const PERSISTENT: CommitView = { ...COMMIT, persist: true };
const CONFIRM = { confirm: true, 'persist-id': 'token' } as const;
const BEGIN = { confirmed: 60, persist: 'token' } as const;

test('what a device confirmed unseen is confirmed with a warning [NET-15]', async () => {
  const { call } = bed({ open: PERSISTENT, confirmReason: UNVERIFIED });
  assert.deepEqual(await call('network.commit', CONFIRM), {
    status: 'confirmed',
    'commit-id': '00000001-0a0b0c0d',
    warning: 'confirmed by its persist-id: no health gate is known to have passed for it, look at what it changed',
  });
});

test('where the answer of the commit was lost, the gate speaks before the confirmation [NET-15]', async () => {
  const { call, asked } = bed({ fails: 'commit', open: PERSISTENT });
  await assert.rejects(call('network.commit', BEGIN), { code: 'node/timeout' });
  assert.deepEqual(await call('network.commit', CONFIRM), { status: 'confirmed', 'commit-id': '00000001-0a0b0c0d' });
  assert.deepEqual(asked.slice(-2), ['verified', 'confirm operator/ann token']);
  // Another token is another's change.
  const other = await bed({ fails: 'commit', open: PERSISTENT });
  await assert.rejects(other.call('network.commit', BEGIN), { code: 'node/timeout' });
  await other.call('network.commit', { confirm: true, 'persist-id': 'another' });
  assert.equal(other.asked.includes('verified'), false);
});

test('what that gate misses is undone, and what it cannot prove is said [NET-15]', async () => {
  const missing = bed({ fails: 'commit', open: PERSISTENT, missing: ['not proven: a sees b on eth1'] });
  await assert.rejects(missing.call('network.commit', BEGIN), { code: 'node/timeout' });
  await assert.rejects(missing.call('network.commit', CONFIRM), { code: 'node/health-gate' });
  assert.equal(missing.asked.at(-1), 'cancel the health gate did not pass');
  const slow = bed({
    fails: 'commit',
    open: PERSISTENT,
    unproven: ['still up, nothing heard yet: BGP with 192.0.2.1'],
  });
  await assert.rejects(slow.call('network.commit', BEGIN), { code: 'node/timeout' });
  assert.equal(
    (await slow.call('network.commit', CONFIRM))['warning'],
    'not proven since the change: still up, nothing heard yet: BGP with 192.0.2.1',
  );
});

test('nobody confirms past a gate that is at work [NET-15]', async () => {
  let early: Promise<unknown> = Promise.resolve();
  const { call, asked } = bed({
    open: PERSISTENT,
    onGate: () => {
      early = call('network.commit', CONFIRM).catch((error: { code: string }) => error.code);
      return early;
    },
  });
  assert.equal((await call('network.commit', BEGIN))['status'], 'committed');
  assert.equal(await early, 'caller/wrong-commit-state');
  assert.equal(asked.includes('confirm operator/ann token'), false);
});
