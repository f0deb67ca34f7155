// `healthy` only on positive proof: what was planned, asked about or heard and was not seen to be well is named. Built on the healthy
// recording of four FRR routers in a ring (test/correlate/recorded); each case changes one thing in it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { plannedProof, proofAlong } from '#correlate/health/planned-proof.ts';
import { parseIntent } from '#intent/parse.ts';
import { callFor } from '#measure/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Intent } from '#model/intent.ts';
import type { NodeState } from '#model/router/router-port.ts';

const healthy = recorded('healthy');

function recorded(name: string): DiagnoseInput {
  const text = readFileSync(join(import.meta.dirname, `../recorded/${name}.json.txt`), 'utf8');
  const { intent, nodes, outcomes, evidence } = JSON.parse(text);
  return { intent, nodeNames: nodes, outcomes, evidence };
}

type Results = { results: { destination: string; sent: number; received: number; rttMs: number | null }[] };

/** Evidence as it is, changed, or gone. */
function changed(change: (entry: Evidence) => Evidence | undefined): DiagnoseInput {
  return { ...healthy, evidence: healthy.evidence.flatMap((entry) => change(structuredClone(entry)) ?? []) };
}

const states = (change: (state: NodeState, node: string) => NodeState) => (entry: Evidence) =>
  entry.kind === 'state' ? { ...entry, body: change(entry.body as unknown as NodeState, entry.node) as never } : entry;

function said(input: DiagnoseInput): readonly string[] {
  const { verdict, findings } = diagnose(input);
  assert.deepEqual(findings, []);
  return [verdict.kind, ...(verdict.kind === 'healthy' ? [] : verdict.reasons)];
}

function asked(text: string, input: DiagnoseInput = healthy): readonly string[] {
  const parsed = parseIntent(text);
  assert.ok(parsed.ok, text);
  return said({ ...input, intent: parsed.intent as Intent });
}

/** Every end-to-end probe came back this often. */
const reached = (share: number) => (entry: Evidence) => {
  if (entry.kind !== 'reach') return entry;
  const { results } = entry.body as unknown as Results;
  return { ...entry, body: { results: results.map((row) => ({ ...row, received: Math.floor(row.sent * share) })) } };
};

/** A second look of r1 at one address. */
function again(destination: string, received: number): Evidence {
  const first = healthy.evidence.find(({ id }) => id === 'probe/r1/parley-reach')!;
  const body = { results: [{ destination, sent: 100, received, rttMs: 1 }] };
  const request = { method: 'tools/call', params: { arguments: { destinations: [destination], count: 100 } } };
  const { id, purpose, phase } = callFor('r1', { kind: 'reach', round: 'confirmation' }, {}, 0);
  return { ...first, id, purpose, phase, body, request };
}

/** r1 misses these many of its five probes to r3's loopback. */
const missing = (lost: number) => (entry: Evidence) => {
  if (entry.id !== 'probe/r1/parley-reach') return entry;
  const { results } = entry.body as unknown as Results;
  const rows = results.map((row) => (row.destination === '198.18.255.3' ? { ...row, received: 5 - lost } : row));
  return { ...entry, body: { results: rows } };
};

test('the recording as it is is healthy, and says what came back from end to end [TS-17]', () => {
  const { verdict } = diagnose(healthy);
  assert.equal(verdict.kind, 'healthy');
  assert.ok(verdict.reasons.some((line) => /^r1: \d+ of \d+ probes to \d+ addresses of others came back$/.test(line)));
});

test('loss from end to end that no link explains is not healthy', () => {
  assert.equal(said(changed(reached(0.2)))[0], 'inconclusive');
  const text = 'Verify reachability between r1 and r3';
  assert.match(asked(text, changed(reached(0.2))).join('\n'), /4 of 5 probes from end to end did not come back/);
});

test('a probe that a second look does not miss was a stray', () => {
  const first = changed(missing(1));
  assert.equal(said(first)[0], 'inconclusive');
  const second = (received: number) => ({ ...first, evidence: [...first.evidence, again('198.18.255.3', received)] });
  assert.deepEqual(said(second(100)), ['healthy']);
  assert.deepEqual(said(second(98)), ['healthy']);
  assert.deepEqual(said(second(90)), [
    'inconclusive',
    'r1 → 198.18.255.3 of r3 over r2, r4: 11 of 105 probes from end to end did not come back',
  ]);
});

