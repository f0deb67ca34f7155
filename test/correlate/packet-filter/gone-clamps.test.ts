// A rule that limited the segments of TCP and is gone, where packets must be smaller than on the node's other interfaces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { goneClampLines, goneClampRemarks } from '#correlate/packet-filter/gone-clamps.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import { filterRows, filterSetting, filterSubject } from '#model/settings/filter-settings.ts';
import { pairWorld } from '../pair-scene.ts';
import { along } from '../path-scene.ts';
import { sceneOf } from '../scope-scene.ts';

const CLAMP: FilterRule = {
  ...{ family: 'ip', table: 'mangle', chain: 'FORWARD', path: ['FORWARD'], hook: 'forward', handle: 2 },
  ...{ verdict: 'other', outInterfaces: ['vx7'], inInterfaces: [], matches: [], matchesRest: true },
  rewrites: ['tcp option maxseg size = not told'],
};
const NEEDS = { acting: [], writing: [], clamping: [], passing: [], leaving: [] };
const port = (name: string, mtu: number, change: object = {}) => ({
  ...{
    name,
    mtu,
    kind: 'physical',
    adminUp: true,
    operUp: true,
    addresses: [],
    counters: { rxPackets: '9' },
    ...change,
  },
});
const PORTS = [port('lo', 65_536, { kind: 'loopback' }), port('eth1', 1_500), port('vx7', 1_400, { kind: 'other' })];

type Scene = {
  readonly was?: Partial<FilterRule>;
  readonly now?: readonly Partial<FilterRule>[];
  readonly agoMs?: number;
  /** Words of the rule after a change. */
  readonly becomes?: string;
  readonly ports?: readonly object[];
  readonly state?: object;
};

function worldOf({ was = {}, now = [], agoMs = 60_000, becomes, ports = PORTS, state = {} }: Scene) {
  const gone = { ...CLAMP, ...was };
  const [row] = filterRows({ filters: [gone] }, NEEDS);
  const change = {
    ...{ kind: 'filter', subject: filterSubject(gone), setting: filterSetting(gone), was: row!.value, agoMs },
    ...(becomes === undefined ? {} : { is: becomes }),
  };
  const history = { settingsSpanMs: 9e6, settings: [change] };
  const filters = now.map((rule) => ({ ...CLAMP, handle: 9, ...rule }));
  const a = { filters, missing: [], inventory: { interfaces: ports }, history, ...state } as never;
  return pairWorld(['a-b'], { a: { now: a }, b: { now: {} } });
}
const linesOf = (scene: Scene) => goneClampLines(worldOf(scene));
const LINE =
  '{a}: a rule of ip mangle FORWARD that limited the segments of TCP (tcp option maxseg size = not told, to vx7) is gone; vx7 takes packets of 1400 octets, others of the node 1500: large TCP packets over it may be lost';

test('a rule that limited the segments of TCP and is gone is told for an hour, and is a remark later', () => {
  assert.deepEqual(linesOf({}), [LINE]);
  assert.deepEqual(goneClampRemarks(worldOf({})), []);
  assert.deepEqual(linesOf({ agoMs: 3_600_000 }), []);
  const [remark, ...others] = goneClampRemarks(worldOf({ agoMs: 3_600_000 }));
  assert.deepEqual([remark?.kind, remark?.resource, remark?.text], ['mtu_mismatch', 'interface/a/vx7', LINE]);
  assert.deepEqual(others, []);
  assert.deepEqual(goneClampLines({ ...worldOf({}), seen: new Map() }), [], 'of a remembered moment');
});

test('nothing is told where the same packets are limited by another rule, loaded again or of another program', () => {
  assert.deepEqual(linesOf({ now: [{}] }), []);
  assert.deepEqual(linesOf({ now: [{ family: 'inet', table: 'fw', outInterfaces: [] }] }), []);
  assert.equal(linesOf({ now: [{ family: 'ip6' }] }).length, 1, 'of the other family');
  assert.equal(linesOf({ now: [{ outInterfaces: [], inInterfaces: ['vx7'] }] }).length, 1, 'of the other direction');
  assert.equal(linesOf({ now: [{ rewrites: ['ip dscp = ef'] }] }).length, 1, 'it writes something else');
  const both = { was: { outInterfaces: ['vx7', 'vx8'] } };
  assert.deepEqual(linesOf({ ...both, now: [{}, { outInterfaces: ['vx8'] }] }), [], 'one rule for each');
  assert.equal(linesOf({ ...both, now: [{ outInterfaces: ['vx8'] }] }).length, 1);
});

