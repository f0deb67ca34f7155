// The healthy recording of four FRR routers in a ring (test/correlate/recorded), changed as a node would tell it: links that
// were down and are back, states that are over, filters beside other faults. Each names what was changed and nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { callFor } from '#measure/call.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { endOf, recorded, withInterface } from './recording.ts';

const healthy = recorded('healthy');

type Change = (state: NodeState, node: string) => NodeState;

function changed(change: Change, sinceMs?: number): DiagnoseInput {
  const evidence = healthy.evidence.map((entry) =>
    entry.kind === 'state'
      ? { ...entry, body: change(entry.body as unknown as NodeState, entry.node) as never }
      : entry,
  );
  return { ...healthy, evidence, intent: { ...healthy.intent, ...(sinceMs === undefined ? {} : { sinceMs }) } };
}

const said = (input: DiagnoseInput) => {
  const { verdict, findings } = diagnose(input);
  return [verdict.kind, ...findings.map(({ fault, resource }) => `${fault} ${resource}`)];
};

const carrier = (subject: string, ...agos: readonly number[]) =>
  agos.map((agoMs, index) => ({ kind: 'carrier' as const, subject, agoMs, changes: 1, up: index % 2 === 0 }));

const withEvents =
  (ends: Readonly<Record<string, readonly [string, ...number[]]>>): Change =>
  (state, node) => {
    const [subject, ...agos] = ends[node] ?? ['none'];
    return { ...state, history: { ...state.history!, spanMs: 600_000, events: carrier(subject, ...agos) } };
  };

test('a link that was down and is up again is named only when the time is asked about', () => {
  const down = withEvents({ r1: ['eth1', 20_000, 30_000], r2: ['eth1', 20_000, 30_000] });
  assert.deepEqual(said(changed(down)), ['healthy']);
  assert.deepEqual(said(changed(down, 120_000)), ['fault', 'link_down link/r1:eth1--r2:eth1']);
  assert.deepEqual(said(changed(down, 10_000)), ['inconclusive']);
  const { findings } = diagnose(changed(down, 120_000));
  assert.equal(findings[0]!.details['over'], true);
  assert.equal(findings[0]!.hypothesis, 'r1 eth1 – r2 eth1 link down, over: 20 s ago');
});

test('a link that flapped and is still since is no fault now, and link_flap for its time', () => {
  const flaps = withEvents({
    r1: ['eth1', 20_000, 22_000, 24_000, 26_000],
    r2: ['eth1', 20_000, 22_000, 24_000, 26_000],
  });
  assert.deepEqual(said(changed(flaps)), ['healthy']);
  assert.deepEqual(said(changed(flaps, 60_000)), ['fault', 'link_flap link/r1:eth1--r2:eth1']);
  const now = withEvents({ r1: ['eth1', 1_000, 3_000, 5_000, 7_000], r2: ['eth1', 1_000, 3_000, 5_000, 7_000] });
  assert.deepEqual(said(changed(now)), ['fault', 'link_flap link/r1:eth1--r2:eth1']);
});

test('a link is judged as it was when the question was asked, not when its answer was ready', () => {
  const falls = (laterMs: number) =>
    withEvents({
      r1: ['eth1', 5_000 + laterMs, 7_000 + laterMs, 9_000 + laterMs, 11_000 + laterMs],
      r2: ['eth1', 5_000 + laterMs, 7_000 + laterMs, 9_000 + laterMs, 11_000 + laterMs],
    });
  const asked = (laterMs: number): DiagnoseInput => ({
    ...healthy,
    evidence: healthy.evidence.map((entry) => {
      if (entry.kind !== 'state') return entry;
      const change = falls(entry.phase === 'before' ? 0 : laterMs);
      return { ...entry, body: change(entry.body as unknown as NodeState, entry.node) as never };
    }),
  });
  assert.deepEqual(said(asked(1_000)), ['fault', 'link_flap link/r1:eth1--r2:eth1']);
  assert.deepEqual(said(asked(8_000)), ['fault', 'link_flap link/r1:eth1--r2:eth1']);
});

test('a node that was started as a whole accuses nobody: its agent remembers no time before', () => {
  const fresh: Change = (state) => ({
    ...state,
    daemons: state.daemons!.map((daemon) => ({ ...daemon, upMs: 9_000 })),
    history: { ...state.history!, spanMs: 8_000 },
  });
  assert.deepEqual(said(changed(fresh, 120_000)), ['inconclusive']);
});

