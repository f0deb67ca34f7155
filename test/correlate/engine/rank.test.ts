// Ranking of more explanations than sets of them can be weighed: what nobody else explains is never dropped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultDefinition, Proposal } from '#correlate/engine/fault-definition.ts';
import { rank } from '#correlate/engine/rank.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';

const rule = { id: 'packet_loss', accuses: true } as FaultDefinition;

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
  const { chosen, open, lost, ambiguous } = rank(causes, [], [rule], symptoms);
  assert.deepEqual(names(chosen), FIFTEEN);
  assert.deepEqual([open, lost, ambiguous], [[], [], []]);
});

test('among many, two that explain the same equally well stay two candidates, and a consequence is none', () => {
  const causes = FIFTEEN.map((name) => proposal(name, 3, `own ${name}`, 'shared'));
  const twins = [proposal('one', 3, 'twin', 'shared'), proposal('other', 3, 'twin', 'shared')];
  const consequence = proposal('weak', 1, 'shared');
  const symptoms = [...FIFTEEN.map((name) => symptom(`own ${name}`)), symptom('shared'), symptom('twin')];
  const { chosen, open, lost, ambiguous } = rank([...causes, ...twins, consequence], [], [rule], symptoms);
  assert.deepEqual(names(chosen), FIFTEEN);
  assert.deepEqual(names(ambiguous), ['one', 'other']);
  assert.deepEqual(
    open.map(({ id }) => id),
    ['twin'],
  );
  assert.ok(lost.some((each) => each.proposal === consequence));
});
