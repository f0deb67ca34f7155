// Routing neighbours in the proof of health: those that gave no state are lacking, or told not to have been tested.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neighbourProof } from '#correlate/health/proof-neighbours.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { PARLEY_OUI } from '#model/peer.ts';
import { pairWorld, type State } from '../pair-scene.ts';

const intentOf = (change: Partial<Intent>, as: string): Intent => ({
  ...{ kind: 'fault', text: 'What is wrong?', path: [{ as, key: nodeKey(as) }], encapsulation: 'ip' },
  ...change,
});
const owners = new Map([['198.18.9.3', [{ node: 'c', ifname: 'lo' }]]]);
/** How many lines say that all is well, and what is said to lack, names as in the question; b has `far` besides. */
function about(now: State, intent = intentOf({}, 'a'), more: object = {}, far: State = {}) {
  const bare = { neighbours: [] };
  const states = { a: { now: { ...bare, ...now } }, b: { now: { ...bare, ...far } }, c: { now: bare } };
  const { proven, lacking } = neighbourProof(intent, pairWorld(['a-b', 'b-c'], states, { whole: false, ...more }));
  return [proven.length, lacking.map((line) => line.replace(/[^\x20-\x7e→–]/g, ''))];
}
const withAgent = (now: State): State => ({
  ...now,
  neighbours: [{ ifname: 'eth7', systemName: 'z', unknownTlvs: [{ oui: PARLEY_OUI }] }],
});

test('neighbours that announce an agent and gave no state are lacking; routers without one are told not to have been tested', () => {
  const adjacency = (change: object) => ({ adjacencies: [{ ifname: 'eth7', hostname: 'z', state: 'up', ...change }] });
  assert.match(String(about(withAgent(adjacency({})))), /eth7: the IS-IS neighbour z gave no state/);
  assert.deepEqual(about(adjacency({})), [1, []], 'it announces no agent');
  const silent = { nodes: ['a', 'b', 'c', 'z'] };
  assert.match(String(about(adjacency({}), intentOf({}, 'a'), silent)), /the IS-IS neighbour z gave no state/);
  assert.deepEqual(about(adjacency({}), intentOf({}, 'a'), { ...silent, agentless: new Set(['z']) }), [1, []]);
  assert.deepEqual(about(adjacency({ state: 'down' })), [0, []]);
  assert.deepEqual(about(adjacency({ ifname: 'to-b' })), [0, []]);
  assert.deepEqual(about(adjacency({ hostname: 'B' })), [0, []]);
  assert.match(String(about(withAgent(adjacency({ hostname: 'not a name' })))), /the IS-IS neighbour gave no state/);
  assert.deepEqual(about(adjacency({}), intentOf({ kind: 'reachability' }, 'a')), [0, []]);
  assert.deepEqual(about(adjacency({}), intentOf({}, 'b')), [0, []]);
  assert.deepEqual(about(adjacency({}), intentOf({}, 'b'), { whole: true }), [1, []]);
  const ospf = (ifname: string, address: string) => ({
    ospf: [{ ifname, neighbours: [{ routerId: '198.18.255.2', address, state: 'Full' }] }],
  });
  assert.match(String(about(withAgent(ospf('eth7', '198.18.1.1')))), /the OSPF neighbour.* gave no state/);
  const twice = { ospf: ['eth7', 'eth8'].flatMap((ifname) => ospf(ifname, '198.18.1.1').ospf) };
  assert.deepEqual(about(twice), [1, []], 'one line a router');
  assert.deepEqual(about(ospf('to-b', '198.18.1.1')), [0, []]);
  assert.deepEqual(about(ospf('eth7', '198.18.9.3'), intentOf({}, 'a'), { owners }), [0, []]);
  const lldp = (ifname: string, oui: string) => ({
    neighbours: [{ ifname, systemName: 'sw1', unknownTlvs: [{ oui }] }],
  });
  assert.deepEqual(about(lldp('eth7', '001122')), [1, []], 'what lies behind it is told not to have been looked at');
  assert.deepEqual(about(lldp('to-b', '001122')), [0, []]);
  const bgp = (peer: string, state: string) => ({ bgp: { sessions: [{ peer, state }] } });
  assert.deepEqual(about(bgp('203.0.113.1', 'Established')), [1, []]);
  assert.deepEqual(about(bgp('198.18.9.3', 'Established'), intentOf({}, 'a'), { owners }), [0, []]);
});

test('a neighbour of OSPFv3 is known by the router id of OSPFv3 that a node tells, and by nothing else', () => {
  const [known, strange] = ['192.0.2.2', '192.0.2.9'];
  const heard = (routerId: string, change: object = {}) => [
    { version: 3, ifname: 'eth7', neighbours: [{ routerId, address: 'fe80::2', state: 'Full' }], ...change },
  ];
  const told = [{ version: 3, ifname: 'to-a', routerId: known, neighbours: [] }];
  const asked = (now: State, far: State, more: object = {}) => about(now, intentOf({}, 'a'), more, far);
  assert.match(String(about(withAgent({ ospf6: heard(strange) }))), /the OSPFv3 neighbour 192\.0\.2\.9 gave no state/);
  assert.deepEqual(asked({ ospf6: heard(known) }, { ospf6: told }), [0, []]);
  assert.deepEqual(asked({ ospf6: heard(strange) }, { ospf6: told }), [1, []]);
  assert.deepEqual(asked({ ospf6: heard(known) }, { ospf: told }), [1, []], 'a router id of OSPFv2');
  assert.deepEqual(asked({ ospf: heard(known, { version: undefined }) }, { ospf6: told }), [1, []]);
  const linkLocal = { owners: new Map([['fe80::2', [{ node: 'b', ifname: 'to-a' }]]]) };
  assert.deepEqual(asked({ ospf6: heard(strange) }, { ospf6: told }, linkLocal), [1, []], 'it is no node’s own');
});
