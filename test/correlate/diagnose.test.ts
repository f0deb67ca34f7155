// Diagnoses of single scenes: what is found, how it is worded, and every trap that must not become an accusation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { exchange, type Scene } from './builder.ts';

const NODES = ['pe1', 'p2', 'pe3'];
const run = (scene: Partial<Scene>) => diagnose(exchange({ nodes: NODES, seed: 7, ...scene }));
const named = (scene: Partial<Scene>) => run(scene).findings.map((finding) => `${finding.fault} ${finding.resource}`);
const all = (scene: Partial<Scene>) => run(scene).verdict.reasons.join('\n');

/** Adds to counters of one interface in the `after` state: what that node says, true or not. */
const shift =
  (node: string, ifname: string, counter: 'rxPackets' | 'txPackets', by: number) =>
  (state: NodeState, at: string, phase: string) => {
    if (at !== node || phase !== 'after') return state as never;
    const interfaces = state.inventory.interfaces.map((entry) =>
      entry.name === ifname
        ? { ...entry, counters: { ...entry.counters, [counter]: String(BigInt(entry.counters[counter]) + BigInt(by)) } }
        : entry,
    );
    return { ...state, inventory: { ...state.inventory, interfaces } } as never;
  };

test('names the sending interface, the measured loss and the link, in the operator’s spelling [TS-17] [TS-18] [TS-19]', () => {
  const { findings, verdict, hypothesis, sentence, segments, candidates } = run({ loss: { 'pe1>p2': 0.03 } });
  assert.equal(verdict.kind, 'fault');
  assert.deepEqual(
    findings.map(({ resource, fault }) => [resource, fault]),
    [['interface/pe1/eth1', 'packet_loss']],
  );
  assert.match(hypothesis, /^PE-1 eth1 → P-2 packet loss \d\.\d %$/);
  assert.match(
    sentence,
    /^Loss \d(\.\d)? % observed only on PE-1 → P-2 direction; P-2 → PE-1 0 %; suggest checking the link of PE-1 eth1 to P-2 eth0\.$/,
  );
  const hop = segments.find((segment) => segment.from === 'pe1' && segment.to === 'p2');
  assert.equal(hop?.ifname, 'eth1');
  assert.equal(hop?.probesSent, 1000);
  assert.equal(findings[0]?.details['probesLost'], hop?.probesLost);
  assert.equal(findings[0]?.details['direction'], 'PE-1 → P-2');
  assert.ok(
    findings[0]?.evidence.includes('probe/pe1/p2') && findings[0].evidence.includes('after/p2/parley-node-state'),
  );
  assert.equal(findings[0]?.remedy?.node, 'pe1');
  assert.deepEqual(
    candidates.filter((candidate) => candidate.chosen).map((candidate) => candidate.source),
    ['rule'],
  );
});

test('loss in both directions is two findings', () => {
  assert.deepEqual(named({ loss: { 'p2>pe3': 0.05, 'pe3>p2': 0.04 } }), [
    'packet_loss interface/p2/eth1',
    'packet_loss interface/pe3/eth0',
  ]);
});

test('loss on two links is two findings, and the lossy whole path none', () => {
  assert.equal(run({ loss: { 'pe1>p2': 0.05, 'p2>pe3': 0.05 } }).verdict.reasons.length, 2);
  assert.deepEqual(named({ loss: { 'pe1>p2': 0.05, 'p2>pe3': 0.05 } }), [
    'packet_loss interface/p2/eth1',
    'packet_loss interface/pe1/eth1',
  ]);
});

test('a dead direction is told from the counters although nothing came back', () => {
  assert.deepEqual(named({ loss: { 'pe1>p2': 1 } }), ['packet_loss interface/pe1/eth1']);
  const { findings, sentence, segments } = run({ loss: { 'pe3>p2': 1 } });
  assert.deepEqual(
    findings.map((finding) => finding.resource),
    ['interface/pe3/eth0'],
  );
  assert.equal(
    sentence,
    'Loss 100 % observed on PE-3 → P-2 direction; suggest checking the link of PE-3 eth0 to P-2 eth1.',
  );
  assert.deepEqual(
    segments.filter((segment) => segment.probesLost > 0).map(({ from, to }) => `${from}>${to}`),
    ['pe3>pe1', 'pe3>p2'],
  );
});

