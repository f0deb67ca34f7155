// Traps: filters that do their job, probes that were never sent or never answered, strangers on a link. None of them may get
// anybody accused, and none may be taken for health.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Diagnosis } from '#model/finding.ts';
import { exchange, type Filter, type Scene } from './builder.ts';
import { remarksTold } from './remarks.ts';

type Touch = NonNullable<Scene['touch']>;
type TouchProbe = NonNullable<Scene['touchProbe']>;

const NODES = ['pe1', 'p2', 'pe3'];
const run = (scene: Partial<Scene>) => diagnose(exchange({ nodes: NODES, seed: 7, ...scene }));
const named = (scene: Partial<Scene>) => run(scene).findings.map((finding) => `${finding.fault} ${finding.resource}`);
const all = (scene: Partial<Scene>) => run(scene).verdict.reasons.join('\n');
const odd = (scene: Partial<Scene>) => remarksTold(run(scene)).join('\n');
const accused = ({ candidates }: Diagnosis) =>
  candidates.filter(({ fault }) => fault === 'acl_misconfig').map(({ resource }) => resource);

const fewerSent =
  (node: string, ifname: string, by: number): Touch =>
  (state, at, phase) => {
    if (at !== node || phase !== 'after') return state as never;
    const interfaces = state.inventory.interfaces.map((entry) => {
      const txPackets = String(BigInt(entry.counters.txPackets) - BigInt(by));
      return entry.name === ifname ? { ...entry, counters: { ...entry.counters, txPackets } } : entry;
    });
    return { ...state, inventory: { ...state.inventory, interfaces } } as never;
  };

/** Traps of an ACL that does its job while probes are lost for another reason. */
const guard = (more: Partial<Filter> & Pick<Filter, 'node' | 'hook'>): Filter => ({
  acl: 'ssh-guard',
  job: 300,
  ...more,
});
const queue = (node: string, towards: string, share: number): Filter => ({
  node,
  acl: 'queue',
  hook: 'egress',
  ifname: 'eth1',
  drops: { share, towards },
  hidden: true,
});
const overrun: TouchProbe = (result, from, to) =>
  from === 'pe1' && to === 'p2' ? { ...result, reflected: 960, received: 960 } : result;
const limited: TouchProbe = (result, from, to) =>
  from === 'p2' && to === 'pe3' ? { ...result, received: 700, reflectorRefused: 300 } : result;
const RcvbufErrors = { p2: { Udp6RcvbufErrors: 40, Udp6InErrors: 40 } };

for (const [scene, parts, verdict] of [
  [
    'the receiver’s socket overran',
    { filters: [guard({ node: 'p2', hook: 'input' })], touchProbe: overrun, nodeCounters: RcvbufErrors },
    'healthy',
  ],
  [
    'a queue inside a node dropped them',
    { filters: [guard({ node: 'p2', hook: 'forward' }), queue('p2', 'pe3', 0.04)] },
    'inconclusive',
  ],
  [
    'a loaded wire lost probes alone',
    { filters: [guard({ node: 'p2', hook: 'forward' }), queue('pe1', 'p2', 0.03)], load: 20_000 },
    'inconclusive',
  ],
  [
    'the reflector limits its rate',
    {
      filters: [guard({ node: 'pe3', hook: 'input', job: 900 }), guard({ node: 'p2', hook: 'forward' })],
      touchProbe: limited,
    },
    'healthy',
  ],
] as const satisfies readonly (readonly [string, Partial<Scene>, string])[]) {
  test(`a busy ACL is not accused when ${scene}`, () => {
    for (let seed = 1; seed <= 20; seed++) {
      const diagnosis = run({ ...parts, seed });
      assert.deepEqual(diagnosis.findings, [], `seed ${seed}`);
      assert.equal(diagnosis.verdict.kind, verdict, `seed ${seed}: ${diagnosis.verdict.reasons.join('; ')}`);
    }
  });
}