test('an address that nobody but its owner has a route to is nobody else’s loss', () => {
  const alone = changed((entry) => {
    const own = missing(5)(entry);
    if (own.kind !== 'lookups' || own.node === 'r3') return own;
    const { answers } = own.body as unknown as { answers: { destination: string }[] };
    const rows = answers.map((row) =>
      row.destination === '198.18.255.3' ? { destination: row.destination, kind: 'none' } : row,
    );
    return { ...own, body: { answers: rows } as never };
  });
  assert.equal(said(alone).filter((line) => line.includes('from end to end')).length, 0);
});

for (const [status, reason] of [
  ['refused', 'not permitted'],
  ['timed-out', 'no answer in time'],
] as const)
  test(`a planned call that ${status} is lacking`, () => {
    const calls = /parley-(?:lookups|reach)|\/large$/;
    const input = {
      ...changed((entry) => (calls.test(entry.id) ? undefined : entry)),
      outcomes: healthy.outcomes.map((each) => (calls.test(each.callId) ? { ...each, status, reason } : each)),
    };
    const [verdict, ...reasons] = said(input);
    assert.equal(verdict, 'inconclusive');
    for (const node of ['r1', 'r2', 'r3', 'r4'])
      assert.ok(reasons.some((line) => line.startsWith(`${node}: no answer to `) && line.includes(reason)));
  });

test('of a path a node that denies a call is not tested; one that could not answer, or did not in time, is lacking', () => {
  const along = (...lost: readonly (readonly [status: 'refused' | 'timed-out', reason: string])[]) => {
    const planned = healthy.outcomes.filter(({ purpose, node }) => purpose.kind === 'lookups' && node === 'r2');
    assert.equal(planned.length, 1);
    const outcomes = lost.map(([status, reason], index) => ({ ...planned[0]!, callId: `c${index}`, status, reason }));
    const { world } = caseFileOf(healthy.intent, healthy.nodeNames, healthy.evidence, healthy.outcomes);
    const { proven, lacking } = proofAlong({ intent: healthy.intent, world, facts: [], evidence: [], outcomes });
    return [proven.filter((line) => line.startsWith('not tested: how')).length, lacking.length];
  };
  const denied = ['refused', '-32083 Access denied: lookups are not for this asker'] as const;
  assert.deepEqual(along(denied), [1, 0]);
  assert.deepEqual(along(['refused', '-32000 audit trail stalled']), [0, 1]);
  assert.deepEqual(along(denied, ['timed-out', 'no answer in time']), [1, 1], 'one denied call excuses no other');
});

test('beside a fault it is told what nobody answered', () => {
  const input = recorded('mtu');
  const silent = (id: string) => id === 'probe/r4/parley-lookups';
  const { verdict, findings } = diagnose({
    ...input,
    evidence: input.evidence.filter(({ id }) => !silent(id)),
    outcomes: input.outcomes.map((each) =>
      silent(each.callId) ? { ...each, status: 'timed-out' as const, reason: 'no answer in time' } : each,
    ),
  });
  assert.deepEqual([verdict.kind, findings.map(({ fault }) => fault)], ['fault', ['mtu_mismatch']]);
  assert.deepEqual(
    verdict.reasons.filter((line) => line.startsWith('not known: r4')),
    ['not known: r4: no answer to parley-lookups (timed-out: no answer in time)'],
  );
});

test('an answer for fewer addresses than were asked for is lacking', () => {
  const input = changed((entry) =>
    entry.id === 'probe/r1/parley-reach' ? { ...entry, body: { results: [] } } : entry,
  );
  assert.match(said(input).join('\n'), /r1: no answer about \d+ of the \d+ asked for \(reach\)/);
});

test('probes that tell no round trip prove no delay', () => {
  const input = changed((entry) =>
    entry.id === 'probe/r1:eth1/r2:eth1/link'
      ? { ...entry, body: { ...(entry.body as object), rttMs: null } as never }
      : entry,
  );
  assert.deepEqual(said(input), ['inconclusive', 'r1: the round trips of r1:eth1 r2:eth1 link were not told']);
});

