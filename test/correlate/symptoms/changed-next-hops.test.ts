// A hand-set route of a, for what b has, was changed from b to an address that no known node has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticRouteMisconfig } from '#correlate/faults/routing/static-route.ts';
import { changedNextHopSymptoms } from '#correlate/symptoms/changed-next-hops.ts';
import { caseOf } from '../faults/proposing.ts';
import { pairWorld } from '../pair-scene.ts';

const PREFIX = '198.19.1.0/24';
const ADDRESS = '198.19.1.1';
const [OF_B, STRANGE] = ['198.18.10.2', '198.18.10.20'];
const was = (value: string, agoMs = 60_000) => ({
  history: {
    settings: [{ kind: 'static-route', subject: PREFIX, setting: 'to-b', was: value, agoMs }],
    settingsSpanMs: 600_000,
  },
});

type Scene = {
  readonly a?: object;
  readonly route?: object;
  readonly answer?: object;
  readonly row?: object;
  readonly more?: object;
};

function worldOf({ a = was(`unicast via ${OF_B}`), route = {}, answer = {}, row = {}, more = {} }: Scene) {
  const set = { prefix: PREFIX, kind: 'unicast', protocol: 'static', nextHop: STRANGE, ifname: 'to-b', ...route };
  const owners = new Map([
    [ADDRESS, [{ node: 'b', ifname: 'to-hosts' }]],
    [OF_B, [{ node: 'b', ifname: 'to-a' }]],
  ]);
  const lookup = {
    destination: ADDRESS,
    kind: 'unicast',
    ifname: 'to-b',
    nextHop: STRANGE,
    matched: PREFIX,
    ...answer,
  };
  return pairWorld(
    ['a-b', 'b-c'],
    { a: { now: { staticRoutes: [set], ...a } }, b: { now: {} }, c: { now: {} } },
    {
      owners,
      lookups: new Map([['a', new Map([[ADDRESS, lookup]])]]),
      reach: [{ from: 'a', destination: ADDRESS, sent: 25, received: 0, source: 'r', ...row }],
      ...more,
    },
  );
}
const textsOf = (scene: Scene) => changedNextHopSymptoms(worldOf(scene)).map(({ text }) => text);

test('a next hop that no node has, in place of one that leads there, and a loss: the route went astray', () => {
  const text = `{a} cannot send to ${ADDRESS} of {b}: ${PREFIX} went via ${OF_B} before, and goes via ${STRANGE}, which no known node has`;
  assert.deepEqual(textsOf({}), [text]);
  const whole = [{ prefix: PREFIX, nextHop: OF_B, kind: 'unicast' }];
  const past = [{ state: { staticRoutes: whole }, fromAgoMs: 60_000, untilAgoMs: 20_000 }];
  assert.deepEqual(textsOf({ a: { past } }), [text], 'whole states of before say so too');
});

test('without a change, without a loss, or with a next hop that a node has, nothing is said', () => {
  assert.deepEqual(textsOf({ a: {} }), [], 'no memory');
  assert.deepEqual(textsOf({ a: was(`unicast via ${STRANGE}`) }), [], 'the same next hop');
  assert.deepEqual(textsOf({ a: was('unicast via 198.18.10.21') }), [], 'another that no node has');
  assert.deepEqual(textsOf({ a: was(`unicast via ${OF_B}`, 600_000 - 5_000) }), [], 'it stood for a moment');
  assert.deepEqual(textsOf({ row: { received: 1 } }), []);
  assert.deepEqual(textsOf({ row: { sent: 0 } }), []);
  assert.deepEqual(textsOf({ row: { again: { sent: 5, received: 5 } } }), []);
  assert.deepEqual(textsOf({ row: { from: 'c' } }), []);
  assert.deepEqual(textsOf({ route: { nextHop: OF_B }, answer: { nextHop: OF_B } }), []);
  assert.deepEqual(textsOf({ answer: { nextHop: '198.18.10.9' } }), [], 'the kernel sends it another way');
  assert.deepEqual(textsOf({ route: { prefix: '198.19.2.0/24' } }), []);
  assert.deepEqual(textsOf({ route: { prefix: '0.0.0.0/0' } }), []);
});

