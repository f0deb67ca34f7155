// One call for all services that one node probes for one reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '#base/limits.ts';
import { defineServiceProbes, serviceProbeCall } from '#measure/hosts/service-probe.ts';

const echo = (destination: string) => ({ destination, service: 'echo' as const });

test('the same try is made once, and no more of them than a node takes', () => {
  const { id, arguments: args } = serviceProbeCall('r1', 'asked', [echo('192.0.2.1'), echo('192.0.2.1')]);
  assert.deepEqual([id, args], ['probe/r1/parley-service-probe/asked', { serviceProbes: [echo('192.0.2.1')] }]);
  const many = Array.from({ length: LIMITS.serviceProbes + 1 }, (_, host) => echo(`2001:db8::${host}`));
  const asked = serviceProbeCall('r1', 'filters', many).arguments['serviceProbes'] as readonly unknown[];
  assert.equal(asked.length, LIMITS.serviceProbes);
});

test('a confirmation is called later than the first round', () => {
  const { id, phase } = serviceProbeCall('r1', 'far-echo', [echo('192.0.2.1')], 'confirmation');
  assert.deepEqual([id, phase], ['deepen/r1/parley-service-probe/far', 'deepen']);
});

test('answers are read whatever they were tried for; a malformed row is left out', () => {
  const row = { ...echo('192.0.2.1'), sent: 3, answered: true, open: false };
  assert.deepEqual(defineServiceProbes({}).read({ results: [row, { service: 'echo' }] }), [row]);
});
