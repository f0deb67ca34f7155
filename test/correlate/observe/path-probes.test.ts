// Probes of a question about a path: which of them count, over which hops their packets passed, and which are missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  missingPathProbes,
  type PathProbe,
  pathPacketsOver,
  pathProbeFacts,
  readPathProbes,
} from '#correlate/observe/path-probes.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';

const PATH = ['a1', 'b1', 'c1'];
const RESULT = { sent: 100, sendErrors: 0, reflected: 90, received: 80, duplicates: 0, rttMs: null };
const entry = (args: object, change: object = {}) =>
  ({
    ...{ id: 'e1', node: 'a1', kind: 'probe', phase: 'probe', purpose: { kind: 'path-probe', from: 'a1', to: 'b1' } },
    request: { method: 'tools/call', params: { arguments: { Tail: 'B-1', Count: 100, ...args } } },
    body: RESULT,
    ...change,
  }) as unknown as Evidence;
const read = (args: object = {}, change: object = {}) =>
  readPathProbes(PATH, [entry(args, change)]).map(({ from, to, flows, probe }) => [from, to, flows, probe]);

test('a probe counts between two nodes of the path, with as many packets as were asked for', () => {
  assert.deepEqual(read(), [['a1', 'b1', 1, { segments: [] }]]);
  const addresses = { source: 'fd00::1', destination: 'fd00::2', segments: ['fd00::e'] };
  assert.deepEqual(read({ ...addresses, flows: 16 }), [['a1', 'b1', 16, addresses]]);
  assert.deepEqual(read({ source: 1, destination: 2 }), [['a1', 'b1', 1, { segments: [] }]]);
  assert.deepEqual(read({ Count: undefined }).length, 1);
  assert.deepEqual(read({ Count: 99 }), []);
  assert.deepEqual(read({ Tail: 'x1' }), []);
  assert.deepEqual(read({ Tail: 7 }), []);
  assert.deepEqual(read({}, { node: 'x1' }), []);
  assert.deepEqual(read({ Count: 0 }, { body: { ...RESULT, sent: 0, reflected: 0, received: 0 } }), []);
});

const probe = (from: string, to: string, change: Partial<PathProbe> = {}): PathProbe => ({
  ...{ from, to, source: `${from}${to}`, probe: { segments: [] }, flows: 1, result: RESULT as PathProbe['result'] },
  ...change,
});

test('only probes from end to end of a path of several segments are of its whole', () => {
  const scope = (path: readonly string[], run: PathProbe) =>
    pathProbeFacts(path, run).map(({ value }) => (value as { scope?: string; flows?: number }).scope)[0];
  assert.equal(scope(PATH, probe('a1', 'c1')), 'path');
  assert.equal(scope(PATH, probe('a1', 'b1')), 'segment');
  assert.equal(scope(PATH, probe('b1', 'c1')), 'segment');
  assert.equal(scope(PATH.slice(0, 2), probe('a1', 'b1')), 'segment');
  assert.equal(scope(PATH, probe('a1', 'c1', { flows: 2 })), 'segment');
});

test('round trips are a fact where any were timed, flows where there were several', () => {
  const facts = (change: Partial<PathProbe>) =>
    pathProbeFacts(PATH, probe('a1', 'b1', change)).map(({ predicate, value }) => [
      predicate,
      (value as { flows?: number }).flows,
    ]);
  assert.deepEqual(facts({}), [
    ['probe-loss', undefined],
    ['probe-loss', undefined],
    ['returned-probes', undefined],
  ]);
  assert.equal(facts({ flows: 2 })[0]?.[1], 2);
  const rttMs = { min: 1, avg: 2, max: 3 };
  const [, , trip] = pathProbeFacts(PATH, probe('a1', 'b1', { result: { ...RESULT, rttMs } as PathProbe['result'] }));
  assert.deepEqual([trip?.predicate, trip?.value], ['round-trip', { from: 'a1', to: 'b1', ...rttMs }]);
});

test('packets over a hop: those sent along it each way, and of the whole path what routing sent here or elsewhere', () => {
  const over = (from: string, to: string, run: PathProbe) =>
    pathPacketsOver(PATH, [run], from, to).map(({ probesSent, probesArrived, probesPerhaps, probesRouted = 0 }) => [
      ...[probesSent, probesArrived, probesPerhaps, probesRouted],
    ]);
  assert.deepEqual(over('a1', 'b1', probe('a1', 'b1')), [[100, 90, 0, 0]]);
  assert.deepEqual(over('b1', 'a1', probe('a1', 'b1')), [[90, 80, 0, 0]]);
  assert.deepEqual(over('b1', 'c1', probe('a1', 'b1')), []);
  assert.deepEqual(over('a1', 'b1', probe('a1', 'c1')), [[0, 0, 0, 90]]);
  assert.deepEqual(over('b1', 'c1', probe('a1', 'c1')), [[0, 0, 0, 90]]);
  assert.deepEqual(over('b1', 'a1', probe('a1', 'c1')), [[0, 0, 90, 0]]);
});

test('probes that are missing, and why', () => {
  const missing = (
    probes: readonly PathProbe[],
    evidence: readonly Evidence[] = [],
    outcomes: readonly Outcome[] = [],
  ) =>
    missingPathProbes(PATH, probes, evidence, outcomes).map(({ value }) => {
      const { node, what, why } = value as never as Record<string, string>;
      return [node, what, why].join(' | ');
    });
  const all = [probe('a1', 'c1'), probe('a1', 'b1'), probe('b1', 'c1')];
  assert.deepEqual(missing(all), []);
  assert.deepEqual(missing(all.slice(1)), ['a1 | probe to {c1} | not asked']);
  assert.deepEqual(missing([all[0]!, all[1]!]), ['b1 | probe to {c1} | not asked']);
  assert.deepEqual(missingPathProbes(PATH.slice(0, 2), [], [], []).length, 1);
  const outcome = (change: object) =>
    ({ node: 'b1', purpose: { kind: 'path-probe', from: 'b1', to: 'c1' }, phase: 'probe', ...change }) as Outcome;
  const why = (change: object) => missing([all[0]!, all[1]!], [], [outcome(change)])[0]?.split(' | ')[2];
  assert.equal(why({ status: 'timed-out', reason: 'no answer' }), 'timed-out: no answer');
  assert.equal(why({ status: 'timed-out' }), 'timed-out');
  assert.equal(why({ status: 'answered', untrusted: 'bad signature' }), 'bad signature');
  assert.equal(why({ status: 'answered' }), 'the answer could not be used');
  const other = entry({ Count: 99 });
  assert.equal(missing([all[0]!, all[2]!], [other])[0], 'a1 | probe to {b1} | asked to send 99, it says it sent 100');
  assert.equal(missing([all[0]!, all[2]!], [entry({})])[0], 'a1 | probe to {b1} | not asked');
});
