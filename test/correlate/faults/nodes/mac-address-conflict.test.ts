// mac_address_conflict: both ends of a link have one MAC address, by what both report, or by what one end alone reports of a neighbour
// that cannot be asked for this very reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { macAddressConflict } from '#correlate/faults/nodes/mac-address-conflict.ts';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { linkOf, pairWorld } from '../../pair-scene.ts';
import { withInterface } from '../../recording.ts';
import { at, named, ring } from '../../ring.ts';
import { sceneOf } from '../../scope-scene.ts';
import { caseOf, lossOf, onLink, symptom } from '../proposing.ts';

const ownMac = at(['r1'], (state) => withInterface(state, 'eth1', () => ({ mac: 'de:78:0a:60:e8:d2' })));

test('two ends that report one MAC address are both named', () => {
  const { findings } = diagnose(ring(ownMac));
  assert.deepEqual(
    findings.map(({ fault, resource, remedy }) => [`${fault} ${resource}`, remedy?.summary]),
    [
      ['mac_address_conflict interface/r1/eth1', 'give r1 eth1 or its other end a MAC address of its own'],
      ['mac_address_conflict interface/r2/eth1', 'give r2 eth1 or its other end a MAC address of its own'],
    ],
  );
  assert.deepEqual(named(ring()), []);
});

/** r2's table has 198.18.2.1 of r3, which does not answer, at `mac`; its own port there has 02:00:00:00:02:02. */
function found(mac: string, state = 'STALE', isSilent = true) {
  const row: NeighbourEntry = { address: '198.18.2.1', ifname: 'eth2', mac, state };
  const r2 = (known: NodeState) => ({ ...known, neighbourTable: [row] });
  const scene = sceneOf({ states: { r2 } });
  const evidence = scene.evidence.filter(({ node, kind }) => !isSilent || node !== 'r3' || kind !== 'state');
  return named({ ...scene, evidence });
}

test('a neighbour with the MAC address of the port that hears it shares it: both ends are named', () => {
  assert.deepEqual(found('02:00:00:00:02:02'), [
    'mac_address_conflict interface/r2/eth2',
    'mac_address_conflict interface/r3/eth1',
  ]);
});

test('an address of its own, or one that an operator typed, accuses no node', () => {
  assert.deepEqual(found('02:00:00:00:03:01'), []);
  assert.deepEqual(found('02:00:00:00:02:02', 'PERMANENT'), []);
});

test('where the other end answers, it is asked for its MAC address', () => {
  assert.deepEqual(found('02:00:00:00:02:02', 'STALE', false), []);
});

const MAC = '02:00:00:00:00:0A';
type Row = Readonly<Record<string, unknown>>;
/** a hears b, which gave no state, behind `to-b`, where it has MAC itself; its table has one entry there. */
function claimed(
  row: Row,
  change: { readonly now?: object; readonly before?: readonly Row[]; readonly more?: object } = {},
) {
  const entry = { ifname: 'to-b', address: '198.18.12.1', mac: MAC.toLowerCase(), state: 'REACHABLE', ...row };
  const interfaces = [{ name: 'to-b', mac: MAC, addresses: ['198.18.12.0/31'] }];
  const neighbours = [{ ifname: 'to-b', systemName: 'b', portId: 'to-a' }];
  const now = { inventory: { interfaces }, neighbours, neighbourTable: [entry], ...change.now };
  const before = change.before === undefined ? {} : { before: { ...now, neighbourTable: change.before } };
  const world = pairWorld([], { a: { now, ...before } }, { nodes: ['a', 'b'], ...change.more });
  return macAddressConflict.detect!({ world, facts: [] });
}
const ownersIn = (...given: Parameters<typeof claimed>) => claimed(...given).map(({ detail }) => detail['owners']);
const BOTH = [['interface/a/to-b', 'interface/b/to-a']];

test('an entry of the other end at the port’s own MAC address, however it is written', () => {
  assert.deepEqual(ownersIn({}), BOTH);
  assert.deepEqual(ownersIn({ mac: '02:00:00:00:00:0b' }), []);
  assert.deepEqual(ownersIn({ mac: undefined }), []);
  assert.deepEqual(ownersIn({ ifname: 'to-c' }), []);
  assert.deepEqual(ownersIn({ address: '198.18.12.0' }), [], 'its own address');
  for (const state of ['PERMANENT', 'NOARP']) assert.deepEqual(ownersIn({ state }), [], state);
  assert.deepEqual(
    ownersIn({ mac: undefined }, { before: [{ ifname: 'to-b', address: '198.18.12.1', mac: MAC, state: 'STALE' }] }),
    BOTH,
  );
});

test('both ends must be known, and where both report they are compared instead', () => {
  assert.deepEqual(ownersIn({}, { now: { neighbours: [] } }), []);
  assert.deepEqual(ownersIn({}, { now: { neighbours: [{ ifname: 'to-b', systemName: 'x', portId: 'to-a' }] } }), []);
  assert.deepEqual(ownersIn({}, { now: { neighbours: [{ ifname: 'to-b', systemName: 'b' }] } }), []);
  assert.deepEqual(ownersIn({}, { now: { neighbours: [{ ifname: 'to-d', systemName: 'b', portId: 'to-a' }] } }), []);
  assert.deepEqual(ownersIn({}, { more: { links: [linkOf('a-b')] } }), []);
});

test('sessions towards the silent end follow from it; both ends are likely, and one fault', () => {
  const [found] = claimed({});
  const world = pairWorld([], {
    a: { now: { inventory: { interfaces: [{ name: 'to-b', addresses: ['198.18.12.0/31'] }] } } },
  });
  const session = (id: string, peer: string) => symptom('bgp', { id, detail: { node: 'a', peer } });
  const file = caseOf([found!, session('facing', '198.18.12.1'), session('elsewhere', '198.18.13.1')], world);
  assert.deepEqual(
    macAddressConflict
      .propose(file, [])
      .map(({ resource, score, confidence, together, explains }) => [
        ...[resource, score, confidence, together === found!.id, explains.map(({ symptom: id }) => id).at(-1)],
      ]),
    BOTH[0]!.map((resource) => [resource, 4, 'likely', true, 'facing']),
  );
});

test('what runs over a link whose two ends share a MAC address follows from that', () => {
  const port = (name: string) => ({ inventory: { interfaces: [{ name, mac: MAC }] } });
  const world = pairWorld(['a-b'], { a: { now: port('to-b') }, b: { now: port('to-a') } });
  const [found, ...rest] = macAddressConflict.detect!({ world, facts: [] });
  assert.deepEqual(rest, []);
  const file = caseOf([found!, onLink('isis', 'a-b'), onLink('isis', 'b-c', { id: 'other' })], world);
  assert.deepEqual(
    macAddressConflict.propose(file, [lossOf('a', 'b')]).map(({ resource, confidence, explains }) => [
      ...[
        resource,
        confidence,
        explains
          .map(({ symptom: id }) => id)
          .slice(1)
          .join(),
      ],
    ]),
    ['interface/a/to-b', 'interface/b/to-a'].map((resource) => [resource, 'certain', 'isis,loss a>b']),
  );
  const other = pairWorld(['a-b'], {
    a: { now: port('to-b') },
    b: { now: { inventory: { interfaces: [{ name: 'to-a' }] } } },
  });
  assert.deepEqual(macAddressConflict.detect!({ world: other, facts: [] }), []);
});