test('the draft’s own case: an egress ACL on the SRv6 path is named with interface and number [TS-17] [TS-18]', () => {
  const drops = { share: 0.3, only: 'path', towards: 'p2' } as const;
  const filters = [{ node: 'pe1', acl: 'acl-2001', hook: 'egress', ifname: 'eth1', drops, old: 12_345 }] as const;
  const { hypothesis, findings, sentence } = run({ filters });
  assert.equal(hypothesis, 'PE-1 egress ACL 2001 on eth1');
  assert.deepEqual(
    findings.map(({ resource, fault, confidence }) => [resource, fault, confidence]),
    [['node/pe1', 'acl_misconfig', 'certain']],
  );
  const { interface: ifname, direction, acl, droppedPackets, probesLost } = findings[0]!.details;
  assert.deepEqual([ifname, direction, acl], ['eth1', 'egress', 'acl-2001']);
  assert.equal(droppedPackets, probesLost);
  assert.match(
    sentence,
    /^Loss \d+(\.\d)? % observed only on PE-1 → PE-3 direction; PE-3 → PE-1 0 %; suggest checking PE-1 egress ACL 2001 on eth1\.$/,
  );
});

test('a healthy network is proven: links, adjacencies, counters, probes, round trips', () => {
  const { verdict, findings, hypothesis, sentence } = run({});
  assert.equal(verdict.kind, 'healthy');
  assert.deepEqual([findings, hypothesis], [[], 'none']);
  assert.match(sentence, /^No packet loss on PE-1 → P-2 → PE-3: all 6000 probes and answers arrived, and the counters/);
  const proof = verdict.reasons.join('\n');
  assert.match(proof, /PE-1 eth1 – P-2 eth0: both ends up, IS-IS adjacency up on both/);
  assert.match(proof, /PE-3 eth0 → P-2 eth1: \d+ sent, \d+ received/);
  assert.match(proof, /P-2 → PE-3: 1000 of 1000 probes arrived/);
  assert.match(proof, /round trip PE-1 – PE-3: 0.2 ms on average/);
});

test('a stray lost probe is neither a fault nor forgotten', () => {
  const touchProbe: Scene['touchProbe'] = (result, from) =>
    from === 'p2' ? { ...result, reflected: 998, received: 998 } : result;
  const { verdict } = run({ touchProbe });
  assert.equal(verdict.kind, 'healthy');
  assert.match(verdict.reasons.join('\n'), /P-2 → PE-3: 998 of 1000 probes arrived; 2 lost is a stray/);
});

test('rx above tx is not comparable, never loss', () => {
  const { verdict, findings } = run({ loss: { 'pe1>p2': 0.03 }, touch: shift('p2', 'eth0', 'rxPackets', 5_000) });
  assert.deepEqual(findings, []);
  assert.equal(verdict.kind, 'inconclusive');
  assert.match(
    verdict.reasons[0]!,
    /PE-1 → P-2: \d+ of 1000 probes lost, at PE-1 eth1, at P-2 eth0 or between them; .*more was received than sent/,
  );
});

test('different units are not compared', () => {
  const touch: Scene['touch'] = (state, node) => {
    const interfaces = state.inventory.interfaces.map((entry) => ({
      ...entry,
      offloads: node === 'p2' ? ['gro'] : [],
    }));
    return { ...state, inventory: { ...state.inventory, interfaces } } as never;
  };
  assert.deepEqual(named({ loss: { 'pe1>p2': 0.03 }, touch }), []);
  assert.match(all({ touch }), /count different units \(gro\)/);
  assert.equal(run({ touch }).verdict.kind, 'inconclusive');
});

test('counters that show a loss which no probe saw are no accusation', () => {
  const { verdict, findings } = run({ touch: shift('p2', 'eth0', 'rxPackets', -400) });
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
  assert.match(
    verdict.reasons.join('\n'),
    /PE-1 eth1 → P-2 eth0: the counters say that at least \d+ of \d+ packets were lost, the probes do not/,
  );
});

