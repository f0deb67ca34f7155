// Probes through a router that gave no state, and only where its neighbours know the link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planNonReportingLinks, planNonReportingLinksAgain } from '#measure/links/non-reporting-links.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const ALL = ['r1', 'r2', 'r3'];
const MACS = { r1: '02:00:00:00:02:01', r3: '02:00:00:00:02:02' } as const;

/** r1 and r3 on either side of r2, which gives no state. */
function around(change: Partial<NodeState> = {}): ReadonlyMap<string, NodeState> {
  const near = (number: 1 | 3, ifname: string, mac: string): NodeState => ({
    ...stateOf(number),
    neighbourTable: [{ address: 'fe80::2', ifname, mac, state: 'REACHABLE' }],
  });
  return new Map([
    ['r1', { ...near(1, 'eth2', MACS.r1), ...change }],
    ['r3', near(3, 'eth1', MACS.r3)],
  ]);
}

const idsOf = (states: ReadonlyMap<string, NodeState>, mute: ReadonlySet<string> = new Set()) =>
  planNonReportingLinks(ALL, states, mute).map(({ id }) => id);

test('each neighbour probes back to itself and across to the other', () => {
  const calls = planNonReportingLinks(ALL, around(), new Set());
  assert.deepEqual(
    calls.map(({ id }) => id),
    [
      'probe/r1:eth2/past/r2/r1:eth2',
      'probe/r1:eth2/past/r2/r3:eth1',
      'probe/r3:eth1/past/r2/r3:eth1',
      'probe/r3:eth1/past/r2/r1:eth2',
    ],
  );
  const way = ({ destination, source, segments, via }: Readonly<Record<string, unknown>>) => [
    ...[destination, source, segments, via],
  ];
  assert.deepEqual(
    calls.slice(0, 2).map((call) => way(call.arguments)),
    [
      ['fd00:0:0:1::1', 'fd00:0:0:1::1', ['fd00:5a:1::d6'], { ifname: 'eth2', mac: MACS.r1 }],
      ['fd00:1:2::1', 'fd00:1:1::', [], undefined],
    ],
  );
});

test('a router that nobody asked is none of these', () => {
  assert.deepEqual(planNonReportingLinks(['r1', 'r3'], around(), new Set()), []);
});

test('nothing is sent where all gave their state, or one neighbour alone is left', () => {
  assert.deepEqual(idsOf(new Map([...around(), ['r2', stateOf(2)]])), []);
  assert.deepEqual(idsOf(around(), new Set(['r1'])), []);
});

test('a port with two names or two addresses behind it is none of these links', () => {
  const row = { address: 'fe80::9', ifname: 'eth2', mac: '02:00:00:00:09:09', state: 'STALE' };
  const known = around().get('r1')!.neighbourTable!;
  assert.deepEqual(idsOf(around({ neighbourTable: [...known, row] })), []);
  const stranger = { ifname: 'eth2', chassisId: 'x', portId: 'eth7', systemName: 'r7', unknownTlvs: [] };
  assert.deepEqual(idsOf(around({ neighbours: [...stateOf(1).neighbours, stranger] })), []);
});

test('a second look is taken through those alone that lost probes', () => {
  const again = (...lossy: readonly string[]) =>
    planNonReportingLinksAgain(ALL, around(), new Set(), new Set(lossy)).map(({ id, phase }) => [id, phase]);
  assert.deepEqual(again(), []);
  assert.deepEqual(again('r2').slice(0, 1), [['deepen/r1:eth2/past/r2/r1:eth2', 'deepen']]);
  assert.equal(again('r2').length, 4);
});
