// More than five findings of one kind by likeness alone are one remark about the method; those with harm or grounds of their own stand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { believed } from '#correlate/engine/alike.ts';
import type { Proposal } from '#correlate/engine/fault-definition.ts';
import type { Ranked } from '#correlate/engine/rank.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';

type Each = { readonly kind: string; readonly detail?: Symptom['detail']; readonly details?: Proposal['details'] };

function told(count: number, { kind, detail = {}, details = {} }: Each) {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const symptoms = numbers.map((n) => ({ id: `s${n}`, kind, detail }) as unknown as Symptom);
  const chosen = numbers.map(
    (n) =>
      ({
        ...{ fault: 'high_latency', resource: `interface/r${n}/eth1`, details, evidence: [`e${n}`] },
        explains: [{ symptom: `s${n}`, lost: 1, spread: 0 }],
      }) as unknown as Proposal,
  );
  const ranked = { chosen, lost: [], open: [], unexplained: [], ambiguous: [] } as unknown as Ranked;
  const found = believed({ losses: [], symptoms }, ranked);
  return { accused: found.ranked.chosen.filter(({ accuses }) => accuses !== false).length, ...found };
}

test('five stand, six are one remark with their evidence, and stay candidates', () => {
  assert.deepEqual([told(5, { kind: 'slow' }).accused, told(5, { kind: 'slow' }).remarks], [5, []]);
  const { accused, remarks, ranked } = told(6, { kind: 'slow' });
  assert.equal(accused, 0);
  assert.deepEqual(
    remarks.map(({ kind, why, resource, evidence }) => [kind, why, resource, evidence]),
    [['high_latency', 'method', undefined, ['e1', 'e2', 'e3', 'e4', 'e5', 'e6']]],
  );
  assert.match(remarks[0]!.text, /^6 findings of high_latency at once \(interface\/r1\/eth1, .* and 2 more\)/);
  assert.deepEqual([ranked.chosen.length, ranked.lost.length], [6, 6]);
});

test('harm, a contradiction, a change and an expectation stand by themselves, however many there are', () => {
  assert.equal(told(20, { kind: 'isis' }).accused, 20);
  assert.equal(told(20, { kind: 'mtu' }).accused, 20);
  assert.equal(told(20, { kind: 'slow', detail: { rose: true } }).accused, 20);
  assert.equal(told(20, { kind: 'narrow', details: { expected: 'yes' } }).accused, 20);
  assert.equal(told(20, { kind: 'of its own' }).accused, 20, 'what is not known to be likeness');
});
