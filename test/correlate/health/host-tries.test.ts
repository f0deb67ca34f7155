// A router that asks for a host: what counts where it has an address that no route leads back to, or a policy takes its echoes. And what never counts:
// packets that die for a reason that is not known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { askedProof } from '#correlate/health/proof-asked.ts';
import type { Intent } from '#model/intent.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { dropping, HOST3, type Scene, sceneOf } from '../scope-scene.ts';

type More = NonNullable<Scene['more']>;
type Tried = { readonly traffic?: 'tcp' | 'icmp'; readonly answered?: boolean; readonly sender?: string };
const LAN = '198.19.1.1';

/** By r1 in the second look; the first, an echo, was not answered. */
function tried({ traffic = 'icmp', answered = true, sender = LAN }: Tried): More[number] {
  return {
    node: 'r1',
    purpose: { kind: 'host-try', traffic, round: 'confirmation', sender },
    args: { sources: [sender] },
    body: { results: [{ destination: HOST3.address, sent: 3, received: answered ? 3 : 0, rttMs: 1, traffic }] },
  };
}
const FIRST: More[number] = {
  node: 'r1',
  purpose: { kind: 'service-probe', reason: 'asked-echo', round: 'first' },
  body: { results: [{ destination: HOST3.address, service: 'echo', sent: 3, answered: false, open: false }] },
};
/** Of r3, the host's router, to the loopback of r1; r2 between them has no route there either. */
const noWay = (kind: RouteAnswer['kind'] = 'none'): Scene['lookups'] => ({
  r2: [{ destination: '198.19.255.1', kind: 'none' }],
  r3: [{ destination: '198.19.255.1', kind, ...(kind === 'unicast' ? { ifname: 'eth1' } : {}) } as RouteAnswer],
});
const remembering = (history: object = {}): Scene['states'] => ({
  r3: (state: NodeState) => ({ ...state, history: { ...state.history!, settingsSpanMs: 9e6, ...history } }),
});

function proofOf(tries: readonly Tried[], scene: Scene = {}) {
  const more = [FIRST, ...tries.map(tried)];
  const input = sceneOf({ more, lookups: noWay()!, states: remembering()!, ...scene });
  const intent: Intent = {
    ...{ kind: 'reachability', text: '', path: [{ as: 'r1', key: 'r1' }], encapsulation: 'ip' },
    destination: HOST3.address,
  };
  const { world, facts } = caseFileOf(intent, input.nodeNames, input.evidence, input.outcomes);
  return askedProof(intent, world, facts);
}

test('a host that answers the address on the network of hosts is reached, and the proof says which address has no way back', () => {
  const { proven, lacking } = proofOf([{}]);
  assert.deepEqual(lacking, []);
  assert.match(
    proven.join(),
    /198\.19\.3\.10 answers 198\.19\.1\.1, as it does hosts there; to 198\.19\.255\.1 of \{r1\} no answer comes, as \{r3\} has no route/,
  );
});

test('what the first address had a way for, or has, is a loss', () => {
  const lacks = (scene: Scene, tries: readonly Tried[] = [{}]) =>
    assert.match(proofOf(tries, scene).lacking.join(), /not every try was answered|nothing came back/);
  lacks({ lookups: noWay('unicast')! });
  lacks({ lookups: noWay('blackhole')! });
  const told = { destination: '198.19.255.1', kind: 'unicast', ifname: 'eth1', matched: '198.19.255.1' } as RouteAnswer;
  lacks({ lookups: { ...noWay()!, r2: [told] } });
  lacks({}, [{ answered: false }]);
  const was = (change: object) => lacks({ states: remembering({ settings: [{ agoMs: 60_000, ...change }] })! });
  was({ kind: 'static-route', subject: '198.19.255.0/24', was: 'unicast via 198.18.2.0' });
  was({ kind: 'policy', subject: 'OUT', was: 'permit 10', is: 'permit 20' });
  const r1 = (state: NodeState) => ({
    ...state,
    history: {
      ...state.history!,
      settingsSpanMs: 9e6,
      settings: [{ kind: 'announced', subject: '198.19.255.1/32', was: 'all', is: 'none', agoMs: 60_000 }],
    },
  });
  lacks({ states: { ...remembering(), r1 } as NonNullable<Scene['states']> });
  lacks({ states: { r3: ({ history: _, ...state }: NodeState) => state } }, [{}]);
});

test('where nothing leads back to any address that it tried from, the answer says so', () => {
  assert.match(
    proofOf([]).lacking.join(),
    /nothing came back from 198\.19\.3\.10, which no agent has: \{r3\} has no route back to 198\.19\.255\.1, from where it was tried/,
  );
  assert.doesNotMatch(proofOf([], { lookups: {} }).lacking.join(), /no route back/);
  const told = { destination: '198.19.255.1', kind: 'unicast', ifname: 'eth1' } as RouteAnswer;
  const between = { ...noWay()!, r3: [told] };
  assert.doesNotMatch(proofOf([], { lookups: between }).lacking.join(), /no route back/, 'r2 has none, and r3 has');
});