test('lost probes without a difference between the two ends name both, not one', () => {
  const drops = { share: 0.05, towards: 'p2' } as const;
  const { verdict, findings } = run({
    filters: [{ node: 'p2', acl: 'quiet', hook: 'ingress', ifname: 'eth0', drops, counterless: true }],
  });
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
  assert.match(
    verdict.reasons[0]!,
    /at PE-1 eth1, at P-2 eth0 or between them; .*quiet on P-2 can drop and has no counter/,
  );
});

test('an ACL that dropped fewer packets than the probes lost is not to blame', () => {
  const drops = { share: 0.05, towards: 'p2' } as const;
  const filters = [
    { node: 'p2', acl: 'quiet', hook: 'ingress', ifname: 'eth0', drops, counterless: true },
    { node: 'pe1', acl: 'acl-2001', hook: 'egress', ifname: 'eth1', job: 5, old: 900 },
  ] as const;
  const { findings, candidates } = run({ filters });
  assert.deepEqual(findings, []);
  assert.match(
    candidates.find((candidate) => candidate.resource === 'node/pe1')?.why ?? '',
    /moved by 5, less than the probes lost/,
  );
});

test('an ACL on another interface or in the other direction is not to blame', () => {
  const drops = { share: 0.05, towards: 'p2' } as const;
  const quiet = { node: 'p2', acl: 'quiet', hook: 'ingress', ifname: 'eth0', drops, counterless: true } as const;
  for (const other of [
    { node: 'pe1', acl: 'other', hook: 'egress', ifname: 'eth9', job: 100 },
    { node: 'pe1', acl: 'other', hook: 'ingress', ifname: 'eth1', job: 100 },
    { node: 'pe3', acl: 'other', hook: 'ingress', ifname: 'eth9', job: 100 },
  ] as const) {
    assert.deepEqual(named({ filters: [quiet, other] }), []);
  }
});

test('an ACL that drops other traffic as well is named, not for certain, when it says that it drops this share of such packets', () => {
  const drops = { share: 0.1, towards: 'p2' } as const;
  const matches = [
    { field: 'extension', values: ['rt'] },
    { field: 'sample', values: ['10/100'] },
  ] as const;
  const blunt = { node: 'pe1', acl: 'acl-2001', hook: 'egress', ifname: 'eth1', drops, job: 9_000, matches } as const;
  const { findings } = run({ filters: [blunt] });
  assert.deepEqual(
    findings.map(({ resource, confidence }) => [resource, confidence]),
    [['node/pe1', 'likely']],
  );
  const blind: Scene['touch'] = (state, node) => {
    const interfaces = state.inventory.interfaces.map((entry) => ({
      ...entry,
      offloads: node === 'p2' ? ['tso'] : [],
    }));
    return { ...state, inventory: { ...state.inventory, interfaces } } as never;
  };
  const unsure = run({ filters: [blunt], touch: blind });
  assert.deepEqual([unsure.verdict.kind, unsure.findings], ['inconclusive', []]);
  assert.match(
    unsure.verdict.reasons[0]!,
    /acl-2001 on PE-1 dropped \d+ packets, far more than the probes lost, and the wire or the receiver’s sockets may explain/,
  );
  assert.deepEqual(named({ filters: [{ ...blunt, job: 0 }], touch: blind }), ['acl_misconfig node/pe1']);
  const other = [{ field: 'sample', values: ['30/100'] }] as const;
  const { matches: _, ...silent } = blunt;
  assert.deepEqual(named({ filters: [{ ...blunt, matches: other }] }), []);
  assert.deepEqual(named({ filters: [silent] }), []);
});

test('an ACL that stood still, and a rule that lets packets through, are not even candidates', () => {
  const still = { node: 'pe1', acl: 'acl-2001', hook: 'egress', ifname: 'eth1', old: 5_000 } as const;
  const passing: Scene['touch'] = (state) =>
    ({ ...state, filters: state.filters.map((rule) => ({ ...rule, verdict: 'accept' })) }) as never;
  for (const scene of [{ filters: [still] }, { filters: [{ ...still, job: 60 }], touch: passing }]) {
    const { candidates } = run({ ...scene, loss: { 'pe1>p2': 0.03 } });
    assert.deepEqual(
      candidates.map((candidate) => candidate.fault),
      ['packet_loss'],
    );
  }
});