/** r1 as it is, and how it was between 30 and 20 seconds ago; the others were as they are. */
const before =
  (change: (state: NodeState) => Partial<NodeState>): Change =>
  (state, node) => {
    const then = { fromAgoMs: 30_000, untilAgoMs: 20_000, state: { ...state, ...change(state) } };
    return { ...state, history: { ...state.history!, spanMs: 600_000 }, past: node === 'r1' ? [then] : [] };
  };

test('a wrong configuration that was taken back is named only when its time is asked about', () => {
  const password = before((state) => ({
    adjacencies: state.adjacencies.filter((entry) => entry.ifname !== 'eth1'),
    isis: {
      ...state.isis!,
      circuits: state.isis!.circuits.map((row) => (row.ifname === 'eth1' ? { ...row, password: 'md5' as const } : row)),
    },
  }));
  assert.deepEqual(said(changed(password)), ['healthy']);
  assert.deepEqual(said(changed(password, 10_000)), ['inconclusive']);
  assert.deepEqual(said(changed(password, 120_000)), ['fault', 'isis_authentication_mismatch interface/r1/eth1']);
  const { findings } = diagnose(changed(password, 120_000));
  assert.deepEqual([findings[0]!.details['over'], findings[0]!.details['agoSeconds']], [true, 25]);
  const number = before((state) => ({
    bgp: {
      ...state.bgp!,
      asn: 65_222,
      sessions: state.bgp!.sessions.map((row) => ({ ...row, state: 'Idle', localAs: 65_222 })),
    },
  }));
  assert.deepEqual(said(changed(number, 120_000)), ['fault', 'bgp_asn_misconfig node/r1']);
});

test('a former state in which sessions were only down accuses nobody', () => {
  const down = before((state) => ({
    adjacencies: [],
    bgp: { ...state.bgp!, sessions: state.bgp!.sessions.map((row) => ({ ...row, state: 'Connect' })) },
    bfd: state.bfd!.map((row) => ({ ...row, status: 'down' as const })),
  }));
  assert.deepEqual(said(changed(down, 120_000)), ['inconclusive']);
  const none = before((state) => ({ bfd: state.bfd!.filter((row) => row.ifname !== 'eth1') }));
  assert.deepEqual(said(changed(none, 120_000)), ['inconclusive']);
});

test('a session that a filter drops is not lost for an MTU that differs as well: both are named', () => {
  const input = recorded('bgpacl');
  // Over the link's own addresses instead of loopbacks, so that a broken link could explain it.
  const near: Readonly<Record<string, string>> = { '198.18.255.11': '198.18.2.0', '198.18.255.12': '198.18.2.1' };
  const evidence = input.evidence.map((entry) => {
    if (entry.kind !== 'state') return entry;
    const state = entry.body as unknown as NodeState;
    const sessions = state.bgp!.sessions.map((row) => ({ ...row, peer: near[row.peer] ?? row.peer }));
    const interfaces = state.inventory.interfaces.map((each) =>
      entry.node === 'router2' && each.name === 'eth1' ? { ...each, mtu: 1_400 } : each,
    );
    const changes = { bgp: { ...state.bgp!, sessions }, inventory: { ...state.inventory, interfaces } };
    return { ...entry, body: { ...state, ...changes } as never };
  });
  const { findings } = diagnose({ ...input, evidence });
  assert.deepEqual(findings.map(({ fault }) => fault).sort(), ['bgp_acl_block', 'mtu_mismatch']);
});

