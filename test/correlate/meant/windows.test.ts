// Symptoms without a cause at places under maintenance: of what many nodes show, one maintained node explains too little.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import type { Ranked } from '#correlate/engine/rank.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';
import { meantOf } from '#correlate/meant/meant.ts';
import type { ExpectationLine } from '#model/router/expectations.ts';
import { fileOf } from '../fact-scene.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

const ABCD = pairWorld(['a-b', 'b-c', 'c-d'], { a: { now: {} }, b: { now: {} }, c: { now: {} }, d: { now: {} } });
const until = '2026-06-01T13:00:00.000Z';
const window = (nodes: readonly string[], links: readonly string[] = []): ExpectationLine => ({
  ...{ kind: 'maintenance', from: '2026-06-01T11:00:00.000Z', until, nodes, links, reason: 'r', owner: 'o' },
});
const symptom = (kind: string, nodes: readonly string[], more: object = {}): Symptom => ({
  ...{ kind, id: kind, subject: `node/${nodes[0]!}`, text: kind, source: [], nodes, detail: {} },
  ...more,
});
const nothing: Ranked = { chosen: [], lost: [], unexplained: [], open: [], ambiguous: [] };
const weighed = (lines: readonly ExpectationLine[], change: Partial<Ranked>, symptoms: readonly Symptom[] = []) =>
  meantOf(
    fileOf([], { world: ABCD, symptoms }),
    [],
    { node: 'a', at: '2026-06-01T12:00:00.000Z', lines },
    { ...nothing, ...change },
    [],
  );
const isMuted = (open: Symptom, ...lines: readonly ExpectationLine[]) =>
  weighed(lines, { open: [open] }).ranked.open.length === 0;

test('a symptom of two nodes is muted by either of them, one of more by all of them together', () => {
  assert.ok(isMuted(symptom('bgp', ['b', 'c']), window(['c'])));
  const reach = symptom('reach', ['a', 'b', 'c']);
  assert.ok(!isMuted(reach, window(['b'])));
  assert.ok(!isMuted(reach, window(['a', 'b'])));
  assert.ok(isMuted(reach, window(['a', 'b', 'c'])));
  assert.ok(isMuted(reach, window(['a', 'b']), window(['c'])));
});

test('a link under maintenance mutes what lies on it', () => {
  const key = 'a:to-b--b:to-a';
  assert.ok(isMuted(symptom('isis', ['a', 'b', 'c'], { link: linkOf('a-b') }), window([], [key])));
  assert.ok(!isMuted(symptom('isis', ['b', 'c'], { link: linkOf('b-c') }), window([], [key])));
});

test('a node that is silent in its window is muted, and not by the window of a neighbour that lost it', () => {
  const silent = symptom('silent', ['b', 'a', 'c']);
  assert.ok(isMuted(silent, window(['b'])));
  assert.ok(!isMuted(silent, window(['a'])));
});

test('a finding elsewhere is covered where all that it explains shows at maintained places alone', () => {
  const explains = [{ symptom: 'reach', lost: 1, spread: 0 }];
  const proposal = { fault: 'x', resource: 'node/d', confidence: 'certain', score: 3, explains, details: {} };
  const chosen = [{ ...proposal, evidence: [], against: [] } as unknown as Proposal];
  const silencedIn = (nodes: readonly string[], shown: readonly string[]) =>
    weighed([window(nodes)], { chosen }, [symptom('reach', shown)]).silenced.length;
  assert.equal(silencedIn(['b'], ['b', 'd']), 1);
  assert.equal(silencedIn(['b'], ['a', 'b', 'c']), 0);
  assert.equal(silencedIn(['a', 'b', 'c'], ['a', 'b', 'c']), 1);
});