test('nothing is told where no interface of the rule takes smaller packets, or where rules could not be read', () => {
  const sizes = (...ports: readonly object[]) => linesOf({ ports });
  assert.deepEqual(sizes(port('eth1', 1_400), port('vx7', 1_400)), []);
  assert.deepEqual(sizes(port('eth1', 1_500, { operUp: false }), port('vx7', 1_400)), [], 'the larger one is down');
  assert.deepEqual(sizes(port('eth1', 1_500), port('vx8', 1_400)), [], 'its interface is gone');
  assert.deepEqual(linesOf({ state: { missing: [{ part: 'filters', reason: 'timeout' }] } }), []);
  assert.deepEqual(linesOf({ was: { rewrites: ['ip dscp = ef'] } }), [], 'another rule');
});

test('a rule for all interfaces, or for what enters by a larger one, is about the smallest', () => {
  const ports = [...PORTS, port('vx8', 1_450)];
  const about = (was: Partial<FilterRule>) => linesOf({ was, ports }).map((line) => / is gone; (\S+) /.exec(line)?.[1]);
  assert.deepEqual(about({ outInterfaces: [] }), ['vx7']);
  assert.deepEqual(about({ outInterfaces: [], inInterfaces: ['eth1'] }), ['vx7']);
  assert.deepEqual(about({ outInterfaces: [], inInterfaces: ['ppp0'] }), [], 'by one that is gone too');
  assert.deepEqual(about({ outInterfaces: ['eth1'] }), [], 'packets leave by a larger one alone');
  assert.deepEqual(about({ outInterfaces: ['vx8'], inInterfaces: ['vx7'] }), ['vx7', 'vx8']);
});

const TUNNEL_ONLY = [{ outInterfaces: ['vx7'] }, { outInterfaces: [], inInterfaces: ['vx7'] }];

test('a rule in place of two, and two in place of one, limit the same packets', () => {
  const inet = { family: 'inet', table: 'fw' };
  const [four, six] = [{ family: 'ip' }, { family: 'ip6' }];
  assert.deepEqual(linesOf({ was: inet, now: [four, six] }), []);
  assert.equal(linesOf({ was: inet, now: [four] }).length, 1, 'none for IPv6');
  const onlyFour = { matches: [{ field: 'network', values: ['ip'] }] } as const;
  assert.deepEqual(linesOf({ was: { ...inet, ...onlyFour }, now: [four] }), []);
  assert.deepEqual(linesOf({ now: [{ ...inet, ...onlyFour }] }), []);
  assert.deepEqual(linesOf({ was: { outInterfaces: [] }, now: TUNNEL_ONLY }), []);
  assert.equal(linesOf({ was: { outInterfaces: [] }, now: TUNNEL_ONLY.slice(0, 1) }).length, 1, 'one direction');
  const ports = [...PORTS, port('eth2', 1_500)];
  const [from1, from2] = [{ inInterfaces: ['eth1'] }, { inInterfaces: ['eth2'] }];
  assert.deepEqual(linesOf({ ports, now: [from1, from2] }), [], 'one rule for each other interface');
  assert.equal(linesOf({ ports, now: [from1] }).length, 1, 'what enters by eth2 is not limited');
  const red = [port('eth1', 1_500, { master: { name: 'red', kind: 'vrf' } }), port('red', 65_575, { kind: 'other' })];
  assert.deepEqual(
    linesOf({ ports: [...red, PORTS[2]!], now: [{ inInterfaces: ['red'] }] }),
    [],
    'by the name of a VRF',
  );
});

