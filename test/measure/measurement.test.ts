// Answers are read by what was asked: another purpose, or an answer that cannot be used, gives nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callFor } from '#measure/call.ts';
import { readingsOf } from '#measure/measurement.ts';
import { dscpProbes } from '#measure/nodes/dscp-probes.ts';
import type { Evidence } from '#model/evidence.ts';
import type { PlannedPurpose } from '#model/purpose.ts';

const DSCP: PlannedPurpose = { kind: 'dscp-probe', from: { node: 'r1', ifname: 'eth1' }, to: { node: 'r2' }, dscp: 46 };

function answer(purpose: PlannedPurpose, body: unknown, params: object = { arguments: { Count: 40 } }): Evidence {
  const { id, evidence: kind, phase } = callFor('r1', purpose, {}, 1);
  return { id, purpose, node: 'r1', kind, phase, request: { method: 'tools/call', params }, body } as never;
}

const GOOD = { sent: 40, received: 0, rttMs: null, sendErrors: 2 };

test('a reading has its purpose, the node, the value and the arguments that were signed', () => {
  const [reading, ...others] = readingsOf(dscpProbes, [answer(DSCP, GOOD)]);
  assert.deepEqual(others, []);
  assert.deepEqual([reading?.purpose.dscp, reading?.node, reading?.args], [46, 'r1', { Count: 40 }]);
  assert.deepEqual([reading?.value.sent, reading?.value.sendErrors], [40, 2]);
  assert.equal(reading?.source, 'probe/r1:eth1/r2/marked/46');
});

test('answers for another purpose are not read', () => {
  assert.deepEqual(readingsOf(dscpProbes, [answer({ kind: 'path-probe', from: 'r1', to: 'r2' }, GOOD)]), []);
});

test('rejects an answer that contradicts itself', () => {
  assert.deepEqual(readingsOf(dscpProbes, [answer(DSCP, { ...GOOD, received: 41 }), answer(DSCP, 'none')]), []);
});

test('a request without arguments has none', () => {
  assert.deepEqual(readingsOf(dscpProbes, [answer(DSCP, GOOD, {})])[0]?.args, {});
});
