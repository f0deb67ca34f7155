// How a change ends that may not stay: by the health gate, by a caller who is gone or no longer answers, by whatever fails on the way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { bed, COMMIT } from './change-bed.ts';

test('what the gate misses is undone before the answer', async () => {
  const { asked, call } = bed({ missing: ['not proven: a sees b on eth1'] });
  await assert.rejects(call('network.commit', { confirmed: 60 }), { code: 'node/health-gate' });
  assert.equal(asked.at(-1), 'cancel the health gate did not pass');
  assert.equal(asked.includes('verified'), false);
});

test('nothing confirms itself by a gate that sees nothing, and nobody is asked for it [NET-15]', async () => {
  for (const baseline of [{ holds: [] }, { holds: ['session with b'], unseen: 'isisd does not answer' }]) {
    const { asked, call } = bed({ baseline });
    await assert.rejects(call('network.commit', {}), {
      code: 'caller/needs-confirmed',
      message: /"confirmed": seconds/,
    });
    assert.deepEqual(asked, []);
    assert.equal((await call('network.commit', { confirmed: 60 }))['status'], 'committed');
  }
});

test('a change whose caller leaves while the gate looks is undone; what persists waits for its confirmation [NET-15]', async () => {
  const leave = async (args: JsonObject) => {
    const caller = new AbortController();
    const { asked, call } = bed({ onGate: () => caller.abort() });
    const code = await call('network.commit', args, 'ann', caller.signal).then(
      () => 'none',
      (error: ParleyError) => error.code,
    );
    return [code, asked.at(-1)];
  };
  const undone = ['caller/session-lost', 'cancel the caller was gone, or had cancelled the call'];
  assert.deepEqual(await leave({}), undone);
  assert.deepEqual(await leave({ persist: 'token' }), undone);
  assert.deepEqual(await leave({ confirmed: 60 }), undone);
  assert.deepEqual(await leave({ confirmed: 60, persist: 'token' }), ['none', 'verified']);
});

test('nothing is confirmed for a caller who no longer answers: the change may have cut its path [NET-15]', async () => {
  const probeCaller = async () => Promise.reject(new Error('nothing in time'));
  const { asked, call } = bed({ probeCaller });
  await assert.rejects(call('network.commit', {}), { code: 'caller/session-lost', message: /nothing in time/ });
  assert.deepEqual(asked.slice(-2), ['verified', 'cancel the caller was gone, or had cancelled the call']);
  // Who is to confirm answers with the confirmation.
  assert.equal((await call('network.commit', { confirmed: 60 }))['status'], 'committed');
  const answers = bed({ probeCaller: async () => {} });
  assert.equal((await answers.call('network.commit', {}))['status'], 'confirmed');
});

test('whatever fails once a change runs, it is undone, and only this change [NET-15]', async () => {
  const failing = bed({ fails: 'verified' });
  await assert.rejects(failing.call('network.commit', { confirmed: 60, persist: 'token' }), { code: 'node/timeout' });
  assert.equal(failing.asked.at(-1), 'cancel the commit could not be completed');
  const confirming = bed({ confirmFails: new ParleyError('caller/config-changed', 'x') });
  await assert.rejects(confirming.call('network.commit', {}), { code: 'caller/config-changed' });
  assert.equal(confirming.asked.at(-1), 'cancel the commit could not be completed');
  for (const open of [undefined, { ...COMMIT, id: '00000002-0a0b0c0d' }]) {
    const other = bed({ fails: 'verified', open });
    await assert.rejects(other.call('network.commit', {}), { code: 'node/timeout' });
    assert.equal(other.asked.at(-1), 'hold');
  }
});

test('an undoing that fails is what the caller is told [NET-13]', async () => {
  const missing = ['not proven: a sees b on eth1'];
  const stuck = bed({ missing, cancelFails: new ParleyError('node/rollback-failed', 'another configuration runs') });
  await assert.rejects(stuck.call('network.commit', {}), { code: 'node/rollback-failed' });
  for (const code of ['caller/no-commit', 'caller/wrong-commit-state'] as const) {
    const settled = bed({ missing, cancelFails: new ParleyError(code, 'it is settled') });
    await assert.rejects(settled.call('network.commit', {}), { code: 'node/health-gate' });
  }
  // A refusal of another kind does not say that it was undone.
  const refused = bed({ missing, cancelFails: new ParleyError('caller/bad-config', 'ip link failed') });
  await assert.rejects(refused.call('network.commit', {}), { code: 'caller/bad-config' });
});

test('what was not seen is said with the answer, and confirms nothing by itself [NET-15]', async () => {
  const unproven = ['still up, nothing heard yet: BGP with 192.0.2.1'];
  const slow = bed({ unproven });
  await assert.rejects(slow.call('network.commit', {}), { code: 'node/health-gate' });
  assert.equal(slow.asked.at(-1), 'cancel the health gate did not pass');
  const warnings: unknown[] = [];
  for (const init of [{ unproven }, { baseline: { holds: [] } }, { baseline: { holds: ['x'], unseen: 'bgp: silent' } }])
    warnings.push((await bed(init).call('network.commit', { confirmed: 60 }))['warning']);
  assert.deepEqual(warnings, [
    'not proven since the change: still up, nothing heard yet: BGP with 192.0.2.1',
    'nothing was compared with before: this node tells no neighbour that is up',
    'not everything could be compared with before: bgp: silent',
  ]);
});

test('a change whose caller has left before it runs is not applied', async () => {
  const { asked, call } = bed();
  await assert.rejects(call('network.commit', {}, 'ann', AbortSignal.abort()), { code: 'caller/session-lost' });
  assert.equal(
    asked.some((what) => what.startsWith('commit')),
    false,
  );
});

test('after a wait for an admin a commit at once is judged by what is seen then, and a refusal gives the consent back [NET-17]', async () => {
  const silent = new ParleyError('node/timeout', 'isisd says nothing');
  const asked = 'consent to "+ interface eth1: isis metric 5" 0';
  for (const [afterWait, code] of [
    [{ holds: [] }, 'caller/needs-confirmed'],
    [{ holds: ['session with b'], unseen: 'isisd does not answer' }, 'caller/needs-confirmed'],
    [silent, 'node/timeout'],
  ] as const) {
    const made = bed({ afterWait });
    await assert.rejects(made.call('network.commit', {}), { code });
    assert.deepEqual(made.asked, [asked, asked, 'given back']);
  }
  const made = bed({ afterWait: { holds: ['session with b'] } });
  assert.equal((await made.call('network.commit', {}))['status'], 'confirmed');
  assert.ok(!made.asked.includes('given back'));
});