for (const [words, more] of [
  [
    'tcp dport 22',
    {
      matches: [
        { field: 'protocol', values: ['tcp'] },
        { field: 'destination-port', values: ['22'] },
      ],
    },
  ],
  ['IPv4', { matches: [{ field: 'network', values: ['ip'] }] }],
  ['a chain of family ip', { family: 'ip' }],
  [
    'another interface, by negation',
    { ifname: undefined, matches: [{ field: 'out', values: ['eth1'], negated: true }] },
  ],
  ['packets without a routing header', { matches: [{ field: 'extension', values: ['rt'], negated: true }] }],
  ['another destination', { matches: [{ field: 'destination', values: ['fd00:99::/32'] }] }],
  ['any but this source', { matches: [{ field: 'source', values: ['fd00:0:0:1::/64'], negated: true }] }],
  [
    'UDP to port 9515, which is still inside the outer packet',
    { matches: [{ field: 'destination-port', values: ['9515'] }] },
  ],
  ['ICMPv6 behind IPv6', { matches: [{ field: 'next-header', values: ['ipv6-icmp'] }] }],
  ['all such packets or none', { matches: [{ field: 'extension', values: ['rt'] }] }],
] as const) {
  test(`an egress ACL for ${words} is no candidate for probes that a queue dropped in the same number`, () => {
    const lost = Number(/(\d+) of 1000 probes lost/.exec(all({ filters: [queue('pe1', 'p2', 0.05)] }))![1]);
    const acl = { node: 'pe1', acl: 'acl-9', hook: 'postrouting', ifname: 'eth1', job: 2 * lost } as const;
    const filters = (extra: object) => [queue('pe1', 'p2', 0.05), { ...acl, ...extra } as unknown as Filter];
    const suspects = (extra: object) => accused(run({ filters: filters(extra) }));
    assert.deepEqual(suspects(more), []);
    assert.deepEqual(suspects({ matches: [{ field: 'sample', values: ['5/100'] }] }), ['node/pe1']);
  });
}

test('rules that match the probes stay candidates: by SID, by source, by what is decapsulated at the tail', () => {
  const drops = { share: 0.1, only: 'path', towards: 'p2' } as const;
  const sample = { field: 'sample', values: ['10/100'] } as const;
  for (const demand of [
    { field: 'destination', values: ['fd00:5a:2::/48'] },
    { field: 'source', values: ['2001:db8::/32', 'fd00:0:0:1::1'] },
    { field: 'next-header', values: ['ipv6-route'] },
    { field: 'protocol', values: ['tcp'], negated: true },
  ] as const) {
    const filters = [
      { node: 'pe1', acl: 'acl-1', hook: 'egress', ifname: 'eth1', drops, matches: [demand, sample] },
    ] as const;
    assert.deepEqual(named({ filters }), ['acl_misconfig node/pe1'], JSON.stringify(demand));
  }
  const inside = { share: 0.1, towards: 'pe3' } as const;
  const udp = [
    { field: 'protocol', values: ['udp'] },
    { field: 'destination-port', values: ['9000-9600'] },
    sample,
  ] as const;
  const input = { node: 'pe3', acl: 'acl-1', hook: 'input', drops: inside, matches: udp } as const;
  assert.deepEqual(named({ filters: [input] }), ['acl_misconfig node/pe3']);
});

test('an ACL and a socket that account for the loss equally well are both candidates, and none is named', () => {
  const filters = [guard({ node: 'p2', hook: 'input', job: 41 })];
  const { verdict, findings } = run({ filters, touchProbe: overrun, nodeCounters: RcvbufErrors });
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
  assert.match(verdict.reasons[0]!, /40 of 1000 probes lost; .*ssh-guard.* and .*explain it equally well/);
});

test('what the sender itself refused for lack of a permission is its own filter’s, never a link’s nor another node’s', () => {
  const refused =
    (reason: string): TouchProbe =>
    (result, from, to) =>
      from === 'pe1' && to === 'p2'
        ? { ...result, reflected: 950, received: 950, sendErrors: 50, sendErrorReason: reason }
        : result;
  const own = { node: 'pe1', acl: 'acl-7', hook: 'postrouting', ifname: 'eth1', job: 50 } as const;
  const far = { node: 'p2', acl: 'acl-8', hook: 'input', job: 50 } as const;
  const touch = fewerSent('pe1', 'eth1', 50);
  assert.deepEqual(named({ touchProbe: refused('EPERM'), touch, filters: [own] }), ['acl_misconfig node/pe1']);
  assert.deepEqual(named({ touchProbe: refused('EPERM'), touch, filters: [far] }), []);
  assert.deepEqual(named({ touchProbe: refused('EMSGSIZE'), touch, filters: [own] }), []);
  const none: TouchProbe = ({ reflected: _, ...result }, from, to) =>
    from === 'pe1' && to === 'p2'
      ? { ...result, received: 0, rttMs: null, sendErrors: 1_000, sendErrorReason: 'EPERM' }
      : { reflected: _!, ...result };
  const { segments, findings } = run({ touchProbe: none, filters: [{ ...own, job: 1_000 }] });
  assert.deepEqual(
    [segments.filter((entry) => entry.lossPercent === 100).map(({ from, to }) => `${from}>${to}`), findings.length],
    [['pe1>p2'], 1],
  );
});

