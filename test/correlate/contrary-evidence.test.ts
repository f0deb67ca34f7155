// Evidence against a proposal: echoes and service probes that came back all the same, and runs of probes that lost none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredTries, withAgainst } from '#correlate/contrary-evidence.ts';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import { caseOf, lossOf, ringWorld, symptom } from './faults/proposing.ts';

const proposal = (explains: string, change: object = {}) =>
  ({
    ...{ fault: 'x', resource: 'node/a', confidence: 'certain', score: 3, evidence: ['own'], against: [], details: {} },
    explains: [{ symptom: explains, lost: 1, spread: 0 }],
    ...change,
  }) as unknown as Proposal;

const route = symptom('route', { detail: { from: 'a', at: 'b', destination: '198.18.0.9' } });
const echo = (from: string, change: object = {}) => ({
  ...{ from, destination: '198.18.0.9', sent: 3, received: 1, rttMs: 1, source: `echo ${from}` },
  ...change,
});
const against = (reach: readonly object[], change: object = {}, explains = 'route') =>
  withAgainst(caseOf([route], ringWorld({ reach })), [], proposal(explains, change)).against;

test('an echo that came back to where the way is said to begin or end speaks against it', () => {
  assert.deepEqual(against([echo('a'), echo('b'), echo('c')]), ['echo a', 'echo b']);
  assert.deepEqual(against([echo('a', { received: 0 })]), []);
  assert.deepEqual(against([echo('a', { destination: '198.18.0.8' })]), []);
  assert.deepEqual(against([echo('a')], {}, 'another symptom'), []);
});

test('what the proposal stands on is not against it, and each is told once', () => {
  assert.deepEqual(against([echo('a', { source: 'own' })]), []);
  assert.deepEqual(against([echo('a')], { against: ['echo a', 'other', 'own'] }), ['echo a', 'other']);
});

test('another run over the same stretch that lost none speaks against a loss', () => {
  const loss = lossOf('a', 'b');
  const other = (change: object) => ({ ...lossOf('a', 'b', 0, change).fact, source: ['clean'] });
  const told = (change: object) =>
    withAgainst(caseOf([], ringWorld(), [other(change)]), [loss], proposal(loss.id)).against;
  assert.deepEqual(told({}), ['clean']);
  assert.deepEqual(told({ sent: 0 }), []);
  assert.deepEqual(told({ lost: 1 }), []);
  assert.deepEqual(told({ scope: 'path' }), []);
  assert.deepEqual(told({ from: 'c' }), []);
  assert.deepEqual(told({ to: 'c' }), []);
  const elsewhere = withAgainst(caseOf([], ringWorld(), [other({})]), [loss], proposal('another loss'));
  assert.deepEqual(elsewhere.against, []);
});

const tried = (change: object = {}) => ({
  ...{ from: 'c', destination: '198.19.1.1', port: 53, open: true, answered: true, source: 'try' },
  ...change,
});
const answered = (change: object, port: number | undefined = 53) =>
  answeredTries({ world: ringWorld({ serviceProbes: [tried(change)] }) }, '198.19.1.1', port);

test('the same service of the same host must have answered, by the usual way', () => {
  assert.deepEqual(answered({}), ['try']);
  assert.deepEqual(answered({ destination: '198.19.1.2' }), []);
  assert.deepEqual(answered({ port: 80 }), []);
  assert.deepEqual(answered({ open: false }), []);
  assert.deepEqual(answered({ via: { ifname: 'x' } }), []);
  assert.deepEqual(
    answeredTries({ world: ringWorld({ serviceProbes: [tried({ port: undefined })] }) }, '198.19.1.1', undefined),
    ['try'],
  );
});

test('only service probes that crossed the node of a filter say anything of it', () => {
  const owners = new Map([['198.19.1.1', [{ node: 'a', ifname: 'lan' }]]]);
  const way = (ifname: string) => new Map([['198.19.1.1', { destination: '198.19.1.1', kind: 'unicast', ifname }]]);
  const lookups = new Map([
    ['c', way('to-b')],
    ['b', way('to-a')],
  ]);
  const world = ringWorld({ serviceProbes: [tried()], owners, lookups });
  const through = (node: string) => answeredTries({ world }, '198.19.1.1', 53, node);
  assert.deepEqual([through('b'), through('d')], [['try'], []]);
});