const MAC = '00:0c:29:00:00:14';
/** a hears this device on the port, and the next hop has that MAC address. */
const hearing = (device: object, entry: object = {}) => ({
  ...was(`unicast via ${OF_B}`),
  neighbours: [{ ifname: 'to-b', systemName: 'fw2', portId: 'eth0', chassisId: 'fw2', unknownTlvs: [], ...device }],
  neighbourTable: [{ address: STRANGE, ifname: 'to-b', mac: MAC, state: 'REACHABLE', ...entry }],
});
const OTHER_MAKER = { chassisId: '00:1b:21:00:00:01' };

test('a router without an agent that may be the next hop is an excuse, and a host or a device of another maker is none', () => {
  assert.deepEqual(textsOf({ a: hearing({ chassisId: MAC }) }), [], 'it has that MAC address');
  assert.deepEqual(textsOf({ a: hearing({ portId: '00:0C:29:00:00:aa' }) }), [], 'another port of it may have it');
  assert.deepEqual(textsOf({ a: hearing({}) }), [], 'it says no MAC address');
  assert.deepEqual(textsOf({ a: { ...hearing(OTHER_MAKER), neighbourTable: [] } }), [], 'ARP was not read');
  const local = { mac: '52:54:00:00:00:14' };
  assert.deepEqual(textsOf({ a: hearing(OTHER_MAKER, local) }), [], 'a made-up address has no maker');
  const named = (scene: Scene, why: string) => assert.equal(textsOf(scene).length, 1, why);
  named({ a: hearing(OTHER_MAKER) }, 'a switch before a host');
  named({ a: hearing({ ifname: 'to-hosts' }) }, 'on another port');
  named({ a: hearing({ systemName: 'b' }) }, 'a node that gave its addresses');
  named({ a: hearing({}, { mac: undefined, state: 'FAILED' }) }, 'no device has the address');
  named({ a: { ...hearing({}), neighbours: [] } }, 'a host answers for its address too');
});

test('where anything behind the next hop answered, nothing is said: it drops our probes alone', () => {
  const probe = { from: 'a', destination: '198.19.1.7', service: 'tcp', port: 443, answered: true, open: true };
  const textsWith = (change: object, scene: Scene = {}) =>
    textsOf({ ...scene, more: { serviceProbes: [{ ...probe, ...change }] } }).length;
  assert.equal(textsWith({}), 0);
  assert.equal(textsWith({ answered: false, open: false }), 1);
  assert.equal(textsWith({ from: 'c' }), 1, 'it has another way');
  assert.equal(textsWith({ destination: '198.19.2.7' }), 1);
  assert.equal(textsWith({ via: { ifname: 'to-b', mac: MAC } }), 1, 'it was handed to a neighbour whatever the route');
  const part = { prefix: '198.19.1.0/29', kind: 'unicast', protocol: 'static', nextHop: OF_B, ifname: 'to-b' };
  const set = { prefix: PREFIX, kind: 'unicast', protocol: 'static', nextHop: STRANGE, ifname: 'to-b' };
  const split = { ...was(`unicast via ${OF_B}`), staticRoutes: [set, part] };
  assert.equal(textsWith({}, { a: split }), 1, 'a longer prefix leads there');
});

test('the next hop that was there before is named, and no exact change: the options of the route are not remembered', () => {
  const world = worldOf({});
  const [found] = staticRouteMisconfig.propose(caseOf(changedNextHopSymptoms(world), world), []);
  assert.deepEqual([found?.resource, found?.confidence], ['node/a', 'likely']);
  assert.equal(found?.remedy?.command, `no ip route ${PREFIX} ${STRANGE}; ip route ${PREFIX} ${OF_B}`);
  assert.equal(found?.remedy?.change, undefined);
  assert.equal(found?.remedy?.summary, `route ${PREFIX} via ${OF_B} again on {a}`);
});
