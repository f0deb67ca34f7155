// Plans: which calls answer a path-loss question, with which SIDs, addresses and arguments, and when there is no way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SID_STATISTICS_URI } from '#measure/call.ts';
import { planPathStates } from '#measure/nodes/node-state.ts';
import { type ProbePlan, planProbes } from '#measure/path/path-plan.ts';
import type { Intent } from '#model/intent.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { exchange, intentFor } from '../../correlate/builder.ts';

const NODES = ['pe1', 'p2', 'pe3'];

function statesOf(
  nodes: readonly string[],
  change: (state: NodeState, node: string) => NodeState = (state) => state,
): Map<string, NodeState> {
  const { evidence } = exchange({ nodes, seed: 1, probeCount: 1 });
  const before = evidence.filter((entry) => entry.phase === 'before');
  return new Map(before.map((entry) => [entry.node, change(entry.body as unknown as NodeState, entry.node)]));
}

function callsOf(plan: ProbePlan) {
  assert.ok(plan.ok, plan.ok ? '' : plan.problem);
  return plan.calls;
}

function problemOf(plan: ProbePlan): string {
  assert.ok(!plan.ok);
  return plan.problem;
}

const withoutSids = (state: NodeState): NodeState => ({ ...state, inventory: { ...state.inventory, sids: [] } });

test('asks every path node for its state before and after [TS-11]', () => {
  const calls = planPathStates(NODES);
  assert.deepEqual(
    calls.map((call) => call.id),
    [
      'before/pe1/parley-node-state',
      'before/p2/parley-node-state',
      'before/pe3/parley-node-state',
      'after/pe1/parley-node-state',
      'after/p2/parley-node-state',
      'after/pe3/parley-node-state',
    ],
  );
  assert.ok(calls.every((call) => call.capability === 'ietf-interface-counters' && call.evidence === 'state'));
});

test('probes along the SID list at the head, in the draft’s spelling [TS-12] [TS-15]', () => {
  const whole = callsOf(planProbes(intentFor(NODES), statesOf(NODES)))[0];
  assert.deepEqual(whole, {
    id: 'probe/pe1/pe3',
    purpose: { kind: 'path-probe', from: 'pe1', to: 'pe3' },
    node: 'pe1',
    kind: 'tool',
    name: 'ietf-srv6-ping',
    arguments: {
      Head: 'PE-1',
      Tail: 'PE-3',
      'SID List': ['P-2', 'PE-3'],
      Count: 1000,
      destination: 'fd00:0:0:3::1',
      source: 'fd00:0:0:1::1',
      segments: ['fd00:5a:2::e', 'fd00:5a:3::d6'],
      intervalMs: 1,
      payloadBytes: 64,
      lingerMs: 200,
    },
    capability: 'ietf-srv6-ping',
    evidence: 'probe',
    phase: 'probe',
    timeoutMs: 6200,
  });
});

test('each sending node measures its own segment through the receiver’s decapsulation SID [TS-15]', () => {
  const segments = callsOf(planProbes(intentFor(NODES), statesOf(NODES))).slice(1, 3);
  assert.deepEqual(
    segments.map((call) => [
      call.node,
      call.arguments['Head'],
      call.arguments['Local'],
      call.arguments['Tail'],
      call.arguments['segments'],
      call.arguments['destination'],
    ]),
    [
      ['pe1', 'PE-1', undefined, 'P-2', ['fd00:5a:2::d6'], 'fd00:0:0:2::1'],
      ['p2', undefined, 'P-2', 'PE-3', ['fd00:5a:3::d6'], 'fd00:0:0:3::1'],
    ],
  );
});

test('reads the draft’s statistics resource at the tail, with its space [TS-15]', () => {
  const last = callsOf(planProbes(intentFor(NODES), statesOf(NODES))).at(-1);
  assert.equal(
    SID_STATISTICS_URI,
    'urn:ietf:params:xml:ns:yang:ietf-interfaces/interfaces/interface=SID Endpoint/statistics',
  );
  assert.deepEqual(
    [last?.node, last?.kind, last?.name, last?.evidence],
    ['pe3', 'resource', SID_STATISTICS_URI, 'sid-statistics'],
  );
});