test('a rule that takes only some of the packets, or lets larger segments pass, is not in its place', () => {
  const size = (of: number | string) => ({ rewrites: [`tcp option maxseg size = ${of}`] });
  const [tcp, one] = [
    { field: 'protocol', values: ['tcp'] },
    { field: 'destination', values: ['203.0.113.7'] },
  ] as const;
  assert.deepEqual(linesOf({ now: [{ matches: [tcp] }] }), []);
  assert.equal(linesOf({ now: [{ matches: [tcp, one] }] }).length, 1, 'one destination');
  assert.deepEqual(linesOf({ was: { matches: [one, tcp] }, now: [{ matches: [tcp, one] }] }), [], 'it was so before');
  assert.deepEqual(linesOf({ now: [{ hook: 'postrouting', chain: 'POSTROUTING', path: ['POSTROUTING'] }] }), []);
  const own = { hook: 'output', chain: 'OUTPUT', path: ['OUTPUT'] };
  assert.equal(linesOf({ now: [own] }).length, 1, 'what the node sends itself');
  assert.deepEqual(linesOf({ was: own, now: [own] }), [], 'loaded again');
  assert.deepEqual(linesOf({ was: size(1_340), now: [size(1_340)] }), []);
  assert.deepEqual(linesOf({ was: size(1_340), now: [size(1_360)] }), [], 'it suits the interface');
  assert.equal(linesOf({ was: size('rt mtu'), now: [size(1_361)] }).length, 1);
  assert.equal(linesOf({ was: size(1_340), now: [{ ...size(1_460), handle: 2 }] }).length, 1);
  assert.deepEqual(linesOf({ was: size(1_340), now: [size('rt mtu')] }), []);
  const six = { family: 'ip6' };
  assert.deepEqual(linesOf({ was: { ...six, ...size(1_300) }, now: [{ ...six, ...size(1_340) }] }), []);
  assert.equal(linesOf({ was: { ...six, ...size(1_300) }, now: [{ ...six, ...size(1_341) }] }).length, 1, 'IPv6');
});

test('a rule that was changed is not called gone', () => {
  const becomes = 'tcp option maxseg size = 1460, to vx7';
  const now = [{ handle: 2, rewrites: ['tcp option maxseg size = 1460'] }];
  const [line] = linesOf({ was: { rewrites: ['tcp option maxseg size = 1340'] }, now, becomes });
  assert.match(
    line ?? '',
    /\(tcp option maxseg size = 1340, to vx7\) became \(tcp option maxseg size = 1460, to vx7\); vx7 /,
  );
});

test('a VRF, and a dummy behind which nothing is, are not compared with', () => {
  const about = (was: Partial<FilterRule>, ports: readonly object[]) =>
    linesOf({ was, ports }).map((line) =>
      /; (\S+) takes packets of (\d+) octets, others of the node (\d+)/.exec(line)?.slice(1),
    );
  const vrf = port('red', 65_575, { kind: 'other' });
  const plain = [port('eth1', 1_500), port('eth2', 1_500)];
  assert.deepEqual(about({ outInterfaces: ['eth1'] }, [...plain, vrf]), []);
  assert.deepEqual(about({}, [...PORTS, vrf]), [['vx7', '1400', '1500']]);
  const silent = port('dummy0', 1_300, { kind: 'other', counters: { rxPackets: '0' } });
  assert.deepEqual(about({ outInterfaces: [] }, [...PORTS, silent]), [['vx7', '1400', '1500']]);
  // In a container no interface is a physical one.
  const contained = [
    port('eth0', 1_500, { kind: 'other', master: { name: 'red', kind: 'vrf' } }),
    port('vx7', 1_400, { kind: 'other' }),
  ];
  assert.deepEqual(about({}, [...contained, vrf]), [['vx7', '1400', '1500']]);
});

test('questions about all and about a path are not answered with healthy then', () => {
  const r2 = (state: NodeState): NodeState => {
    const { inventory } = state;
    const last = inventory.interfaces.at(-1)!;
    const counters = { ...last.counters, rxPackets: '9' };
    const tunnel = { ...last, name: 'vx7', kind: 'other', mtu: 1_400, addresses: [], counters } as const;
    const interfaces = [...inventory.interfaces, tunnel];
    const [row] = filterRows({ filters: [CLAMP] }, NEEDS);
    const settings = [
      { kind: 'filter', subject: 'ip mangle FORWARD', setting: 'handle 2', was: row!.value, agoMs: 9_000 },
    ] as const;
    return {
      ...state,
      inventory: { ...inventory, interfaces },
      history: { ...state.history!, settingsSpanMs: 9e6, settings },
    };
  };
  for (const ask of [sceneOf, along]) {
    const { verdict, findings } = diagnose(ask({ states: { r2 } }));
    assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
    assert.match(
      verdict.reasons.join('\n'),
      /r2: a rule of ip mangle FORWARD that limited the segments of TCP .* is gone; vx7/,
    );
  }
});
