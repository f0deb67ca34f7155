// What answers about drawn networks count for: accusations in healthy ones and of innocents, `healthy` while users suffer, and the scores.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf, judged, type OddAnswer, type OddLine, rcaF1 } from '../../bench/odd/score.ts';

const TRUTH = { right: ['node/r1 acl_misconfig', 'node/r1 blackhole_route'], place: ['node/r1', 'interface/r1/eth1'] };

type Said = Pick<OddAnswer, 'verdict'> & Partial<Pick<OddAnswer, 'isHarmed' | 'reasons'>>;
const answer = ({ verdict, isHarmed = true, reasons = [] }: Said, ...found: readonly string[]): OddAnswer => ({
  ...{ node: 'r1', q: 'What is wrong?', seconds: 2, sentence: '', verdict, isHarmed, reasons },
  findings: found.map((each) => {
    const [resource = '', fault = ''] = each.split(' ');
    return { resource, fault, confidence: 'certain', says: '' };
  }),
});
const healthyLine = (name: string, ...answers: readonly OddAnswer[]): OddLine => ({
  ...{
    case: name,
    program: 'test',
    shape: 'hub-spoke',
    family: 'ipv4',
    routers: 5,
    oddities: [],
    harm: [],
    seconds: 40,
  },
  answers,
});
const faultyLine = (name: string, ...answers: readonly OddAnswer[]): OddLine => ({
  ...healthyLine(name, ...answers),
  ...{ fault: 'acl_misconfig', by: 'nft forward rule', truth: TRUTH, harm: ['ping from h1 to h2'] },
});

test('any right name is a whole answer, another one at the same place is the place', () => {
  assert.equal(judged(answer({ verdict: 'fault' }, 'node/r1 acl_misconfig'), TRUTH), 'named');
  assert.equal(judged(answer({ verdict: 'fault' }, 'node/r1 blackhole_route'), TRUTH), 'named');
  assert.equal(judged(answer({ verdict: 'fault' }, 'interface/r1/eth1 packet_loss'), TRUTH), 'placed');
});

test('a finding about another place accuses an innocent, also beside a right one', () => {
  const both = answer({ verdict: 'fault' }, 'node/r1 acl_misconfig', 'node/r2 acl_misconfig');
  assert.equal(judged(both, TRUTH), 'accused');
  assert.equal(judged(answer({ verdict: 'fault' }, 'node/r1 acl_misconfig'), undefined), 'accused');
});

test('healthy is wrong while what was asked about suffers, and no more than unharmed otherwise', () => {
  assert.equal(judged(answer({ verdict: 'healthy' }), TRUTH), 'healthy');
  assert.equal(judged(answer({ verdict: 'healthy', isHarmed: false }), TRUTH), 'unharmed');
  assert.equal(judged(answer({ verdict: 'healthy', isHarmed: false }), undefined), 'clear');
});

test('the score of an answer falls with each wrong guess, and an undecided one scores nothing', () => {
  assert.equal(rcaF1(answer({ verdict: 'fault' }, 'node/r1 acl_misconfig'), TRUTH), 1);
  const half = answer({ verdict: 'fault' }, 'node/r1 acl_misconfig', 'node/r2 acl_misconfig');
  assert.equal(rcaF1(half, TRUTH), 2 / 3);
  assert.equal(rcaF1(answer({ verdict: 'fault' }, 'node/r2 acl_misconfig'), TRUTH), 0);
  assert.equal(rcaF1(answer({ verdict: 'inconclusive' }), undefined), 0);
  assert.equal(rcaF1(answer({ verdict: 'healthy' }), undefined), 1);
});

test('figures count networks and answers, and leave out what does not count', () => {
  const figures = figuresOf([
    healthyLine('well', answer({ verdict: 'healthy' }), answer({ verdict: 'healthy' })),
    healthyLine('blamed', answer({ verdict: 'fault' }, 'node/r3 acl_misconfig'), answer({ verdict: 'healthy' })),
    faultyLine('named', answer({ verdict: 'fault' }, 'node/r1 acl_misconfig')),
    faultyLine('missed', answer({ verdict: 'healthy' })),
    faultyLine('wrong', answer({ verdict: 'fault' }, 'node/r9 acl_misconfig')),
    { ...healthyLine('broken'), invalid: 'its own check: ping from h1 to h2' },
  ]);
  assert.equal(figures.cases, 6);
  assert.deepEqual(figures.invalid, [{ case: 'broken', why: 'its own check: ping from h1 to h2' }]);
  assert.deepEqual(figures.healthy, {
    ...{ networks: 2, calledHealthy: 1, findings: 1, accused: ['blamed'], verdicts: { healthy: 3, fault: 1 } },
  });
  assert.deepEqual(figures.faulty.outcomes, { named: 1, healthy: 1, accused: 1 });
  assert.deepEqual(figures.faulty.innocentAccused, ['wrong']);
  assert.deepEqual(figures.faulty.healthyWhileHarm, ['missed']);
  assert.equal(figures.rcaF1, 0.4);
  assert.deepEqual(
    figures.wrong.map((each) => each.case),
    ['blamed', 'missed', 'wrong'],
  );
});
