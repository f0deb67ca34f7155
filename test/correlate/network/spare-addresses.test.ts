// A router with a second loopback address that it keeps to itself, in a network whose BGP carries the first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { routeSymptoms as symptomsOf } from '#correlate/symptoms/routes.ts';
import type { BgpSession, BgpState } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { pairWorld } from '../pair-scene.ts';
import { sceneOf } from '../scope-scene.ts';

const SPARE = '198.18.255.3';

function session(peer: string): BgpSession {
  return {
    peer,
    remoteAs: 65_000,
    localAs: 65_000,
    state: 'Established',
    shutdown: false,
    password: false,
    established: 1,
    dropped: 0,
    policies: [],
    families: ['ipv4', 'ipv6'],
  };
}

function withBgp(peers: readonly string[], rest: Partial<BgpState> = {}) {
  const bgp = { asn: 65_000, networks: [], redistribute: [], ownPrefixes: [], ...rest };
  return (state: NodeState): NodeState => ({ ...state, bgp: { ...bgp, sessions: peers.map(session) } });
}

/** Symptoms of routes when r3 has a second loopback address to which r1 has no route, with whatever is different. */
function routeSymptoms(different: { readonly routerId?: string; readonly destination?: string } = {}) {
  const { intent, nodeNames, evidence, outcomes } = sceneOf({
    states: {
      r1: withBgp(['198.18.1.1']),
      r2: withBgp(['198.18.1.0', '198.18.2.1']),
      r3: (state) => {
        const { routerId } = different;
        const known = withBgp(['198.18.2.0'], routerId === undefined ? {} : { routerId })(state);
        const interfaces = known.inventory.interfaces.map((each) =>
          each.name === 'lo' ? { ...each, addresses: [...each.addresses, `${SPARE}/32`] } : each,
        );
        return { ...known, inventory: { ...known.inventory, interfaces } };
      },
    },
    lookups: { r1: [{ destination: SPARE, kind: 'none' }] },
  });
  const { destination } = different;
  const question = destination === undefined ? intent : { ...intent, destination };
  const file = caseFileOf(question, nodeNames, evidence, outcomes);
  return file.symptoms.filter(({ kind }) => kind === 'route').map(({ text }) => text.replace(/[{}]/g, ''));
}

test('a second loopback address that nobody is told of is no symptom', () => {
  assert.deepEqual(routeSymptoms(), []);
});

test('it is one when it names its router, or the question is about it', () => {
  const symptom = [`r1 cannot send to ${SPARE} of r3: r1 has no route`];
  assert.deepEqual(routeSymptoms({ routerId: SPARE }), symptom);
  assert.deepEqual(routeSymptoms({ destination: SPARE }), symptom);
});

/** a and b send what c alone knows to one another, by the routes that `matched` says. */
function loopingTo(matched: string, { bgp = {}, settings = [] as readonly object[] } = {}) {
  const address = '192.0.2.9';
  const answer = (ifname: string) => new Map([[address, { destination: address, kind: 'unicast', ifname, matched }]]);
  const lookups = new Map([
    ['a', answer('to-b')],
    ['b', answer('to-a')],
  ]);
  const routing = { daemons: [{ name: 'zebra', alive: true }] };
  const states = {
    a: { now: { ...routing, staticRoutes: [], history: { settingsSpanMs: 9e6, hosts: [], settings } } },
    b: { now: routing },
    c: { now: { ...routing, ...bgp } },
  };
  const owners = new Map([[address, [{ node: 'c', ifname: 'lo' }]]]);
  const world = pairWorld(['a-b', 'b-c'], states, { owners, lookups });
  return symptomsOf(world).map(({ detail }) => detail.how);
}

test('an address that no node knows but its own is not owed to nodes whose default routes lead to one another', () => {
  assert.deepEqual(loopingTo('default'), []);
  assert.deepEqual(loopingTo('192.0.2.0/24'), ['loop']);
  const lost = { kind: 'static-route', subject: '192.0.2.9/32', was: 'unicast via 198.18.1.1', agoMs: 60_000 };
  assert.deepEqual(loopingTo('default', { settings: [lost] }), ['loop'], 'one of them had a route');
});