test('loss in both directions of a wire is not one ACL that does its job both ways', () => {
  const filters = [{ node: 'p2', acl: 'guard', hook: 'forward', job: 5_000 }] as const;
  const wanted = ['packet_loss interface/p2/eth0', 'packet_loss interface/pe1/eth1'];
  assert.deepEqual(named({ loss: { 'pe1>p2': 0.05, 'p2>pe1': 0.05 }, filters }), wanted);
});

test('probes that the sender’s own stack refused name no link', () => {
  const touchProbe: Scene['touchProbe'] = (result, from, to) =>
    from === 'pe1' && to === 'p2' ? { ...result, reflected: 950, received: 950, sendErrors: 50 } : result;
  const { verdict, findings } = run({ touchProbe, touch: shift('pe1', 'eth1', 'txPackets', -50) });
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
  assert.match(verdict.reasons[0]!, /PE-1 → P-2: 50 of 1000 probes lost, .*PE-1 itself refused to send 50 of them/);
});

test('two ACLs that explain the loss equally well are both candidates and none is named', () => {
  const drops = { share: 0.1, only: 'path', towards: 'p2' } as const;
  const twin = (node: string, ifname: string, job: number) =>
    ({ node, acl: `acl-${node}`, hook: 'egress', ifname, job }) as const;
  const lost = Number(run({ filters: [{ ...twin('pe1', 'eth1', 0), drops }] }).findings[0]!.details['probesLost']);
  const { verdict, findings } = run({ filters: [{ ...twin('pe1', 'eth1', 0), drops }, twin('p2', 'eth1', lost)] });
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
  assert.match(
    verdict.reasons[0]!,
    /PE-1 egress ACL pe1 on eth1 and P-2 egress ACL p2 on eth1 explain it equally well/,
  );
});

test('probes that the reflector’s own socket dropped are not the network’s', () => {
  const touchProbe: Scene['touchProbe'] = (result, from, to) =>
    from === 'pe1' && to === 'p2' ? { ...result, reflected: 960, received: 960 } : result;
  const { verdict, findings } = run({ touchProbe, nodeCounters: { p2: { Udp6RcvbufErrors: 40 } } });
  assert.deepEqual([verdict.kind, findings], ['healthy', []]);
  assert.match(verdict.reasons.join('\n'), /P-2 itself dropped the rest, the network delivered them/);
  assert.equal(run({ touchProbe }).verdict.kind, 'inconclusive');
});

test('one liar in the middle gets nobody else accused', () => {
  const lies: Scene['touchProbe'] = (result, from) => (from === 'p2' ? { ...result, received: 900 } : result);
  const backwards = run({ touchProbe: lies, touch: shift('p2', 'eth1', 'rxPackets', -200) });
  assert.deepEqual([backwards.verdict.kind, backwards.findings], ['inconclusive', []]);
  assert.match(
    backwards.verdict.reasons[0]!,
    /PE-3 and P-2 contradict the probes along the whole path, of which 0 of 1000 were lost/,
  );
  const reflects: Scene['touchProbe'] = (result, _from, to) =>
    to === 'p2' ? { ...result, reflected: 900, received: 900 } : result;
  const forwards = run({ touchProbe: reflects, touch: shift('p2', 'eth0', 'rxPackets', -200) });
  assert.deepEqual([forwards.verdict.kind, forwards.findings], ['inconclusive', []]);
});

test('an adjacency that one end alone reports is not healthy', () => {
  const touch: Scene['touch'] = (state, node) =>
    ({ ...state, adjacencies: node === 'pe3' ? [] : state.adjacencies }) as never;
  assert.equal(run({ touch }).verdict.kind, 'inconclusive');
  assert.match(all({ touch }), /IS-IS adjacency: P-2 eth1 says up, PE-3 eth0 says none/);
});