test('small probes that are lost in part on a link whose MTUs differ are lost for another reason: both are named', () => {
  const input = recorded('mtu');
  const run = (
    [near, far]: readonly [string, string],
    arrived: object,
    [source, destination]: readonly [string, string],
  ) => {
    const like = input.evidence.find((entry) => entry.id === 'probe/r2:eth2/r3:eth1/link')!;
    const purpose = { kind: 'link-probe', from: endOf(near), to: endOf(far), round: 'confirmation' } as const;
    const [from, to] = [purpose.from.node, purpose.to.node];
    const way = { Local: from, Tail: to, destination, segments: [] };
    const args = {
      ...way,
      'SID List': [],
      source,
      Count: 1_000,
      flows: 20,
      intervalMs: 2,
      lingerMs: 200,
      payloadBytes: 64,
    };
    const request = { method: 'tools/call', params: { name: 'ietf-srv6-ping', arguments: args } };
    const body = { ...(like.body as object), ...way, sent: 1_000, received: 750, ...arrived };
    const { id, phase } = callFor(from, purpose, {}, 0);
    return { ...like, id, purpose, node: from, phase, request, body };
  };
  const again = [
    run(['r2:eth2', 'r3:eth1'], { reflected: 750 }, ['fd00:2::', 'fd00:2::1']),
    run(['r3:eth1', 'r2:eth2'], { reflected: 1_000 }, ['fd00:2::1', 'fd00:2::']),
  ];
  const counted: Readonly<Record<string, readonly [ifname: string, tx: number, rx: number]>> = {
    r2: ['eth2', 2_000, 1_750],
    r3: ['eth1', 1_750, 1_500],
  };
  const after = input.evidence.map((entry) => {
    const [ifname, tx, rx] = counted[entry.node] ?? ['', 0, 0];
    if (entry.kind !== 'state' || entry.phase !== 'after') return entry;
    const more = (text: string, by: number) => String(Number(text) + by);
    const body = withInterface(structuredClone(entry.body) as unknown as NodeState, ifname, ({ counters }) => ({
      counters: { ...counters, txPackets: more(counters.txPackets, tx), rxPackets: more(counters.rxPackets, rx) },
    }));
    return { ...entry, body: body as never };
  });
  const evidence = [...after, ...again];
  const outcomes = [
    ...input.outcomes,
    ...again.map(({ id, purpose, node }) => ({
      ...{ callId: id, purpose, node, phase: 'deepen' as const },
      ...{ name: 'ietf-srv6-ping', status: 'answered' as const, elapsedMs: 1 },
    })),
  ];
  assert.deepEqual(said({ ...input, evidence, outcomes }), [
    'fault',
    'packet_loss interface/r2/eth2',
    'mtu_mismatch interface/r3/eth1',
  ]);
});

test('a filter that drops the hellos of an adjacency that is still up is named before that is lost', () => {
  const rule = {
    ...{
      family: 'netdev',
      table: 'filter',
      chain: 'out',
      path: ['out'],
      handle: 2,
      hook: 'egress',
      verdict: 'drop' as const,
    },
    ...{ inInterfaces: [], outInterfaces: ['eth2'], matchesRest: false, bytes: '0', ruleSha256: 'a'.repeat(64) },
    matches: [{ field: 'llc' as const, values: ['65278'] }],
  };
  const NOT_HEARD = [24, 20] as const;
  const dropping = (
    packets: readonly [string, string],
    more: object = {},
    left: readonly [number, number] = NOT_HEARD,
    first: readonly object[] = [],
  ): DiagnoseInput => ({
    ...healthy,
    evidence: healthy.evidence.map((entry) => {
      if (entry.kind !== 'state') return entry;
      const [body, at] = [entry.body as unknown as NodeState, entry.phase === 'before' ? 0 : 1];
      const adjacencies = body.adjacencies.map((each) => ({ ...each, holdSeconds: left[at] }));
      const filters = entry.node === 'r2' ? [...first, { ...rule, packets: packets[at], ...more }] : body.filters;
      return { ...entry, body: { ...body, adjacencies, filters } } as never;
    }),
  });
  assert.deepEqual(said(dropping(['10', '14'])), ['fault', 'isis_acl_block node/r2']);
  assert.deepEqual(said(dropping(['10', '10'])), ['healthy']);
  assert.deepEqual(said(dropping(['10', '14'], { outInterfaces: ['eth9'] })), ['healthy']);
  assert.deepEqual(said(dropping(['10', '14'], { hook: 'forward' })), ['healthy']);
  assert.deepEqual(said(dropping(['10', '14'], { matchesRest: true })), ['healthy']);
  // Hellos come all the same: the rule is against somebody else's.
  assert.deepEqual(said(dropping(['10', '14'], {}, [24, 27])), ['healthy']);
  const { matches } = rule;
  const elsewhere = { field: 'out' as const, values: ['eth2', 'eth3'], negated: true };
  const unbound = { outInterfaces: [] };
  assert.deepEqual(said(dropping(['10', '14'], { ...unbound, matches: [...matches, elsewhere] })), ['healthy']);
  const accepting = { ...rule, handle: 1, verdict: 'accept' as const, packets: '0', outInterfaces: ['eth2'] };
  const jumped = { path: ['out', 'acl'], chain: 'acl' };
  assert.deepEqual(said(dropping(['10', '14'], jumped, NOT_HEARD, [accepting])), ['healthy']);
  assert.deepEqual(said(dropping(['10', '14'], jumped)), ['fault', 'isis_acl_block node/r2']);
});