test('who sent another number of probes than asked has measured nothing', () => {
  const other =
    (counts: JsonObject): TouchProbe =>
    (result, from, to) =>
      from === 'p2' && to === 'pe3' ? { ...result, ...counts } : result;
  for (const counts of [
    { sent: 1, reflected: 1, received: 1 },
    { sent: 2, reflected: 0, received: 0, rttMs: null },
  ]) {
    const { verdict, findings } = run({ touchProbe: other(counts) });
    assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
    assert.match(verdict.reasons.join('\n'), /P-2: no probe to PE-3 \(asked to send 1000, it says it sent \d\)/);
  }
});

test('few probes prove nothing, and a stray is one among many', () => {
  assert.equal(run({ probeCount: 20 }).verdict.kind, 'inconclusive');
  assert.match(all({ probeCount: 20 }), /P-2 → PE-3: 20 of 20 probes arrived, too few for a proof/);
  assert.equal(run({ probeCount: 200 }).verdict.kind, 'healthy');
  const stray: TouchProbe = (result, from) => (from === 'p2' ? { ...result, reflected: 199, received: 199 } : result);
  assert.equal(run({ probeCount: 200, touchProbe: stray }).verdict.kind, 'inconclusive');
});

test('adjacencies that are missing at both ends of one link are not healthy where the others have theirs', () => {
  const without =
    (nodes: readonly string[]): Touch =>
    (state, node) => {
      const gone = (ifname: string) => (node === 'p2' && ifname === 'eth1') || node === 'pe3';
      const adjacencies = nodes.includes(node) ? state.adjacencies.filter(({ ifname }) => !gone(ifname)) : [];
      return { ...state, adjacencies } as never;
    };
  assert.equal(run({ touch: without(NODES) }).verdict.kind, 'inconclusive');
  assert.match(all({ touch: without(NODES) }), /IS-IS adjacency: P-2 eth1 says none, PE-3 eth0 says none/);
  assert.equal(run({ touch: without([]) }).verdict.kind, 'healthy');
});

test('a healthy verdict tells of packets that ACLs on the way dropped, and of times as measured', () => {
  const filters = [guard({ node: 'p2', hook: 'forward', job: 50_000 })];
  assert.equal(run({ filters }).verdict.kind, 'healthy');
  assert.match(all({ filters }), /ssh-guard on P-2 dropped 50000 other packets in the window/);
  const slow: TouchProbe = (result) => ({ ...result, rttMs: { min: 1, avg: 900, max: 5_000 } });
  assert.match(all({ touchProbe: slow }), /round trip PE-1 – PE-3: 900 ms on average, 5000 ms at most, as measured/);
});

test('a forged LLDP neighbour stops nothing and is reported [TS-13]', () => {
  const forged: Touch = (state, node) => {
    const stranger = { ifname: 'eth1', chassisId: 'evil', portId: 'x', systemName: 'pe3', unknownTlvs: [] };
    return { ...state, neighbours: node === 'pe1' ? [...state.neighbours, stranger] : state.neighbours } as never;
  };
  assert.equal(run({ touch: forged }).verdict.kind, 'healthy');
  assert.match(odd({ touch: forged }), /LLDP on pe1 eth1 is also heard from 1 other than p2 eth0/);
  const lossy = { touch: forged, loss: { 'pe1>p2': 0.03 } };
  assert.deepEqual(named(lossy), ['packet_loss interface/pe1/eth1']);
  assert.match(odd(lossy), /also heard from 1 other than p2 eth0; the addresses and both ends say otherwise/);
});
