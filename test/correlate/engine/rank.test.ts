// Ranking: what nobody else explains is never dropped, among many too; a loss is explained when all of it is, give or take chance.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import type { LossSymptom } from '#correlate/engine/loss-symptom.ts';
import { rank } from '#correlate/engine/rank.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';

function proposal(name: string, score: number, ...symptoms: readonly string[]): Proposal {
  return {
    ...{ fault: 'packet_loss', resource: `node/${name}`, confidence: 'certain', score, evidence: [], against: [] },
    explains: symptoms.map((symptom) => ({ symptom, lost: 1, spread: 0 })),
    details: {},
  };
}

const symptom = (id: string) => ({ id, text: id }) as Symptom;
const names = (proposals: readonly Proposal[]) => proposals.map(({ resource }) => resource.slice(5)).sort();

const FIFTEEN = Array.from({ length: 15 }, (_, index) => `n${String(index).padStart(2, '0')}`);

test('fifteen causes that share a symptom and have each their own are all named', () => {
  const causes = FIFTEEN.map((name) => proposal(name, 3, `own ${name}`, 'shared'));
  const symptoms = [...FIFTEEN.map((name) => symptom(`own ${name}`)), symptom('shared')];
  const { chosen, open, lost, ambiguous } = rank(causes, [], symptoms);
  assert.deepEqual(names(chosen), FIFTEEN);
  assert.deepEqual([open, lost, ambiguous], [[], [], []]);
});

test('among many, two that explain the same equally well stay two candidates, and a consequence is none', () => {
  const causes = FIFTEEN.map((name) => proposal(name, 3, `own ${name}`, 'shared'));
  const twins = [proposal('one', 3, 'twin', 'shared'), proposal('other', 3, 'twin', 'shared')];
  const consequence = proposal('weak', 1, 'shared');
  const symptoms = [...FIFTEEN.map((name) => symptom(`own ${name}`)), symptom('shared'), symptom('twin')];
  const { chosen, open, lost, ambiguous } = rank([...causes, ...twins, consequence], [], symptoms);
  assert.deepEqual(names(chosen), FIFTEEN);
  assert.deepEqual(names(ambiguous), ['one', 'other']);
  assert.deepEqual(
    open.map(({ id }) => id),
    ['twin'],
  );
  assert.ok(lost.some((each) => each.proposal === consequence));
});

/** A loss of this many probes of 1,000, and a cause that accounts for so many of them, give or take `spread`. */
function accounted(lost: number, share: number, spread = 0) {
  const loss = { id: 'loss', fact: { value: { sent: 1_000, lost } } } as LossSymptom;
  const cause = { ...proposal('one', 3), explains: [{ symptom: 'loss', lost: share, spread }] };
  const { chosen, unexplained } = rank([cause], [loss]);
  return [names(chosen), unexplained.map(({ id }) => id)];
}

test('a share of the lost probes explains the loss only when the rest is within chance', () => {
  assert.deepEqual(accounted(100, 100), [['one'], []]);
  assert.deepEqual(accounted(100, 60), [['one'], []], 'the other 40 are four standard deviations of 100');
  assert.deepEqual(accounted(100, 59), [[], ['loss']]);
  assert.deepEqual(accounted(100, 1), [[], ['loss']]);
  assert.deepEqual(accounted(4, 1), [['one'], []]);
});

test('what a cause is unsure of counts as chance too', () => {
  assert.deepEqual(accounted(100, 20, 17.33), [['one'], []], 'four times the root of 100 + 17.33²: 80.03');
  assert.deepEqual(accounted(100, 19, 17.33), [[], ['loss']]);
});

test('two causes of one loss explain together what neither does alone', () => {
  const loss = { id: 'loss', fact: { value: { sent: 1_000, lost: 400 } } } as LossSymptom;
  const half = (name: string) => ({ ...proposal(name, 3), explains: [{ symptom: 'loss', lost: 200, spread: 0 }] });
  const { chosen, unexplained } = rank([half('one'), half('other')], [loss]);
  assert.deepEqual([names(chosen), unexplained], [['one', 'other'], []]);
  assert.deepEqual(
    rank([half('one')], [loss]).unexplained.map(({ id }) => id),
    ['loss'],
  );
});

test('a place without a name is weighed last: for what no other explains, and not beside a finding', () => {
  const place = (name: string, ...symptoms: readonly string[]): Proposal => ({
    ...proposal(name, 1, ...symptoms),
    ...{ fault: 'unexplained_loss', lastResort: true },
  });
  const result = (proposals: readonly Proposal[], ...ids: readonly string[]) => {
    const { chosen, open } = rank(proposals, [], ids.map(symptom));
    return [names(chosen), open.map(({ id }) => id)];
  };
  const cause = proposal('one', 3, 'first');
  assert.deepEqual(result([cause, place('two', 'first', 'second')], 'first', 'second'), [['one'], ['second']]);
  assert.deepEqual(result([cause, place('two', 'second', 'first')], 'first', 'second'), [['one', 'two'], []]);
  assert.deepEqual(result([cause, place('one', 'second')], 'first', 'second'), [['one'], ['second']], 'same node');
  const remark: Proposal = { ...cause, accuses: false };
  assert.deepEqual(result([remark, place('one', 'second')], 'first', 'second'), [['one', 'one'], []]);
  const rivals = [proposal('one', 3, 'first'), proposal('other', 3, 'first')];
  assert.deepEqual(result([...rivals, place('two', 'first')], 'first'), [[], ['first']], 'disputed is not left');
  const link: Proposal = { ...place('x', 'second'), resource: 'link/one:a--two:b' };
  assert.deepEqual(result([cause, link], 'first', 'second'), [['one'], ['second']], 'one end of the link');
});

test('what was seen to do it stands beside a chosen one of the same fault that alone would explain all, and never against a better one', () => {
  const reflector = { ...proposal('rr', 3, 'rr-a', 'rr-b'), observed: true as const };
  const seen = { ...proposal('a', 3, 'rr-a'), observed: true as const };
  const inferred = proposal('b', 3, 'rr-b');
  const other = { ...seen, fault: 'bgp_acl_block', resource: 'node/c' as const };
  const symptoms = [symptom('rr-a'), symptom('rr-b')];
  const { chosen, lost } = rank([reflector, seen, inferred, other], [], symptoms);
  assert.deepEqual(names(chosen), ['a', 'rr']);
  assert.deepEqual(names(lost.map((each) => each.proposal)), ['b', 'c']);
  const twins = [seen, { ...seen, resource: 'node/z' as const }];
  assert.deepEqual(
    rank(twins, [], [symptom('rr-a')]).chosen,
    [],
    'two that explain the same equally well are no explanation',
  );
});
