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
  ...{ name, mtu, kind: 'physical', adminUp: true, operUp: true, addresses: [], ...change },
});
const PORTS = [port('lo', 65_536, { kind: 'loopback' }), port('eth1', 1_500), port('vx7', 1_400, { kind: 'other' })];

type Scene = {
  readonly was?: Partial<FilterRule>;
  readonly now?: readonly Partial<FilterRule>[];
  readonly agoMs?: number;
  readonly ports?: readonly object[];
  readonly state?: object;
};

function worldOf({ was = {}, now = [], agoMs = 60_000, ports = PORTS, state = {} }: Scene) {
  const gone = { ...CLAMP, ...was };
  const [row] = filterRows({ filters: [gone] }, NEEDS);
  const change = { kind: 'filter', subject: filterSubject(gone), setting: filterSetting(gone), was: row!.value, agoMs };
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

test('questions about all and about a path are not answered with healthy then', () => {
  const r2 = (state: NodeState): NodeState => {
    const { inventory } = state;
    const tunnel = { ...inventory.interfaces.at(-1)!, name: 'vx7', kind: 'other', mtu: 1_400, addresses: [] } as const;
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