test('two nodes need one probe along the list, for the whole path is the segment, and one of many flows over their link', () => {
  const calls = callsOf(planProbes(intentFor(['pe1', 'p2']), statesOf(['pe1', 'p2'])));
  assert.deepEqual(
    calls.map((call) => call.id),
    ['probe/pe1/p2', 'probe/pe1/p2/flows', 'probe/pe1/p2/full', 'probe/p2/sid-statistics'],
  );
  const plain = calls[1]?.arguments;
  assert.deepEqual(
    [plain?.['segments'], plain?.['source'], plain?.['destination'], plain?.['Count'], plain?.['flows']],
    [[], 'fd00:1::0', 'fd00:1::1', 500, 64],
  );
});

test('without SIDs an IP question is probed plainly, each segment to its link address', () => {
  const intent: Intent = { ...intentFor(NODES), encapsulation: 'ip' };
  const calls = callsOf(planProbes(intent, statesOf(NODES, withoutSids)));
  assert.deepEqual(
    calls
      .slice(0, 3)
      .map((call) => [call.id, call.arguments['segments'], call.arguments['source'], call.arguments['destination']]),
    [
      ['probe/pe1/pe3', [], 'fd00:0:0:1::1', 'fd00:0:0:3::1'],
      ['probe/pe1/p2', [], 'fd00:1::0', 'fd00:1::1'],
      ['probe/p2/pe3', [], 'fd00:2::0', 'fd00:2::1'],
    ],
  );
});

test('the number of probes is the asker’s, within the limit of one call', () => {
  const counts = [1, 250, 1_000_000, 0].map(
    (probeCount) => callsOf(planProbes(intentFor(NODES), statesOf(NODES), { probeCount }))[0]?.arguments['Count'],
  );
  assert.deepEqual(counts, [1, 250, 10_000, 1]);
});

test('an SRv6 question without the SIDs for it says which is lacking and whom it knows', () => {
  const lacking = (node: string) =>
    planProbes(
      intentFor(NODES),
      statesOf(NODES, (state, at) => (at === node ? withoutSids(state) : state)),
    );
  assert.equal(problemOf(lacking('p2')), 'no SRv6 path: P-2 has no End SID; known are PE-1, P-2, PE-3');
  assert.equal(problemOf(lacking('pe3')), 'no SRv6 path: PE-3 has no End.DT6 SID; known are PE-1, P-2, PE-3');
});

test('nodes that are not adjacent are said to be so, with the node between them', () => {
  const states = statesOf(NODES);
  states.delete('p2');
  const plan = planProbes(intentFor(['pe1', 'pe3']), states);
  assert.equal(problemOf(plan), 'no path: PE-1 and PE-3 are not adjacent; known are PE-1, PE-3');
  assert.deepEqual(!plan.ok && plan.between, { from: 'pe1', to: 'pe3', over: ['p2'] });
});

test('where it could not be read who the neighbours are, the answer says so', () => {
  const states = statesOf(NODES, (state, at) =>
    at === 'pe1' ? { ...state, missing: ['ospf', 'qdiscs'].map((part) => ({ part, reason: 'no answer' })) } : state,
  );
  states.delete('p2');
  assert.equal(
    problemOf(planProbes(intentFor(['pe1', 'pe3']), states)),
    'no path: PE-1 and PE-3 are not adjacent, as far as is known: OSPFv2 of PE-1 could not be read; known are PE-1, PE-3',
  );
});

test('when there is no way, every node that the asker knows is named', () => {
  const states = statesOf(NODES);
  states.delete('p2');
  const plan = planProbes(intentFor(['pe1', 'pe3']), states, { known: ['pe3', 'p4', 'p2', 'PE-1'] });
  assert.equal(problemOf(plan), 'no path: PE-1 and PE-3 are not adjacent; known are PE-1, PE-3, p2, p4');
});