test('LLDP that names another node forbids the comparison, unless addresses and IS-IS of both ends say otherwise', () => {
  const lldp: NonNullable<Scene['touch']> = (state, node) => {
    const neighbours = state.neighbours.map((entry) => (node === 'pe1' ? { ...entry, systemName: 'pe3' } : entry));
    return { ...state, neighbours } as never;
  };
  const touch: Scene['touch'] = (state, node, phase) => ({ ...(lldp(state, node, phase) as object), adjacencies: [] });
  assert.deepEqual(named({ loss: { 'pe1>p2': 0.05 }, touch: lldp }), ['packet_loss interface/pe1/eth1']);
  const { verdict, findings } = run({ loss: { 'pe1>p2': 0.05 }, touch });
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
  assert.match(verdict.reasons.join('\n'), /LLDP on pe1 eth1 names pe3/);
});

test('a node that did not answer makes it inconclusive, and says which and why [TS-21]', () => {
  const unanswered = ['before/pe3/parley-node-state', 'after/pe3/parley-node-state'];
  const { verdict } = run({ unanswered });
  assert.equal(verdict.kind, 'inconclusive');
  assert.match(verdict.reasons.join('\n'), /PE-3: no state before the probes \(timed-out: no answer\)/);
});

test('a fault that the answering nodes prove is named although another node is silent [TS-21]', () => {
  const unanswered = ['before/pe3/parley-node-state', 'after/pe3/parley-node-state', 'probe/pe1/pe3', 'probe/p2/pe3'];
  const { verdict, findings } = run({ loss: { 'p2>pe1': 0.08 }, unanswered });
  assert.deepEqual(
    findings.map((finding) => finding.resource),
    ['interface/p2/eth0'],
  );
  assert.match(verdict.reasons.join('\n'), /not known: PE-3: no state before the probes/);
});

test('an interface that is down is named as such, and accuses nobody', () => {
  const touch: Scene['touch'] = (state, node) => {
    const down = (name: string) => (node === 'p2' && name === 'eth1' ? { adminUp: false, operUp: false } : {});
    const interfaces = state.inventory.interfaces.map((entry) => ({ ...entry, ...down(entry.name) }));
    return { ...state, inventory: { ...state.inventory, interfaces } } as never;
  };
  const { verdict, findings } = run({ touch });
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
  assert.deepEqual(verdict.reasons, ['P-2 eth1 – PE-3 eth0: P-2 eth1 is shut down']);
});

test('no evidence at all is inconclusive', () => {
  const empty = exchange({ nodes: NODES, seed: 1 });
  const { verdict, findings } = diagnose({ ...empty, evidence: [], outcomes: [] });
  assert.deepEqual([verdict.kind, findings], ['inconclusive', []]);
  assert.match(verdict.reasons[0]!, /PE-1: no state before the probes \(not asked\)/);
});

test('the order of evidence means nothing', () => {
  const scene = exchange({ nodes: NODES, seed: 3, loss: { 'pe1>p2': 0.05 } });
  assert.deepEqual(diagnose({ ...scene, evidence: [...scene.evidence].reverse() }), diagnose(scene));
});

test('clocks that disagree by an hour and more change nothing', () => {
  const touch: Scene['touch'] = (state, node) =>
    ({ ...state, countersReadMs: state.countersReadMs! + NODES.indexOf(node) * 3_600_000 }) as never;
  const scene = { loss: { 'pe1>p2': 0.03 }, load: 20_000 };
  assert.deepEqual(run({ ...scene, touch }), run(scene));
});

test('probes that arrived by another way prove nothing of the link between the nodes of a path', () => {
  const idle = (state: NodeState, at: string, phase: string) => {
    const aside = (ifname: string, counter: 'rxPackets' | 'txPackets') =>
      shift(at, ifname, counter, -1_950)(state, at, phase);
    if (at === 'pe1') return aside('eth1', 'txPackets');
    return at === 'p2' ? aside('eth0', 'rxPackets') : (state as never);
  };
  assert.equal(run({}).verdict.kind, 'healthy');
  const { verdict } = run({ touch: idle });
  assert.equal(verdict.kind, 'inconclusive');
  assert.match(verdict.reasons.join(), /PE-1 → P-2: 1000 probes were sent and only \d+ packets left over the link/);
});
