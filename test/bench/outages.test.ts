// What counts as a right answer about a replayed outage: a name or a place on any question, unless another one accuses an innocent or says healthy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ForeignLine } from '../../bench/foreign.ts';
import { figuresOf } from '../../bench/outages.ts';

type Answer = ForeignLine['answers'][number];

const answer = (verdict: string, found: readonly string[] = [], reasons: readonly string[] = []): Answer => ({
  ...{ node: 'r1', q: 'What is wrong?', seconds: 3, verdict, reasons, sentence: '' },
  findings: found.map((each) => {
    const [resource = '', fault = ''] = each.split(' ');
    return { resource, fault, confidence: 'certain', says: each };
  }),
});
const line = (network: string, ...answers: readonly Answer[]): ForeignLine => ({ network, answers, seconds: 60 });
const expected = () => ({ items: [{ right: ['node/r2 daemon_down'], place: ['node/r2'] }], checks: [] });

test('a question that accuses or calls healthy spoils the right answers to others', () => {
  const named = answer('fault', ['node/r2 daemon_down']);
  const placed = answer('inconclusive', [], ['r2: no answer']);
  const figures = figuresOf(
    [
      line('a', placed, named),
      line('b', placed, answer('inconclusive')),
      line('c', named, answer('fault', ['node/r9 daemon_down'])),
      line('d', named, answer('healthy')),
      line('e', answer('inconclusive'), answer('none')),
      { ...line('f'), invalid: 'no traffic' },
      line('a-twin', answer('healthy')),
      line('b-twin', answer('fault', ['node/r2 daemon_down'])),
    ],
    expected,
  );
  assert.deepEqual(figures, {
    ...{ outages: 6, named: ['a'], placed: ['b'], accused: ['c'], healthy: ['d'], undecided: ['e'] },
    invalid: [{ network: 'f', why: 'no traffic' }],
    twins: {
      ...{ networks: 2, healthy: 1, inconclusive: [], invalid: [] },
      accused: [{ network: 'b-twin', findings: ['daemon_down at node/r2 (certain)'] }],
    },
  });
});