test('one node alone, where nothing was measured, is not healthy', () => {
  const alone = (entry: Evidence) =>
    entry.node === 'r1' && (entry.kind === 'state' || entry.kind === 'lookups') ? entry : undefined;
  const outcomes = healthy.outcomes.filter(({ callId }) => /\/r1\/parley-(?:node-state|lookups)/.test(callId));
  const [verdict, ...reasons] = said({ ...changed(alone), outcomes, nodeNames: ['r1'] });
  assert.equal(verdict, 'inconclusive');
  assert.ok(reasons.includes('nothing was measured between two nodes'));
});

/** Links without IPv6, as their nodes and the plan would have it: `count` IPv4 probes over each. */
const plain = (count: number, lost = 0): DiagnoseInput => {
  const input = changed((entry) => {
    if (entry.kind === 'probe') return undefined;
    if (entry.id.endsWith('/links')) {
      const { results } = entry.body as unknown as Results;
      const rows = results.map((row, index) => ({ ...row, sent: count, received: count - (index === 0 ? lost : 0) }));
      return { ...entry, body: { results: rows } };
    }
    return states((state) => {
      const interfaces = state.inventory.interfaces.map((each) =>
        each.kind === 'loopback' ? each : { ...each, addresses: each.addresses.filter((text) => !text.includes(':')) },
      );
      return { ...state, inventory: { ...state.inventory, interfaces } };
    })(entry);
  });
  return { ...input, outcomes: healthy.outcomes.filter(({ name }) => name !== 'ietf-srv6-ping') };
};

test('links with IPv4 alone are proven by many IPv4 probes, and by nothing less', () => {
  assert.deepEqual(said(plain(160)), ['healthy']);
  const few = said(plain(60));
  assert.equal(few[0], 'inconclusive');
  assert.ok(few.includes('r1 eth1 – r2 eth1: no probe crossed it in numbers that prove anything'));
  assert.match(said(plain(160, 64)).join('\n'), /r1 → 198\.18\.1\.1 of r2: 64 of 160 probes from end to end/);
});

/** r1 – r2 without addresses, LLDP, BGP or BFD: only IS-IS is there. */
const unnumbered = states((state, node) => {
  if (node !== 'r1' && node !== 'r2') return state;
  const interfaces = state.inventory.interfaces.map((each) =>
    each.name === 'eth1' ? { ...each, addresses: each.addresses.filter((text) => text.startsWith('fe80')) } : each,
  );
  return {
    ...state,
    inventory: { ...state.inventory, interfaces },
    neighbours: state.neighbours.filter(({ ifname }) => ifname !== 'eth1'),
    history: { ...state.history!, lastHeard: state.history!.lastHeard.filter(({ ifname }) => ifname !== 'eth1') },
    bgp: { ...state.bgp!, sessions: state.bgp!.sessions.filter(({ peer }) => !/^198\.18\.1\.[01]$/.test(peer)) },
    bfd: state.bfd!.filter(({ ifname }) => ifname !== 'eth1'),
  };
});

test('an adjacency at both ends makes a link, and probes to a loopback behind it alone prove it', () => {
  const outcomes = healthy.outcomes.filter(({ callId }) => !callId.startsWith('probe/r1:eth1/'));
  const bare = {
    ...changed((entry) => (entry.id.startsWith('probe/r1:eth1/') ? undefined : unnumbered(entry))),
    outcomes,
  };
  const line = 'r1 eth1 – r2 eth1: no probe crossed it in numbers that prove anything';
  assert.ok(said(bare).includes(line));
  const { id, purpose, phase } = callFor('r1', { kind: 'plain-links' }, {}, 0);
  const probes = { ...again('198.18.255.2', 100), id, purpose, phase };
  assert.equal(said({ ...bare, evidence: [...bare.evidence, probes] }).includes(line), false);
});

const keep = ['r1', 'r2', 'r4'];
const withoutR3: DiagnoseInput = {
  ...changed((entry) => (keep.includes(entry.node) && !entry.id.includes('r3') ? entry : undefined)),
  outcomes: healthy.outcomes.filter(({ callId }) => !callId.includes('r3')),
  nodeNames: keep,
};

