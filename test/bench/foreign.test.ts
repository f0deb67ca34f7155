// What the figures about networks of other people count as healthy, as accused, as undecided, and as no answer of Parley's at all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ForeignLine, figuresOf } from '../../bench/foreign.ts';

type Answer = ForeignLine['answers'][number];

const answer = (verdict: string, findings: Answer['findings'] = []): Answer => ({
  ...{ node: 'r1', q: 'What is wrong?', seconds: 3, verdict, findings, reasons: [], sentence: '' },
});
const line = (network: string, ...answers: readonly Answer[]): ForeignLine => ({ network, answers, seconds: 60 });
const DOWN = { resource: 'link/r1:eth1--r2:eth1', fault: 'link_down', confidence: 'certain', says: 'down' } as const;

test('a network is healthy by all of its answers, and accused by any', () => {
  const lines = [
    line('well', answer('healthy'), answer('healthy')),
    line('half', answer('healthy'), answer('inconclusive')),
    line('refused', answer('healthy'), answer('none')),
    line('blamed', answer('healthy'), answer('fault', [DOWN]), answer('fault', [DOWN])),
  ];
  assert.deepEqual(figuresOf(lines), {
    networks: 4,
    healthy: 1,
    accused: [{ network: 'blamed', findings: ['link_down at link/r1:eth1--r2:eth1 (certain)'] }],
    inconclusive: ['half', 'refused'],
    invalid: [],
  });
});

test('a network whose own checks fail counts for nothing', () => {
  const broken = { ...line('broken', answer('healthy')), invalid: 'h1: ping ended with 1' };
  assert.deepEqual(figuresOf([broken]), {
    ...{ networks: 1, healthy: 0, accused: [], inconclusive: [] },
    invalid: [{ network: 'broken', why: 'h1: ping ended with 1' }],
  });
});
