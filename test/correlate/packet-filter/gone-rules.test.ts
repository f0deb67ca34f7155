// Dropping rules that a node had and has no more, and what each of them was against.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aimOf, type GoneRule, goneRules } from '#correlate/packet-filter/gone-rules.ts';
import { ringWorld } from '../faults/proposing.ts';
import { DNS, HTTP, ICMP, is } from '../service-scene.ts';

const rule = (matches: readonly object[], change: object = {}) => ({
  ...{ family: 'inet', table: 't', chain: 'c', handle: 4, hook: 'forward', verdict: 'drop' },
  ...{ inInterfaces: [], outInterfaces: [], matches, matchesRest: false },
  ...change,
});
type Rule = ReturnType<typeof rule>;
function gone(then: readonly Rule[], today: readonly Rule[] = [], others: readonly Rule[] = [], node = 'a') {
  const now = ringWorld(
    {},
    { a: { filters: today }, b: { filters: others }, c: { filters: others }, d: { filters: others } },
  );
  const world = ringWorld({}, { a: { filters: then } });
  const slice = { world, facts: [], past: { agoMs: 9, now, kept: { memory: 'filters', node } } };
  return goneRules(slice as never).length;
}

test('a dropping rule that stands nowhere on its node any more is gone', () => {
  assert.equal(gone([rule(DNS)]), 1);
  assert.equal(gone([rule(DNS, { verdict: 'reject' })]), 1);
  assert.equal(gone([rule(DNS, { verdict: 'accept' })]), 0);
  assert.equal(gone([rule(DNS)], [rule(DNS, { table: 'x', handle: 9 })]), 0);
  for (const change of [{ family: 'ip' }, { hook: 'input' }, { verdict: 'reject' }])
    assert.equal(gone([rule(DNS)], [rule(DNS, change)]), 1, JSON.stringify(change));
  assert.equal(gone([rule(DNS)], [rule(HTTP)]), 1);
});

test('what most nodes filter alike, and a rule against some senders, only did its job', () => {
  assert.equal(gone([rule(DNS)], [], [rule(DNS)]), 0);
  assert.equal(gone([rule([...DNS, is('source', '198.51.100.0/24')])]), 0);
  assert.equal(gone([rule(DNS)], [], [], 'z'), 0, 'the memory of another node');
});

const aim = (matches: readonly object[], change: object = {}, now = ringWorld()) =>
  aimOf({ view: now.views.get('a'), rule: rule(matches, change), now } as unknown as GoneRule);
const wanting = (history: object) => ringWorld({}, { c: { history } });

test('a rule against the routing header of SRv6 counts where the network uses SRv6', () => {
  const sids = { inventory: { interfaces: [], sids: [{ sid: 'fd00::e', behavior: 'End' }] } };
  const empty = { inventory: { interfaces: [], sids: [] } };
  const world = (a: object) => ringWorld({}, { a, b: empty, c: empty, d: empty });
  const steering = [is('network', 'ip6'), is('next-header', 'ipv6-route')];
  assert.equal(aim(steering, {}, world(sids)), 'srv6');
  assert.equal(aim(steering, {}, world(empty)), undefined);
  assert.equal(aim([is('extension', 'rt')], {}, world(sids)), 'srv6');
  assert.notEqual(aim([is('next-header', 'tcp')], {}, world(sids)), 'srv6');
});

test('a rule against a service counts where a host was seen to serve it or to ask for it', () => {
  const served = (service: string, port: number) => wanting({ services: [{ service, port }] });
  assert.equal(aim(DNS, {}, served('udp', 53)), 'service');
  assert.equal(aim(DNS, {}, served('tcp', 80)), undefined);
  assert.equal(aim(HTTP, {}, served('tcp', 80)), 'service');
  assert.equal(aim(DNS, {}, wanting({ heard: [{ what: 'dns-query' }] })), 'service');
  assert.equal(aim(DNS, {}, wanting({ heard: [{ what: 'dhcp-request' }] })), undefined);
  assert.equal(aim([is('protocol', 'udp'), is('source-port', '53')], {}, served('udp', 53)), 'service');
  assert.equal(aim(ICMP), 'service', 'messages that no filter may drop');
  assert.equal(aim([...ICMP, is('icmp-type', 'echo-request')]), undefined);
  for (const more of [is('destination', '198.19.3.0/24'), is('sample', '2')])
    assert.equal(aim([...DNS, more], {}, served('udp', 53)), undefined, more.field);
  assert.equal(aim(DNS, { matchesRest: true }, served('udp', 53)), undefined);
});

test('a forwarding rule for all that is sent to a network counts where a node has an address of it', () => {
  const owners = new Map([['198.19.3.1', [{ node: 'c', ifname: 'lan' }]]]);
  const network = (matches: readonly object[], change: object = {}) => aim(matches, change, ringWorld({ owners }));
  const to = (prefix: string) => is('destination', prefix);
  assert.equal(network([is('network', 'ip'), to('198.19.3.0/24')]), 'network');
  assert.equal(network([to('198.19.3.0/24')]), 'network');
  assert.equal(network([is('destination', '203.0.113.0/24', '198.19.3.0/24')]), 'network');
  assert.equal(network([to('203.0.113.0/24')]), undefined);
  assert.equal(network([to('198.19.3.0/24')], { hook: 'input' }), undefined);
  assert.equal(network([to('198.19.3.0/24'), is('protocol', 'tcp')]), undefined);
  assert.equal(network([{ ...to('198.19.3.0/24'), negated: true }]), undefined);
  assert.equal(network([is('network', 'ip')]), undefined);
});
