// An address that no node reaches and whose like are reached by none: a symptom only where its node announced it before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeSymptoms } from '#correlate/symptoms/routes.ts';
import { pairWorld } from '../pair-scene.ts';

const [LAN, OTHER] = ['198.19.1.1', '198.19.2.1'];

/** b has the address, a lacks a route to it and to its like at c. */
function symptoms(history: object = {}) {
  const speaker = (asn: number, peer: string, more: object = {}) => ({
    bgp: {
      ...{ asn, networks: [], redistribute: [], policies: [], ownPrefixes: [] },
      sessions: [{ peer, state: 'Established', families: ['ipv4'], remoteAs: 0, localAs: asn, policies: [] }],
      ...more,
    },
    daemons: [{ name: 'bgpd', alive: true }],
  });
  const port = (address: string) => ({
    inventory: {
      interfaces: [{ name: 'eth3', kind: 'physical', adminUp: true, operUp: true, addresses: [`${address}/24`] }],
      loopbacks: [],
    },
  });
  const own = [{ prefix: `${LAN}/24`, originated: false, advertisedTo: [] }];
  const none = (destination: string) => [destination, { destination, kind: 'none' }] as const;
  const world = pairWorld(
    ['a-b', 'a-c'],
    {
      a: { now: speaker(65_001, '198.18.12.1') },
      b: { now: { ...speaker(65_002, '198.18.12.0', { ownPrefixes: own }), ...port(LAN), history } },
      c: { now: { ...speaker(65_003, '198.18.13.0'), ...port(OTHER) } },
    },
    {
      owners: new Map([
        [LAN, [{ node: 'b', ifname: 'eth3' }]],
        [OTHER, [{ node: 'c', ifname: 'eth3' }]],
        ['198.18.12.0', [{ node: 'a', ifname: 'to-b' }]],
        ['198.18.12.1', [{ node: 'b', ifname: 'to-a' }]],
        ['198.18.13.0', [{ node: 'a', ifname: 'to-c' }]],
      ]),
      lookups: new Map([['a', new Map([none(LAN), none(OTHER)])]]),
    } as never,
  );
  return routeSymptoms(world).map(({ detail }) => `${detail.from} ${detail.destination} ${detail.how}`);
}

test('what its node announced before and does not now is missed, whatever becomes of its like', () => {
  const change = { kind: 'announced', subject: `${LAN.slice(0, -1)}0/24`, was: 'all', agoMs: 60_000 };
  assert.deepEqual(symptoms(), []);
  assert.deepEqual(symptoms({ settingsSpanMs: 9e6, settings: [change] }), [`a ${LAN} none`]);
  assert.deepEqual(symptoms({ settingsSpanMs: 9e6, settings: [{ ...change, subject: '198.19.9.0/24' }] }), []);
});