test('a host to which a policy takes all echoes is reached where its kernel answers TCP', () => {
  const dropped = dropping([
    { field: 'protocol', values: ['icmp'] },
    { field: 'destination', values: ['198.19.3.0/24'] },
  ]);
  const states = { r2: dropped };
  const lookups = {};
  const tcp = (answered: boolean) => [{ traffic: 'tcp', answered, sender: '198.19.255.1' }] as const;
  assert.deepEqual(proofOf(tcp(true), { states, lookups }).lacking, []);
  assert.match(proofOf(tcp(false), { states, lookups }).lacking.join(), /nothing came back/);
  assert.match(proofOf(tcp(true), { lookups }).lacking.join(), /not every try/, 'no policy takes its echoes');
  const come = (state: NodeState, phase: 'before' | 'after') => {
    const now = dropped(state, phase);
    return { ...now, past: [{ fromAgoMs: 90_000, untilAgoMs: 30_000, state }] } as unknown as NodeState;
  };
  assert.match(proofOf(tcp(true), { states: { r2: come }, lookups }).lacking.join(), /not every try/, 'it has come');
  const refused = (state: NodeState, phase: 'before' | 'after') => {
    const now = dropped(state, phase);
    const matches = [{ field: 'protocol' as const, values: ['tcp'] }];
    return {
      ...now,
      filters: [...now.filters, { ...now.filters[0]!, handle: 9, verdict: 'reject' as const, matches }],
    };
  };
  const by = proofOf(tcp(true), { states: { r2: refused }, lookups });
  assert.match(by.lacking.join(), /198\.19\.3\.10/, 'a router may refuse it in the name of the host');
});

test('a host that serves this node and its own router, and answers echoes of neither, is reached', () => {
  const served = (node: string, open = true, echo = false): More[number] => ({
    node,
    purpose: { kind: 'service-probe', reason: node === 'r1' ? 'used' : 'seen', round: 'first' },
    body: {
      results: [
        { destination: HOST3.address, service: 'tcp', port: 80, sent: 1, answered: open, open },
        { destination: HOST3.address, service: 'echo', sent: 3, answered: echo, open: echo },
      ],
    },
  });
  const lacking = (...rows: readonly More[number][]) => {
    const { lacking: lines, proven } = proofOf([], { more: [FIRST, ...rows], lookups: {} });
    return lines.length > 0 ? lines.join() : proven.find((line) => line.includes('answers no echo'));
  };
  const said = '198.19.3.10 answers no echo, of its own router {r3} neither; it serves both';
  assert.equal(lacking(served('r1'), served('r3')), said);
  assert.match(lacking(served('r1'), served('r3', true, true))!, /not every try/, 'it answers its router');
  assert.match(lacking(served('r1', false), served('r3'))!, /nothing came back/);
  assert.match(lacking(served('r1'), served('r3', false))!, /not every try/, 'its router got nothing of it');
  assert.match(lacking(served('r1'))!, /not every try/, 'its router did not ask');
});

test('of an IPv6 host the same holds', () => {
  const [host, near, lan, loopback] = ['fd00:c:3::99', 'fd00:c:3::1', 'fd00:c:1::1', 'fd00:0:0:1::1'];
  const echo = (node: string, answered: boolean, sender?: string): More[number] => ({
    node,
    purpose:
      sender === undefined
        ? { kind: 'host-echo' }
        : { kind: 'host-try', traffic: 'icmp', round: 'confirmation', sender },
    args: sender === undefined ? {} : { sources: [sender] },
    body: { results: [{ destination: host, sent: 3, received: answered ? 3 : 0, rttMs: 1, traffic: 'icmp' }] },
  });
  const lacking = (kind: 'none' | 'unicast', second: boolean) => {
    const way = { kind: 'unicast', ifname: 'eth2' } as const;
    const back = kind === 'none' ? { kind } : { ...way, ifname: 'eth1' };
    const input = sceneOf({
      more: [echo('r1', false), echo('r3', true), echo('r1', second, lan)],
      lookups: {
        r1: [{ destination: near, ...way }],
        r2: [{ destination: loopback, kind: 'none' }],
        r3: [{ destination: loopback, ...back } as RouteAnswer, { destination: lan, ...way, ifname: 'eth1' }],
      },
      states: remembering()!,
    });
    const path = [{ as: 'r1', key: 'r1' }];
    const intent = { kind: 'reachability', text: '', path, encapsulation: 'ip', destination: host } as const;
    const { world, facts } = caseFileOf(intent, input.nodeNames, input.evidence, input.outcomes);
    return askedProof(intent, world, facts).lacking.join();
  };
  assert.equal(lacking('none', true), '');
  assert.match(lacking('unicast', true), /not every try was answered/);
  assert.match(lacking('none', false), /nothing came back from fd00:c:3::99, which no agent has$/);
});

test('a rule that has come and takes tries of the second look is accused, and one that always stood is not', () => {
  const between = dropping([
    { field: 'source', values: ['198.19.1.0/24'] },
    { field: 'destination', values: ['198.19.3.0/24'] },
  ]);
  const come = (state: NodeState, phase: 'before' | 'after') =>
    ({ ...between(state, phase), past: [{ fromAgoMs: 90_000, untilAgoMs: 30_000, state }] }) as unknown as NodeState;
  const named = (r2: typeof between) => {
    const tries = [FIRST, tried({ answered: false }), tried({ traffic: 'tcp', answered: false })];
    const input = sceneOf({ more: tries, lookups: noWay()!, states: { ...remembering(), r2 } });
    const path = [{ as: 'r1', key: 'r1' }];
    const intent = { kind: 'reachability', text: '', path, encapsulation: 'ip', destination: HOST3.address } as const;
    const { findings, verdict } = diagnose({ ...input, intent });
    return [verdict.kind, ...findings.map(({ fault, resource }) => `${fault} ${resource}`)];
  };
  assert.deepEqual(named(come), ['fault', 'acl_misconfig node/r2']);
  assert.deepEqual(named(between), ['inconclusive']);
});