test('a neighbour of the IGP that gave no state is lacking', () => {
  const reasons = said(withoutR3);
  assert.equal(reasons[0], 'inconclusive');
  assert.ok(
    reasons.includes('r2 eth2: the IS-IS neighbour r3 gave no state, and the link to it was not measured'),
    reasons.join('\n'),
  );
});

/** r1 hears somebody on a port to a host. */
const hearing = (oui: string) =>
  changed(
    states((state, node) =>
      node !== 'r1'
        ? state
        : {
            ...state,
            neighbours: [
              ...state.neighbours,
              {
                ifname: 'lan0',
                chassisId: '02:00:00:00:00:99',
                portId: 'Gi0/1',
                systemName: 'office-switch',
                unknownTlvs: [{ oui, subtype: 1, hex: '00' }],
              },
            ],
          },
    ),
  );

test('a switch without an agent at the edge keeps nobody from being healthy, and is told', () => {
  assert.deepEqual(said(hearing('00120f')), ['healthy']);
  const told = 'neighbours without an agent are heard by r1: what lies behind them was not looked at';
  assert.ok(diagnose(hearing('00120f')).verdict.reasons.includes(told));
});

test('a neighbour that announces an agent and gave no state is lacking', () => {
  const line = 'r1 lan0: the neighbour office-switch announces an agent and gave no state';
  assert.deepEqual(said(hearing('02504c')), ['inconclusive', line]);
});

for (const [text, reason] of [
  ['Why is BGP neighbor 203.0.113.9 down on r1?', 'r1: no BGP neighbour 203.0.113.9 is known'],
  ['Why is OSPF neighbor r2 down on r1?', 'r1: no OSPF neighbour r2 is known'],
  ['Why is BFD neighbor 203.0.113.9 down on r1?', 'r1: no BFD neighbour 203.0.113.9 is known'],
  ['What is wrong with interface eth77 on r1?', 'r1: no interface eth77 is there'],
  ['check the link between r1 and r3', 'no link between r1 and r3 is known'],
  ['Why can r1 not reach 203.0.113.77?', 'r1: no probe was sent to 203.0.113.77, which no agent has'],
] as const)
  test(`"${text}" is not healthy: ${reason}`, () => {
    assert.deepEqual(asked(text), ['inconclusive', reason]);
  });

for (const text of [
  'Why is BGP neighbor 198.18.1.1 down on r1?',
  'Why is BGP neighbor r2 down on r1?',
  'why did r1 lose its IS-IS adjacency with r2?',
  'Why is BFD neighbor 198.18.1.1 down on r1?',
  'What is wrong with interface eth1 on r1?',
  'check the link between r1 and r2',
  'Verify reachability between r1 and r3',
  'Why can r1 not reach 198.18.255.3?',
])
  test(`"${text}" is healthy when what it names was found and measured`, () => {
    assert.deepEqual(asked(text), ['healthy']);
  });

test('an address that nobody has is reached when it answers echoes, and not when it is thrown away', () => {
  const probe = healthy.evidence.find(({ id }) => id === 'probe/r1/parley-lookups')!;
  const echo = (answered: boolean): Evidence => ({
    ...probe,
    id: 'probe/r1/parley-service-probe/echo',
    purpose: { kind: 'service-probe', reason: 'asked-echo', round: 'first' },
    kind: 'service-probe',
    request: { method: 'tools/call', params: { arguments: {} } },
    body: { results: [{ destination: '203.0.113.77', service: 'echo', sent: 3, answered, open: answered }] },
  });
  const { id, purpose } = callFor('r1', { kind: 'path-lookup', destination: '203.0.113.77' }, {}, 0);
  const way = { ...echo(false), id, purpose, kind: 'lookups' as const };
  const blackhole = { ...way, body: { answers: [{ destination: '203.0.113.77', kind: 'blackhole' }] } };
  const text = 'Why can r1 not reach 203.0.113.77?';
  const withMore = (...more: readonly Evidence[]) =>
    asked(text, { ...healthy, evidence: [...healthy.evidence, ...more] });
  assert.deepEqual(withMore(echo(true)), ['healthy']);
  assert.deepEqual(withMore(echo(false), blackhole), [
    'inconclusive',
    'r1 throws away what is for 203.0.113.77',
    'r1: nothing came back from 203.0.113.77, which no agent has',
  ]);
});

