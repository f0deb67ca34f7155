// arp_cache_poisoning: a real router's table has a fixed entry for its neighbour at a MAC address that the neighbour does not have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';
import { arpCachePoisoning } from '#correlate/faults/nodes/arp-cache-poisoning.ts';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import { linkOf } from '../../pair-scene.ts';
import { recorded } from '../../recording.ts';
import { at, drawn, named, ring } from '../../ring.ts';
import { caseOf, explained, onLink, symptom } from '../proposing.ts';

test('a fixed entry is deleted as it is', () => {
  const live = [{ kind: 'neighbour-delete', ifname: 'eth2', address: '198.18.2.1', mac: '02:11:22:33:44:55' }];
  assert.deepEqual(drawn(recorded('arp')), [['arp_cache_poisoning node/r2', { live }]]);
});

/** r1's entry for r2, whose MAC address is de:78:0a:60:e8:d2. */
const entry = (change: Partial<NeighbourEntry>) =>
  ring(
    at(['r1'], (state) => ({
      ...state,
      neighbourTable: state.neighbourTable!.map((row) => (row.address === '198.18.1.1' ? { ...row, ...change } : row)),
    })),
  );

test('an entry that was learned goes by itself, and is likely', () => {
  const input = entry({ mac: '02:11:22:33:44:55' });
  assert.deepEqual(drawn(input), [['arp_cache_poisoning node/r1', undefined]]);
  const [finding] = diagnose(input).findings;
  assert.deepEqual([finding?.confidence, finding?.remedy?.command], ['likely', 'ip neigh del 198.18.1.1 dev eth1']);
});

test('an entry that is no longer believed, and one that is right, accuse no node', () => {
  assert.deepEqual(named(entry({ mac: '02:11:22:33:44:55', state: 'STALE' })), []);
  assert.deepEqual(named(entry({ mac: 'DE:78:0A:60:E8:D2' })), []);
});

const wrong = (address: string, change: object = {}) =>
  onLink('entry', 'a-b', {
    nodes: ['a'],
    detail: { node: 'a', ifname: 'to-b', address, mac: '02:AA', ownerMac: '02:bb', fixed: true, ...change },
  });
const explainedBy = (entry: Symptom, others: readonly Symptom[]) =>
  explained(arpCachePoisoning, caseOf([entry, ...others]));
const session = (kind: string, pair: string, peer: string) =>
  onLink(kind, pair, { id: `${kind} ${pair} ${peer}`, detail: { peer } });
const echo = (pair: string, destination: string) =>
  symptom('reach', { id: `echo ${pair}`, way: { links: [linkOf(pair).key], nodes: [] }, detail: { destination } });

test('sessions and echoes of the same family over that link are lost with it, and OSPF of IPv4', () => {
  const [four, six] = ['198.18.1.1', 'fd00::1'];
  const others = [
    session('bgp', 'a-b', four),
    session('bfd', 'a-b', four),
    session('bgp', 'b-c', four),
    session('bgp', 'a-b', six),
    echo('a-b', four),
    echo('b-c', four),
    onLink('ospf', 'a-b', { id: 'ospf a-b' }),
    onLink('ospf', 'b-c', { id: 'ospf b-c' }),
    onLink('isis', 'a-b'),
  ];
  assert.deepEqual(explainedBy(wrong(four), others), [
    ['node/a', ['bfd a-b 198.18.1.1', 'bgp a-b 198.18.1.1', 'echo a-b', 'entry', 'ospf a-b']],
  ]);
  assert.deepEqual(explainedBy(wrong(six), [...others, echo('a-b', six)]), [
    ['node/a', ['bgp a-b fd00::1', 'echo a-b', 'entry']],
  ]);
});

test('OSPFv3 speaks from link-local addresses: an entry for another address takes none of its adjacencies along', () => {
  const adjacencies = [
    onLink('ospf', 'a-b', { id: 'v2' }),
    onLink('ospf', 'a-b', { id: 'v3', detail: { version: 3 } }),
  ];
  assert.deepEqual(explainedBy(wrong('198.18.1.1'), adjacencies), [['node/a', ['entry', 'v2']]]);
  assert.deepEqual(explainedBy(wrong('fd00::1'), adjacencies), [['node/a', ['entry']]]);
});

test('an entry without an answer is another fault; a fixed one outweighs one that was learned', () => {
  assert.deepEqual(explainedBy(wrong('198.18.1.1', { unresolved: true }), []), []);
  const [fixed] = arpCachePoisoning.propose(caseOf([wrong('198.18.1.1')]), []);
  const [learned] = arpCachePoisoning.propose(caseOf([wrong('198.18.1.1', { fixed: false })]), []);
  assert.deepEqual([fixed?.score, learned?.score], [4, 3]);
  assert.deepEqual([fixed?.confidence, learned?.confidence], ['certain', 'likely']);
  assert.deepEqual(fixed?.remedy?.change?.live, [
    { kind: 'neighbour-delete', ifname: 'to-b', address: '198.18.1.1', mac: '02:aa' },
  ]);
  assert.deepEqual(fixed?.details, {
    ...{ what: 'text of entry', node: 'a', interface: 'to-b', address: '198.18.1.1' },
    ...{ mac: '02:AA', true: '02:bb', fixed: true },
  });
});
