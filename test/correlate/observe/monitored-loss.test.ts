// What the nodes' own standing probes say of a time that is over: loss by direction, damage, delay; and when they say that all was well.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { provenPast } from '#correlate/health/history-proof.ts';
import { linkFindings } from '#correlate/history/link-records.ts';
import type { World } from '#correlate/network/world.ts';
import { decodeNodeState } from '#measure/decode/decode.ts';
import type { Verdict } from '#model/finding.ts';
import type { History } from '#model/router/control-plane.ts';
import type { WatchRound } from '#model/router/link-monitor.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { type Scene, sceneOf } from '../scope-scene.ts';

type Change = (agoMs: number, index: number) => Partial<Record<'out' | 'back' | 'four' | 'rttUs' | 'dark', number>>;

/** 75 rounds of 20 IPv6 and 20 IPv4 probes; half of what is lost is IPv4's, unless `four` says otherwise. */
function rounds(change: Change): readonly WatchRound[] {
  return Array.from({ length: 75 }, (_, index): WatchRound => {
    const agoMs = 151_000 - index * 2_000;
    const { out = 0, back = 0, four, rttUs = 500, dark = 0 } = change(agoMs, index);
    const [out4, back4] = four === undefined ? [Math.floor(out / 2), Math.floor(back / 2)] : [four, 0];
    const six = 20 - (out - out4);
    return [agoMs, 20, six, six - (back - back4), 20, 20 - out4, 20 - out4 - back4, rttUs, dark];
  });
}

const during = (agoMs: number) => agoMs <= 30_000 && agoMs > 20_000;
const watching = (history: Partial<History>) => (state: NodeState) => ({
  ...state,
  history: {
    ...state.history!,
    spanMs: 200_000,
    watched: [
      { what: 'links' as const, forMs: 200_000 },
      { what: 'hosts' as const, forMs: 200_000 },
    ],
    ...history,
  },
});
const damage = (perSecond: number): History['damage'] & {} =>
  Array.from({ length: 75 }, (_, index) => {
    const agoMs = 151_000 - index * 2_000;
    return [agoMs, Math.round(Math.max(0, Math.min(10, (30_000 - agoMs) / 1_000)) * perSecond)] as const;
  });

/** r1 probes r1 eth2 – r2 eth1, r2 probes r2 eth2 – r3 eth1. */
function scene(first: Change, second: Change = () => ({}), receiver: History['damage'] & {} = []): Scene {
  return {
    states: {
      r1: watching({ watch: [{ ifname: 'eth2', far: ['fd00:1:1::1', '198.18.1.1'], rounds: rounds(first) }] }),
      r2: watching({
        watch: [{ ifname: 'eth2', far: ['fd00:1:2::1', '198.18.2.1'], rounds: rounds(second) }],
        damage: receiver,
      }),
      r3: watching({}),
    },
  };
}

function diagnosed(what: Scene, sinceMs = 120_000) {
  const input = sceneOf(what);
  return diagnose({ ...input, intent: { ...input.intent, sinceMs } });
}

function said(what: Scene, sinceMs?: number): readonly string[] {
  const { verdict, findings } = diagnosed(what, sinceMs);
  return [verdict.kind, ...findings.map(({ fault, resource }) => `${fault} ${resource}`)];
}

test('probes lost on the way out, or back, are packet_loss of the sending end, over', () => {
  const out = diagnosed(scene((agoMs) => (during(agoMs) ? { out: 4 } : {})));
  assert.deepEqual(
    out.findings.map(({ fault, resource, confidence, details }) => [
      ...[fault, resource, confidence, details['over'], details['probesLost'], details['lossPercent']],
    ]),
    [['packet_loss', 'interface/r1/eth2', 'likely', true, 20, 10]],
  );
  assert.deepEqual(said(scene((agoMs) => (during(agoMs) ? { back: 4 } : {}))), [
    'fault',
    'packet_loss interface/r2/eth1',
  ]);
  assert.deepEqual(said(scene((agoMs) => (during(agoMs) ? { out: 4, back: 4 } : {}))), [
    'fault',
    'packet_loss interface/r1/eth2',
    'packet_loss interface/r2/eth1',
  ]);
  assert.deepEqual(said(scene((agoMs) => (during(agoMs) ? { out: 1, back: 9 } : {}))), [
    'fault',
    'packet_loss interface/r2/eth1',
  ]);
});

test('lost probes that the receiver counted as damaged are link_packet_corruption, of IPv4 alone too', () => {
  assert.deepEqual(said(scene((agoMs) => (during(agoMs) ? { out: 4 } : {}), undefined, damage(2))), [
    'fault',
    'link_packet_corruption link/r1:eth2--r2:eth1',
  ]);
  assert.deepEqual(said(scene((agoMs) => (during(agoMs) ? { out: 4, four: 4 } : {}), undefined, damage(2))), [
    'fault',
    'link_packet_corruption link/r1:eth2--r2:eth1',
  ]);
});