test('a node of the scope that was left out, unasked, is lacking and accused of nothing', () => {
  const reasons = said({ ...healthy, nodeNames: [...healthy.nodeNames, 'r5'] });
  assert.deepEqual(reasons, ['inconclusive', 'r5: no state before the probes (not asked)']);
});

test('with too few links to compare, the proof says that delays were not judged', () => {
  const said = /^delay and capacity are as measured, and not judged/;
  assert.equal(diagnose(healthy).verdict.reasons.filter((line) => said.test(line)).length, 0);
  const nodes = ['r1', 'r2', 'r4'];
  const alone: Intent = { ...healthy.intent, kind: 'fault', path: [{ as: 'r1', key: 'r1' }] };
  const change = states((state, node) =>
    node === 'r1' ? state : { ...state, adjacencies: state.adjacencies.filter(({ hostname }) => hostname === 'r1') },
  );
  const input = {
    ...changed((entry) => (nodes.includes(entry.node) && !/r3/.test(entry.id) ? change(entry) : undefined)),
  };
  const outcomes = healthy.outcomes.filter(({ callId, node }) => nodes.includes(node) && !/r3/.test(callId));
  const { verdict } = diagnose({ ...input, intent: alone, nodeNames: nodes, outcomes });
  assert.equal(verdict.kind, 'healthy', verdict.reasons.join('\n'));
  assert.equal(verdict.reasons.filter((line) => said.test(line)).length, 1);
});

test('a node that answered through others is as well as any, and the proof says through which', () => {
  const outcomes = healthy.outcomes.map((outcome) =>
    outcome.node === 'r3' ? { ...outcome, through: ['r2'] } : outcome,
  );
  const { verdict } = diagnose({ ...healthy, outcomes });
  assert.equal(verdict.kind, 'healthy');
  assert.match(verdict.reasons.join('\n'), /r3: answered through .*r2; no route led from the asked node to its agent/i);
  const [first] = healthy.outcomes.filter(({ node }) => node === 'r3');
  const once = healthy.outcomes.map((outcome) => (outcome === first ? { ...outcome, through: ['r2'] } : outcome));
  const direct = diagnose({ ...healthy, outcomes: once }).verdict.reasons.join('\n');
  assert.doesNotMatch(direct, /answered through/, 'later over a session of its own');
});

test('an agent of an earlier version, which refuses tries over IPv6, leaves them untested and nothing lacking', () => {
  const after = (reason: string, ...more: readonly ('answered' | 'refused')[]) => {
    const [one] = healthy.outcomes;
    const outcomes = (['refused', ...more] as const).map((status, index) => ({
      ...{ ...one!, callId: `six${index}`, node: 'r1', name: 'parley-service-probe', status },
      ...(status === 'refused' ? { reason } : {}),
      purpose: { kind: 'service-probe', reason: 'used', round: 'first', ifname: 'lan0', family: 6 } as const,
    }));
    const { world } = caseFileOf(healthy.intent, healthy.nodeNames, healthy.evidence, healthy.outcomes);
    const input = { intent: healthy.intent, world, facts: [], evidence: [], outcomes };
    return [plannedProof, proofAlong].map((proofOf) => {
      const { proven, lacking } = proofOf(input);
      const isOfR1 = (line: string) =>
        line.includes('parley-service-probe') || /not tested.*IPv6|services of hosts from/.test(line);
      return [proven.filter(isOfR1), lacking.filter(isOfR1)];
    });
  };
  const line = 'services of hosts: not tested over IPv6 from {r1}, whose agent takes no such call';
  const invalid = '-32602 expected an IPv4 address, got 2001:db8:3::10';
  assert.deepEqual(after(invalid), [
    [[line], []],
    [[line], []],
  ]);
  const lackingOf = (proofs: ReturnType<typeof after>) =>
    proofs.map(([proven, lacking]) => [proven!.length, lacking!.length]);
  assert.deepEqual(lackingOf(after('-32000 busy'))[0], [0, 1], 'a node that could not answer');
  assert.deepEqual(lackingOf(after(invalid, 'answered'))[0]?.[0], 0, 'it takes calls with IPv6');
});