test('a missing state or loopback is a problem, not a crash', () => {
  assert.equal(
    problemOf(planProbes(intentFor(NODES), new Map())),
    'no path: expected the state of PE-1, P-2, PE-3; known are no nodes',
  );
  const bare = statesOf(NODES, (state, at) =>
    at === 'pe3' ? { ...state, inventory: { ...state.inventory, loopbacks: [], interfaces: [] } } : state,
  );
  assert.match(problemOf(planProbes(intentFor(NODES), bare)), /no path/);
});

test('a path without IPv6 is probed over IPv4, from link to link and from loopback to loopback', () => {
  const isIpv4 = (address: string) => !address.includes(':');
  const states = statesOf(NODES, (state, node) => ({
    ...state,
    inventory: {
      ...state.inventory,
      sids: [],
      loopbacks: [`198.18.255.${NODES.indexOf(node) + 1}/32`],
      interfaces: state.inventory.interfaces.map((entry) => ({ ...entry, addresses: entry.addresses.filter(isIpv4) })),
    },
  }));
  const probes = callsOf(planProbes({ ...intentFor(NODES), encapsulation: 'ip' }, states)).filter(
    ({ name }) => name === 'ietf-srv6-ping',
  );
  const ways = probes.map(({ purpose, arguments: args }) => [
    purpose,
    args['source'],
    args['destination'],
    args['segments'],
  ]);
  assert.ok(ways.length >= 3);
  for (const [, source, destination, segments] of ways) {
    assert.ok(isIpv4(String(source)) && isIpv4(String(destination)));
    assert.deepEqual(segments, []);
  }
  assert.deepEqual(ways[0]?.slice(1, 3), ['198.18.255.1', '198.18.255.3']);
});

test('of two links between neighbours the one that is up is probed, whichever stands first', () => {
  const shut = (state: NodeState, node: string): NodeState => {
    const spare = { pe1: '2001:db8:9::/127', p2: '2001:db8:9::1/127' }[node];
    const [first, ...rest] = state.inventory.interfaces;
    if (spare === undefined) return withoutSids(state);
    const port = { ...first!, name: 'eth9', kind: 'physical' as const, operUp: false, addresses: [spare] };
    return withoutSids({ ...state, inventory: { ...state.inventory, interfaces: [port, first!, ...rest] } });
  };
  const probe = callsOf(planProbes({ ...intentFor(NODES), encapsulation: 'ip' }, statesOf(NODES, shut))).find(
    ({ id }) => id === 'probe/pe1/p2',
  );
  assert.notEqual(probe?.arguments['destination'], undefined);
  assert.notEqual(probe?.arguments['destination'], '2001:db8:9::1');
});

test('plain probes of a whole path go between addresses that are announced, and between two neighbours over their link', () => {
  const told = (state: NodeState, node: string): NodeState => {
    const { isis: _isis, ospf: _ospf, ...plain } = withoutSids(state);
    const index = NODES.indexOf(node) + 1;
    const address = `fd00:c:${index}::1/64`;
    const port = {
      ...state.inventory.interfaces[0]!,
      name: 'eth9',
      kind: 'physical',
      operUp: true,
      addresses: [address],
    };
    const ownPrefixes =
      node === 'p2' ? [] : [{ prefix: `fd00:c:${index}::/64`, originated: true, advertisedTo: ['fd00::1'] }];
    return {
      ...plain,
      inventory: { ...plain.inventory, interfaces: [...plain.inventory.interfaces, port] },
      bgp: { asn: 64_600 + index, networks: [], redistribute: [], sessions: [], ownPrefixes },
    } as unknown as NodeState;
  };
  const endsAt = (nodes: readonly string[]) => {
    const { source, destination } = callsOf(
      planProbes({ ...intentFor(nodes), encapsulation: 'ip' }, statesOf(nodes, told)),
    )[0]!.arguments;
    return [source, destination];
  };
  assert.deepEqual(endsAt(NODES), ['fd00:c:1::1', 'fd00:c:3::1']);
  const [source, destination] = endsAt(['pe1', 'p2']);
  assert.ok(
    [source, destination].every((address) => !/^fd00:(?:c:|0:0:)/.test(String(address))),
    `${source} ${destination}`,
  );
});