test('one lost probe is no loss, and no damage unless nothing else was lost towards who noticed it', () => {
  const once: Change = (agoMs) => (agoMs === 25_000 ? { out: 1 } : {});
  const corrupt = ['fault', 'link_packet_corruption link/r1:eth2--r2:eth1'];
  assert.deepEqual(said(scene(once, undefined, damage(1))), corrupt);
  assert.deepEqual(said(scene(once, undefined, damage(0.1))), ['inconclusive']);
  assert.deepEqual(said(scene(once, (agoMs) => (agoMs === 27_000 ? { back: 1 } : {}), damage(1))), ['inconclusive']);
});

test('what one family alone loses, what is lost at once, always, before the time, or nearly all of it, is no loss of a wire', () => {
  const inconclusive = (change: Change, sinceMs?: number) =>
    assert.deepEqual(said(scene(change), sinceMs), ['inconclusive']);
  inconclusive((agoMs) => (during(agoMs) ? { out: 4, four: 4 } : {}));
  inconclusive((agoMs) => (agoMs === 25_000 ? { out: 7 } : {}));
  inconclusive(() => ({ out: 4 }));
  inconclusive((agoMs) => (during(agoMs) ? { out: 38 } : {}));
  inconclusive((agoMs) => (during(agoMs) ? { out: 4, dark: 8 } : {}));
  assert.deepEqual(
    said(
      scene((agoMs) => (during(agoMs) ? { out: 4 } : {})),
      15_000,
    ),
    ['inconclusive'],
  );
});

test('a machine on which other links lose at the same time says nothing', () => {
  const lossy: Change = (agoMs) => (during(agoMs) ? { out: 4 } : {});
  assert.deepEqual(said(scene(lossy, (agoMs) => (during(agoMs) ? { back: 2 } : {}))), ['inconclusive']);
  assert.deepEqual(said(scene(lossy, (agoMs) => (during(agoMs) ? { dark: 3 } : {}))), ['inconclusive']);
});

/** What a network that is well now, by all that was probed, is called for the time before. */
function proof(what: Scene): Verdict {
  const { intent, evidence, outcomes, nodeNames } = sceneOf(what);
  const { world } = caseFileOf({ ...intent, sinceMs: 120_000 }, nodeNames, evidence, outcomes);
  return provenPast({ kind: 'healthy', reasons: ['all is well'] }, world);
}

test('all was well where everybody watched all the time and noticed nothing; else it is said what was not watched', () => {
  const well = scene(() => ({}));
  const { kind, reasons } = proof(well);
  assert.deepEqual([kind, reasons[1]], ['healthy', 'all is well']);
  assert.match(reasons[0]!, /for all of the 2 min .* not watched: how much links can carry/);
  const r3 = (links: number, hosts: number) => ({
    states: {
      ...well.states,
      r3: watching({
        watched: [
          { what: 'links', forMs: links },
          { what: 'hosts', forMs: hosts },
        ],
      }),
    },
  });
  const gaps: readonly (readonly [Scene, RegExp])[] = [
    [r3(60_000, 200_000), /^nothing is wrong now.*r3. has been watching its links for 60 s$/],
    [r3(200_000, 0), /r3. does not watch its hosts$/],
    [{ states: { ...well.states, r1: watching({}) } }, /neither end of .r1. eth2 – .r2. eth1 probed it all the time$/],
    [scene((agoMs) => (agoMs === 25_000 ? { dark: 9 } : {})), /tell nothing of 2 s/],
    [scene(() => ({}), undefined, damage(1)), /r2. noticed 10 packets with a wrong checksum/],
    [scene((agoMs) => (agoMs === 25_000 ? { out: 2 } : {})), /2 of 2360 probes lost/],
  ];
  for (const [what, why] of gaps) {
    const told = proof(what);
    assert.equal(told.kind, 'inconclusive');
    assert.equal(told.reasons.length, 1);
    assert.match(told.reasons[0]!, why);
  }
});

test('of several things that were not watched only the first says again that nothing is wrong', () => {
  const well = scene(() => ({}));
  const { reasons } = proof({ states: { ...well.states, r1: watching({}), r3: watching({ watched: [] }) } });
  const said = reasons.map((each) =>
    each.startsWith('nothing is wrong now, and nothing was in what the nodes remember; not known: '),
  );
  assert.ok(reasons.length > 1, reasons.join());
  assert.deepEqual(
    said,
    reasons.map((_, index) => index === 0),
  );
  assert.ok(reasons.slice(1).every((each) => each.startsWith('not known: ')));
});

