// A router falls silent with the flapping link that it hangs on: its neighbour, which remembers who was there, names the link. The healthy
// recording of four routers in a ring, without a word of r2.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { linkFlap } from '#correlate/faults/link/link-flap.ts';
import { FLAP_CHANGES } from '#correlate/symptoms/links/carrier-changes.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { linkOf } from '../../pair-scene.ts';
import { changed, recorded, said } from '../../recording.ts';
import { caseOf, lossOf, onLink, ringWorld, symptom } from '../proposing.ts';

/** r1 saw the carrier of eth1 change at these times before its state was read. */
function withoutR2(agosMs: readonly number[], heard?: NonNullable<NodeState['history']>['lastHeard']): DiagnoseInput {
  const input = recorded('healthy');
  const outcomes = input.outcomes.map((outcome) =>
    outcome.node === 'r2' ? { ...outcome, status: 'timed-out' as const, reason: 'no answer' } : outcome,
  );
  const silent = { ...input, outcomes, evidence: input.evidence.filter(({ node }) => node !== 'r2') };
  const events = agosMs.map((agoMs, index) => ({
    ...{ kind: 'carrier' as const, subject: 'eth1', agoMs, changes: 1, up: index % 2 === 0 },
  }));
  return changed(silent, {
    state: (state, node) => {
      if (node !== 'r1' || state.history === undefined) return state;
      const { lastHeard } = state.history;
      return { ...state, history: { ...state.history, events, lastHeard: heard ?? lastHeard } };
    },
  });
}

const FLAPS = [1_000, 3_000, 5_000, 7_000];

test('the link that a silent router hangs on is named by the end that sees it flap, as likely', () => {
  assert.deepEqual(said(withoutR2(FLAPS)), ['fault', 'link_flap link/r1:eth1--r2:eth1']);
  assert.deepEqual(
    diagnose(withoutR2(FLAPS)).findings.map(({ confidence }) => confidence),
    ['likely'],
  );
});

test('where its port was never heard, the own port is named', () => {
  const heard = [{ ifname: 'eth1', name: 'r2' }];
  assert.deepEqual(said(withoutR2(FLAPS, heard)), ['fault', 'link_flap interface/r1/eth1']);
});

test('a port that was still for long, changed but once, or leads to nobody who is silent, is no flapping link', () => {
  const still = FLAPS.map((agoMs) => agoMs + 40_000);
  assert.deepEqual(said(withoutR2(still)), ['inconclusive']);
  assert.deepEqual(said(withoutR2(FLAPS.slice(0, 2))), ['inconclusive']);
  assert.deepEqual(said(withoutR2(FLAPS, [{ ifname: 'eth1', name: 'elsewhere', port: 'eth1' }])), ['inconclusive']);
});

const flap = onLink('flap', 'a-b', { detail: { changes: 6 } });
const ids = (file: ReturnType<typeof caseOf>) =>
  linkFlap
    .propose(file, [lossOf('a', 'b')])
    .map(({ resource, confidence, score, explains }) => [
      ...[resource, confidence, score, explains.map(({ symptom: id }) => id).join(' ')],
    ]);

test('what ran over the link follows from its flapping: protocols, echoes across it and lost probes', () => {
  const kinds = ['down', 'past', 'isis', 'ospf', 'bgp', 'bfd', 'entry', 'slow', 'mtu'];
  const here = kinds.map((kind) => onLink(kind, 'a-b', { detail: { changes: 0 } }));
  const elsewhere = kinds.map((kind) => onLink(kind, 'b-c', { id: `${kind} elsewhere`, detail: { changes: 0 } }));
  const echo = (pair: string) =>
    symptom('reach', { id: `echo ${pair}`, way: { links: [linkOf(pair).key], nodes: [] } });
  assert.deepEqual(ids(caseOf([flap, ...here, ...elsewhere, echo('a-b'), echo('c-d')])), [
    [flap.subject, 'certain', 4, 'flap down past isis ospf bgp bfd entry echo a-b loss a>b'],
  ]);
});

test('routes that are lacking at an end whose carrier changed half a minute ago or less may still come', () => {
  const route = (change: object) =>
    symptom('route', { detail: { how: 'none', owner: 'c', at: 'd', destination: '198.18.0.1', ...change } });
  const follows = (agoMs: number, change: object, event: object = {}) => {
    const events = [{ kind: 'carrier', subject: 'to-b', agoMs, changes: 1, up: true, ...event }];
    const world = ringWorld({}, { a: { history: { events } } });
    return ids(caseOf([flap, route(change)], world))[0]?.at(-1) === 'flap route loss a>b';
  };
  assert.deepEqual([follows(30_000, { owner: 'a' }), follows(30_001, { owner: 'a' })], [true, false]);
  assert.equal(follows(1_000, { at: 'a' }), true);
  assert.equal(follows(1_000, {}), false);
  assert.equal(follows(1_000, { at: 'a', how: 'loop' }), false);
  assert.equal(follows(1_000, { at: 'a' }, { kind: 'adjacency' }), false);
  assert.equal(follows(1_000, { at: 'a' }, { subject: 'to-d' }), false);
});

test('where the other end is silent, what the near end tells follows: its dark port and sessions towards that subnet', () => {
  const near = { node: 'a', ifname: 'to-z' };
  const alone = symptom('flap', {
    nodes: ['a'],
    subject: 'interface/a/to-z',
    detail: { changes: 6, ...near, peer: 'z' },
  });
  const dark = (id: string, detail: object, more: object = {}) => symptom('down', { id, detail, ...more });
  const session = (id: string, node: string, peer: string) => symptom('bgp', { id, detail: { node, peer } });
  const symptoms = [
    alone,
    dark('dark', near),
    dark('other port', { node: 'a', ifname: 'to-b' }),
    dark('other node', { node: 'b', ifname: 'to-z' }),
    dark('of a link', near, { link: linkOf('a-b') }),
    session('facing', 'a', '198.18.9.1'),
    session('other subnet', 'a', '198.18.8.1'),
    session('from elsewhere', 'b', '198.18.9.1'),
  ];
  const inventory = { interfaces: [{ name: 'to-z', addresses: ['198.18.9.0/31'] }] };
  assert.deepEqual(ids(caseOf(symptoms, ringWorld({}, { a: { inventory } }))), [
    ['interface/a/to-z', 'likely', 4, 'flap dark facing'],
  ]);
});

test('a link that fell three times or more within the time asked about flapped then; twice is another fault', () => {
  const over = (changes: number) => {
    const past = onLink('past', 'a-b', { detail: { changes, agoMs: 20_000, fellAgoMs: 60_000 } });
    return linkFlap.propose(caseOf([past]), []);
  };
  assert.deepEqual(over(FLAP_CHANGES - 1), []);
  const [found, ...rest] = over(FLAP_CHANGES);
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [found?.resource, found?.confidence, found?.details, found?.remedy],
    [linkOf('a-b').key, 'certain', { what: 'text of past', changes: FLAP_CHANGES, over: true }, undefined],
  );
});
