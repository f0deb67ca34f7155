// Filters against addresses, which drop what goes to hosts though their router answers. Along a path: diagnose.test.ts, own-filter.test.ts;
// for addresses that nobody here has: foreign-filters.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { dropping, HOST3, named, sceneOf } from '../../scope-scene.ts';
import { is, SILENT_ECHO } from '../../service-scene.ts';

test('a filter against an address drops what goes to its hosts, though its router answers', () => {
  const toHosts = [is('network', 'ip'), is('destination', '198.19.3.0/24')];
  assert.deepEqual(named({ states: { r3: dropping(toHosts) }, serviceProbes: SILENT_ECHO }), ['acl_misconfig node/r3']);
});

test('the rule, what it selects and what it dropped are told', () => {
  const toHosts = [is('network', 'ip'), is('destination', '198.19.3.0/24')];
  const [finding] = diagnose(sceneOf({ states: { r3: dropping(toHosts) }, serviceProbes: SILENT_ECHO })).findings;
  assert.deepEqual(
    ['acl', 'direction', 'droppedPackets', 'probesLost', 'selects'].map((name) => finding?.details[name]),
    ['ACL forward', 'forward', 12, 3, 'network ip, destination 198.19.3.0/24'],
  );
  assert.equal(finding?.hypothesis, 'r3 forward ACL forward');
  assert.deepEqual(finding?.remedy, { node: 'r3', summary: 'ACL forward of r3 drops what it should forward' });
});

test('a filter against an address that most nodes have is meant', () => {
  const toHosts = [is('network', 'ip'), is('destination', '198.19.3.0/24')];
  const states = { r1: dropping(toHosts), r2: dropping(toHosts), r3: dropping(toHosts) };
  assert.deepEqual(named({ states, serviceProbes: SILENT_ECHO }), []);
});

test('a rule that asks for the state of connections and stood accuses no node; one that has come does', () => {
  const stateful = (state: NodeState, phase: 'before' | 'after'): NodeState => {
    const dropped = dropping([is('network', 'ip')])(state, phase);
    return { ...dropped, filters: dropped.filters.map((rule) => ({ ...rule, matchesRest: true })) };
  };
  const before = (state: NodeState, filters: NodeState['filters']): NodeState['past'] => {
    const { past: _, ...bare } = state;
    return [{ state: { ...bare, filters }, fromAgoMs: 90_000, untilAgoMs: 30_000 }];
  };
  const stood = (state: NodeState, phase: 'before' | 'after'): NodeState => {
    const now = stateful(state, phase);
    return { ...now, past: before(state, now.filters)! };
  };
  const diagnosed = diagnose(sceneOf({ states: { r3: stood }, serviceProbes: SILENT_ECHO }));
  assert.deepEqual([diagnosed.verdict.kind, diagnosed.findings], ['inconclusive', []]);
  const why = diagnosed.candidates.find(({ fault }) => fault === 'acl_misconfig')?.why ?? '';
  assert.match(why, /asks for more than its words say, as the state of a connection, and has stood/);
  const come = (state: NodeState, phase: 'before' | 'after'): NodeState => ({
    ...stateful(state, phase),
    past: before(state, [])!,
  });
  const accused = (of: typeof stood) => named({ states: { r3: of }, serviceProbes: SILENT_ECHO });
  assert.deepEqual(accused(come), ['acl_misconfig node/r3']);
  // Without memory it is not known what stood; and one that names an address is about it.
  assert.deepEqual(accused(stateful), ['acl_misconfig node/r3']);
  const aimed = (state: NodeState, phase: 'before' | 'after'): NodeState => {
    const now = stood(state, phase);
    const filters = now.filters.map((rule) => ({
      ...rule,
      matches: [is('network', 'ip'), is('destination', '198.19.3.0/24')],
    }));
    return { ...now, filters, past: before(state, filters)! };
  };
  assert.deepEqual(accused(aimed), ['acl_misconfig node/r3']);
});

const OWN = '198.19.255.3';
const RATE = 'limit rate over 100/second';

test('what a limiter that stood takes of tries at its own node is a remark, and of answers to its own where another node got them', () => {
  const limiter =
    (words: string) =>
    (state: NodeState, phase: 'before' | 'after'): NodeState => {
      const now = dropping([is('protocol', 'udp')], 'input')(state, phase);
      const filters = now.filters.map((rule) => ({ ...rule, matchesRest: true as const, unread: [words] }));
      const { past: _, ...bare } = now;
      return { ...now, filters, past: [{ state: { ...bare, filters }, fromAgoMs: 90_000, untilAgoMs: 30_000 }] };
    };
  const name = (destination: string, answered = false) => [
    { destination, service: 'udp' as const, port: 53, sent: 3, answered, open: answered },
  ];
  const concluded = (node: string, words: string, to = OWN, r2: readonly ServiceProbeResult[] = []) => {
    const serviceProbes = { r1: name(to), r2, r3: name(to, to !== OWN) };
    const scene = sceneOf({ states: { [node]: limiter(words) }, serviceProbes });
    const { verdict, findings, remarks = [] } = diagnose(scene);
    const isOpen = verdict.reasons.some((reason) => reason.startsWith(`r1 tried udp port 53 at ${to}`));
    return { isOpen, findings, remarks: remarks.map(({ text }) => text) };
  };
  const taken = (node: string) =>
    `input (input) of ${node} dropped 12 packets that were for this node itself, probes among them; what it forwards does not come to it`;
  const remarked = (node: string) => ({ isOpen: false, findings: [], remarks: [taken(node)] });
  const open = { isOpen: true, findings: [], remarks: [] };
  for (const words of [RATE, 'ct state new']) assert.deepEqual(concluded('r3', words), remarked('r3'), words);
  assert.deepEqual(concluded('r1', RATE), open, 'it is not known whether an answer came');
  const there = name(HOST3.address, true);
  assert.deepEqual(concluded('r1', RATE, HOST3.address, there), remarked('r1'), 'another node got an answer');
  assert.deepEqual(concluded('r1', RATE, HOST3.address), open);
  assert.deepEqual(concluded('r1', 'ct state new', HOST3.address, there), open, 'no limiter');
});