test('counts of packets are not believed against probes that lost nothing, and are where some were lost', () => {
  const counted = (history: History, rx: (agoMs: number) => number, ifname: string): History => ({
    ...history,
    traffic: [
      {
        ifname,
        samples: Array.from({ length: 30 }, (_, index) => {
          const agoMs = 60_000 - index * 2_000;
          return [agoMs, rx(agoMs), 10_000 - agoMs / 10] as const;
        }),
      },
    ],
  });
  const gone = (agoMs: number) => (agoMs > 30_000 ? 0 : agoMs < 20_000 ? 200 : Math.round((30_000 - agoMs) / 50));
  const withCounts = (what: Scene): Scene => ({
    states: {
      ...what.states,
      r1: (state, phase) => {
        const told = what.states!['r1']!(state, phase);
        return { ...told, history: counted(told.history!, (agoMs) => 10_000 - agoMs / 10, 'eth2') };
      },
      r2: (state, phase) => {
        const told = what.states!['r2']!(state, phase);
        return { ...told, history: counted(told.history!, (agoMs) => 10_000 - agoMs / 10 - gone(agoMs), 'eth1') };
      },
    },
  });
  assert.deepEqual(said(withCounts(scene(() => ({})))), ['inconclusive']);
  const some: Change = (agoMs) => (during(agoMs) && agoMs % 4_000 === 1_000 ? { out: 1 } : {});
  assert.deepEqual(said(scene(some)), ['inconclusive']);
  assert.deepEqual(said(withCounts(scene(some))), ['fault', 'packet_loss interface/r1/eth2']);
});

/** Three routers in a ring; each probes the next over eth1, whose other end is that one's eth2. */
function ring(trips: Readonly<Record<string, Change>>): World {
  const next: Readonly<Record<string, string>> = { a: 'b', b: 'c', c: 'a' };
  const nodes = Object.keys(next);
  const views = nodes.map((node) => {
    const watch = [{ ifname: 'eth1', far: [`to-${node}`], rounds: rounds(trips[node] ?? (() => ({}))) }];
    return [
      node,
      { node, state: { history: { watch, events: [] }, inventory: { interfaces: [] } }, sources: [`state/${node}`] },
    ] as const;
  });
  const links = nodes.map((node) => ({
    key: `link/${node}`,
    from: { node, ifname: 'eth1' },
    to: { node: next[node]!, ifname: 'eth2' },
  }));
  const owners = new Map(nodes.map((node) => [`to-${node}`, [{ node: next[node]!, ifname: 'eth2' }]]));
  return { nodes, whole: true, sinceMs: 120_000, views: new Map(views), links, owners } as unknown as World;
}

test('round trips that were long for a while accuse a link only where both its nodes were quick over others', () => {
  const slow: Change = (agoMs) => (during(agoMs) ? { rttUs: 60_000 } : {});
  const named = (trips: Readonly<Record<string, Change>>) =>
    linkFindings(ring(trips)).map(({ proposal: { fault, resource, details } }) => [
      fault,
      resource,
      details['usualMs'],
    ]);
  assert.deepEqual(named({ a: slow }), [
    ['high_latency', 'interface/a/eth1', 0.5],
    ['high_latency', 'interface/b/eth2', 0.5],
  ]);
  // b is slow over both its links: it may have been busy itself.
  assert.deepEqual(named({ a: slow, b: slow }), []);
  assert.deepEqual(named({ a: (agoMs) => (agoMs < 24_000 && agoMs > 20_000 ? { rttUs: 60_000 } : {}) }), []);
  assert.deepEqual(named({ a: (agoMs) => (during(agoMs) ? { rttUs: 8_000 } : {}) }), []);
});

test('a watch that is malformed, or claims more received than sent, is left out', () => {
  const body = {
    watch: [
      {
        ifname: 'eth1',
        far: ['fd00::1'],
        rounds: [[1, 2, 2, 2, 0, 0, 0, 9, 0], [1, 2, 2, 3, 0, 0, 0, 9, 0], [1, 2], 'x'],
      },
      { far: [] },
    ],
    damage: [[5, 1], [5], [5, -1]],
    watched: [
      { what: 'links', forMs: 5 },
      { what: 'everything', forMs: 5 },
    ],
  } as unknown as JsonObject;
  assert.deepEqual(decodeNodeState({ inventory: { node: 'pe1', interfaces: [] }, history: body })?.history, {
    ...{ spanMs: 0, events: [], lastHeard: [] },
    watch: [{ ifname: 'eth1', far: ['fd00::1'], rounds: [[1, 2, 2, 2, 0, 0, 0, 9, 0]] }],
    damage: [[5, 1]],
    watched: [{ what: 'links', forMs: 5 }],
  });
});
