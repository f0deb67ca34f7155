// Name servers that refuse their own router; and hosts of which nobody says that they are any.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { DNS, found, HTTP, REFUSED, said, seenOn, serviceProbe } from '../../expected-scene.ts';
import { HOST3, sceneOf } from '../../scope-scene.ts';

test('a name server that refuses its own router is dns_service_down, when the question says that it is one', () => {
  const refused = { r1: [serviceProbe('udp', 53, REFUSED)], r3: [serviceProbe('udp', 53, REFUSED)] };
  assert.deepEqual(said({ serviceProbes: refused }, DNS), ['dns_service_down node/h3']);
  assert.deepEqual(said({ serviceProbes: refused }, HTTP), ['HTTP at 198.19.3.10 port 80: no node saw that it serves']);
  assert.deepEqual(diagnose(sceneOf({ serviceProbes: refused })).findings, []);
});

test('a refusal counts although the host is silent to the questions that follow at once', () => {
  const silent = serviceProbe('udp', 53, { answered: false, open: false });
  assert.deepEqual(said({ serviceProbes: { r3: [serviceProbe('udp', 53, REFUSED), silent, silent] } }, DNS), [
    'dns_service_down node/h3',
  ]);
  assert.deepEqual(
    said({ serviceProbes: { r3: [serviceProbe('udp', 53, REFUSED), serviceProbe('udp', 53, {})] } }, DNS),
    [],
  );
});

test('a host that its router saw serve names lately, and that refuses now, is dns_service_down without being asked about', () => {
  const serviceProbes = { r3: [serviceProbe('udp', 53, REFUSED)] };
  assert.deepEqual(found({ states: seenOn(20_000)!, serviceProbes }), [['dns_service_down', 'node/h3', 'likely']]);
});

test('the words, the remedy, and the answers that speak against it', () => {
  const serviceProbes = { r3: [serviceProbe('udp', 53, REFUSED)], r1: [serviceProbe('udp', 53, {})] };
  const [finding] = diagnose(sceneOf({ states: seenOn(20_000)!, serviceProbes })).findings;
  const what = 'DNS at 198.19.3.10 port 53 behind r3: the host is there and refuses, and served 20 s ago';
  assert.equal(finding?.details['what'], what);
  assert.deepEqual(finding?.remedy, { node: 'r3', summary: 'h3 behind r3: start its service again' });
  assert.deepEqual(finding?.against, ['probe/r1/parley-service-probe']);
});

test('a host that still serves, or was not seen to, or does not answer its router at all, is not accused', () => {
  const states = seenOn(20_000)!;
  assert.deepEqual(found({ states, serviceProbes: { r3: [serviceProbe('udp', 53, {})] } }), []);
  assert.deepEqual(found({ serviceProbes: { r3: [serviceProbe('udp', 53, REFUSED)] } }), []);
  assert.deepEqual(
    found({ states, serviceProbes: { r3: [serviceProbe('udp', 53, { answered: false, open: false })] } }),
    [],
  );
});

test('a host whose address a route leads elsewhere is not accused of what somebody else refuses in its name', () => {
  const serviceProbes = { r3: [serviceProbe('udp', 53, REFUSED)] };
  const way = (ifname: string) => ({ r3: [{ destination: HOST3.address, kind: 'unicast' as const, ifname }] });
  assert.deepEqual(found({ states: seenOn(20_000)!, serviceProbes, lookups: way('eth1') }), []);
  assert.deepEqual(found({ states: seenOn(20_000)!, serviceProbes, lookups: way('eth3') }), [
    ['dns_service_down', 'node/h3', 'likely'],
  ]);
});
