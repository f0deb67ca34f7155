// One call a family for all services that one node probes for one reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '#base/limits.ts';
import { defineServiceProbes, serviceProbeCalls } from '#measure/hosts/service-probe.ts';

const echo = (destination: string) => ({ destination, service: 'echo' as const });

test('the same try is made once, and no more of them than a node takes', () => {
  const calls = serviceProbeCalls('r1', 'asked', [echo('192.0.2.1'), echo('192.0.2.1')]);
  assert.deepEqual(
    calls.map(({ id, arguments: args }) => [id, args]),
    [['probe/r1/parley-service-probe/asked', { alongDefault: true, serviceProbes: [echo('192.0.2.1')] }]],
  );
  const many = Array.from({ length: LIMITS.serviceProbes + 1 }, (_, host) => echo(`2001:db8::${host}`));
  const [call] = serviceProbeCalls('r1', 'filters', many);
  assert.equal((call!.arguments['serviceProbes'] as readonly unknown[]).length, LIMITS.serviceProbes);
  assert.deepEqual(serviceProbeCalls('r1', 'filters', []), []);
});

test('a confirmation is called later than the first round', () => {
  const [call] = serviceProbeCalls('r1', 'far-echo', [echo('192.0.2.1')], 'confirmation');
  assert.deepEqual([call?.id, call?.phase], ['deepen/r1/parley-service-probe/far', 'deepen']);
});

test('IPv4 and IPv6 are tried by a call each, and from a source only what is of its family', () => {
  const [both, how] = [[echo('192.0.2.1'), echo('2001:db8::1')], { source: '2001:db8:1::1', ifname: 'eth2' }];
  const rowsOf = (more?: typeof how) =>
    serviceProbeCalls('r1', 'used', both, 'first', more).map(({ id, purpose, arguments: args }) => [id, purpose, args]);
  const purpose = { kind: 'service-probe', reason: 'used', round: 'first' };
  assert.deepEqual(rowsOf(), [
    ['probe/r1/parley-service-probe/used', purpose, { alongDefault: true, serviceProbes: [both[0]] }],
    [
      'probe/r1/parley-service-probe/used/ipv6',
      { ...purpose, family: 6 },
      { alongDefault: true, serviceProbes: [both[1]] },
    ],
  ]);
  assert.deepEqual(rowsOf(how), [
    [
      'probe/r1/parley-service-probe/used/eth2/ipv6',
      { ...purpose, ifname: 'eth2', family: 6 },
      { alongDefault: true, serviceProbes: [both[1]], source: '2001:db8:1::1' },
    ],
  ]);
});

test('answers are read whatever they were tried for; a malformed row is left out', () => {
  const row = { ...echo('192.0.2.1'), sent: 3, answered: true, open: false };
  assert.deepEqual(defineServiceProbes({}).read({ results: [row, { service: 'echo' }] }), [row]);
});
