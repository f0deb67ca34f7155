// What must hold and is the result of something else: that something is at its node or on the way, and no mere remark. And what a node's
// own file may not do to others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';
import { meantOf } from '#correlate/meant/meant.ts';
import { mustHold } from '#correlate/meant/must-hold.ts';
import type { ExpectationLine } from '#model/router/expectations.ts';
import { fileOf } from '../fact-scene.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

const PREFIX = '198.18.9.0/24';
const route: ExpectationLine = { kind: 'expect', what: 'route', subject: PREFIX, at: 'a' };
const none = new Map([['198.18.9.1', { destination: '198.18.9.1', kind: 'none' }]]);
const ownedBy = (...nodes: readonly string[]) =>
  new Map([['198.18.9.7', nodes.map((node) => ({ node, ifname: 'lan0' }))]]);
const ring = (owners: ReadonlyMap<string, object>, states: object = {}) =>
  pairWorld(
    ['a-b', 'b-c', 'a-d', 'd-e'],
    { a: { now: {} }, b: { now: {} }, c: { now: {} }, d: { now: {} }, e: { now: {} }, ...states },
    { owners, lookups: new Map([['a', none]]) },
  );
const at = '2026-06-01T12:00:00.000Z';
const symptom = (kind: string, nodes: readonly string[], more: object = {}): Symptom => ({
  ...{ kind, id: 'cause', subject: `node/${nodes[0]!}`, text: kind, source: [], nodes, detail: {} },
  ...more,
});
const down = (pair: string) => symptom('down', pair.split('-'), { link: linkOf(pair) });
const held = (cause: Symptom, owners = ownedBy('c')) =>
  mustHold({ world: ring(owners), symptoms: [cause] }, { node: 'a', at, lines: [route] });

test('an expected route that is lost needs no finding where a cause is at its node or on the way', () => {
  for (const cause of [
    down('a-d'),
    down('b-c'),
    symptom('silent', ['b', 'a']),
    symptom('daemon', ['c']),
    symptom('bgp', ['a', 'z']),
  ]) {
    const { unmet, symptoms } = held(cause);
    assert.deepEqual([symptoms, unmet[0]?.resultOf, unmet[0]?.symptoms], [[], ['cause'], []], cause.text);
  }
});

test('it is raised where what is wrong is elsewhere, or where its network is not known', () => {
  for (const [cause, owners] of [
    [down('d-e'), ownedBy('c')],
    [symptom('daemon', ['e']), ownedBy('c')],
    [symptom('mtu', ['a']), ownedBy('c')],
    [down('b-c'), new Map()],
  ] as const) {
    const { unmet, symptoms } = held(cause, owners);
    assert.deepEqual([symptoms.length, unmet[0]?.resultOf], [1, undefined]);
  }
});

test('where every cause is a remark, what must hold is accused all the same', () => {
  const cause = down('b-c');
  const { unmet } = held(cause);
  const file = fileOf([], { world: ring(ownedBy('c')), symptoms: [cause], unmet });
  const explains = [{ symptom: 'cause', lost: 1, spread: 0 }];
  const base = { fault: 'link_down', resource: linkOf('b-c').key, confidence: 'certain', score: 3, explains };
  const accusing = { ...base, evidence: [], against: [], details: {} } as unknown as Proposal;
  const remark = { ...accusing, accuses: false, remark: 'shut for long' } as const;
  const chosenWith = (proposal: Proposal) =>
    meantOf(file, [], undefined, { chosen: [proposal], lost: [], unexplained: [], open: [], ambiguous: [] }, [])
      .ranked.chosen.filter(({ accuses }) => accuses !== false)
      .map(({ fault, resource }) => `${fault} ${resource}`);
  assert.deepEqual(chosenWith(remark), ['expectation_unmet node/a']);
  assert.deepEqual(chosenWith(accusing), [`link_down ${linkOf('b-c').key}`]);
});

const link: ExpectationLine = { kind: 'expect', what: 'link', subject: 'b:eth9--a:to-b' };
const told = (by: Readonly<Record<string, readonly ExpectationLine[]>>, symptoms: readonly Symptom[] = []) => {
  const states = Object.fromEntries(
    ['a', 'b'].map((node) => [node, { now: by[node] === undefined ? {} : { expectations: by[node] } }]),
  );
  return mustHold({ world: ring(new Map(), states), symptoms }, { node: 'e', at, lines: by['e'] ?? [] });
};

test("a node's own file accuses that node alone, also where another node's interface is missing", () => {
  const nodesOf = (by: Parameters<typeof told>[0]) => told(by).unmet.map(({ node }) => node);
  assert.deepEqual(nodesOf({ a: [link] }), ['a']);
  assert.deepEqual(nodesOf({ b: [link] }), ['b']);
  assert.deepEqual(nodesOf({ e: [link] }), ['b'], 'the asked node speaks of all');
  assert.deepEqual(nodesOf({ a: [link], b: [link] }), ['b'], 'said by both ends it is one finding');
  assert.match(
    told({ a: [link] }).unmet[0]!.text,
    /^link \{b\} eth9 – \{a\} to-b is expected: \{b\} eth9 is not there/,
  );
});

test("a remark about another node's interface stays one, whatever a file of its neighbour expects", () => {
  const odd = symptom('down', ['b'], { subject: 'interface/b/eth9' });
  assert.deepEqual(told({ a: [link] }, [odd]).unmet[0]?.symptoms, []);
  assert.deepEqual(told({ e: [link] }, [odd]).unmet[0]?.symptoms, ['cause']);
});

test('that an agent is contradicted is silenced by the file of the asked node alone', () => {
  const until = '2026-12-31T23:59:59.999Z';
  const allow: ExpectationLine = { kind: 'allow', fault: '*', resource: 'node/a', until, reason: 'r', owner: 'o' };
  const from = '2026-01-01T00:00:00.000Z';
  const window: ExpectationLine = {
    kind: 'maintenance',
    from,
    until,
    nodes: ['a'],
    links: [],
    reason: 'r',
    owner: 'o',
  };
  const proposal = { fault: 'agent_contradicted', resource: 'node/a', confidence: 'certain', score: 4, details: {} };
  const silencedBy = (asked: readonly ExpectationLine[], own: readonly ExpectationLine[], fault: string) => {
    const file = fileOf([], { world: ring(new Map(), { a: { now: { expectations: own } } }) });
    const chosen = [{ ...proposal, fault, explains: [], evidence: [], against: [] } as unknown as Proposal];
    const ranked = { chosen, lost: [], unexplained: [], open: [], ambiguous: [] };
    return meantOf(file, [], { node: 'e', at, lines: asked }, ranked, []).silenced.length;
  };
  for (const line of [allow, window]) {
    assert.equal(silencedBy([line], [], 'agent_contradicted'), 1);
    assert.equal(silencedBy([], [line], 'agent_contradicted'), 0);
    assert.equal(silencedBy([], [line], 'daemon_down'), 1);
  }
});
