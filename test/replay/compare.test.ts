// What the comparison of two diagnoses notices, and what it lets pass.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Diagnosis, Finding } from '#model/finding.ts';
import { differencesOf } from '../../scripts/replay/compare.ts';
import { DIAGNOSIS } from './scene.ts';

const [DOWN, ROUTE] = DIAGNOSIS.findings as [Finding, Finding];
const { remedy: REMEDY } = DOWN;

const between = (changed: Partial<Diagnosis>, expected: Diagnosis = DIAGNOSIS) =>
  differencesOf(expected, { ...DIAGNOSIS, ...changed }).map(({ kind, what }) => `${kind}: ${what}`);
const withDown = (changed: Partial<Finding>) => between({ findings: [{ ...DOWN, ...changed }, ROUTE] });

test('the same diagnosis differs in nothing', () => {
  assert.deepEqual(between(structuredClone(DIAGNOSIS)), []);
});

test('a changed verdict is noticed', () => {
  const verdict = { ...DIAGNOSIS.verdict, kind: 'inconclusive' as const };
  assert.deepEqual(differencesOf(DIAGNOSIS, { ...DIAGNOSIS, verdict }), [
    { kind: 'diagnosis', what: 'verdict', expected: 'fault', actual: 'inconclusive' },
  ]);
});

test('a missing finding and one too many are noticed', () => {
  assert.deepEqual(differencesOf(DIAGNOSIS, { ...DIAGNOSIS, findings: [DOWN] }), [
    { kind: 'diagnosis', what: 'finding', expected: 'blackhole_route node/p2' },
  ]);
  assert.deepEqual(differencesOf(DIAGNOSIS, { ...DIAGNOSIS, findings: [DOWN, ROUTE, ROUTE] }), [
    { kind: 'diagnosis', what: 'finding', actual: 'blackhole_route node/p2' },
  ]);
});

test('a finding at another place or of another fault is a missing one and one too many', () => {
  const both = ['diagnosis: finding', 'diagnosis: finding'];
  assert.deepEqual(withDown({ resource: 'interface/pe1/eth2' }), both);
  assert.deepEqual(withDown({ fault: 'link_flap' }), both);
});

test('another confidence is noticed', () => {
  assert.deepEqual(withDown({ confidence: 'likely' }), ['diagnosis: confidence of link_down interface/pe1/eth1']);
});

test('a changed exact change is noticed', () => {
  const change = "diagnosis: remedy's exact change of link_down interface/pe1/eth1";
  const remedy = REMEDY!;
  const lines = { ...remedy.change, lines: ['interface eth1'] };
  const live = { ...remedy.change, live: [{ kind: 'link-up' as const, ifname: 'eth2' }] };
  const { change: _, ...without } = remedy;
  assert.deepEqual(withDown({ remedy: { ...remedy, change: lines } }), [change]);
  assert.deepEqual(withDown({ remedy: { ...remedy, change: live } }), [change]);
  assert.deepEqual(withDown({ remedy: without }), [change]);
});

test('another command, another node of a remedy and a need for a decision are noticed', () => {
  const remedy = REMEDY!;
  const about = 'of link_down interface/pe1/eth1';
  assert.deepEqual(withDown({ remedy: { ...remedy, command: 'ip link set eth2 up' } }), [
    `diagnosis: remedy's command ${about}`,
  ]);
  assert.deepEqual(withDown({ remedy: { ...remedy, node: 'p2' } }), [`diagnosis: remedy's node ${about}`]);
  assert.deepEqual(withDown({ remedy: { ...remedy, decide: 'which' } }), [
    `diagnosis: need for a decision ${about}`,
    `words: what is to be decided ${about}`,
  ]);
});

test('evidence that a finding stands on, or that is against it, is compared by its ids in any order', () => {
  assert.deepEqual(withDown({ evidence: [...DOWN.evidence].reverse() }), []);
  assert.deepEqual(withDown({ evidence: DOWN.evidence.slice(1) }), [
    'diagnosis: evidence of link_down interface/pe1/eth1',
  ]);
  assert.deepEqual(withDown({ against: ['probe/pe1/parley-knock'] }), [
    'diagnosis: evidence against of link_down interface/pe1/eth1',
  ]);
});

test('numbers, truths and names in details are the diagnosis, sentences in them are words', () => {
  const details = (changed: Finding['details']) => withDown({ details: { ...DOWN.details, ...changed } });
  const at = (name: string) => `details of link_down interface/pe1/eth1.${name}`;
  assert.deepEqual(details({ changes: 3 }), [`diagnosis: ${at('changes')}`]);
  assert.deepEqual(details({ how: 'gone' }), [], 'the fault id says it now');
  assert.deepEqual(details({ over: true }), [`diagnosis: ${at('over')}`]);
  assert.deepEqual(details({ line: 'interface eth1 is down' }), [`words: ${at('line')}`]);
});

test('one reason less is noticed, its words are words, their order is nothing', () => {
  const [one, other] = DIAGNOSIS.verdict.reasons as [string, string];
  const reasons = (...told: string[]) => between({ verdict: { kind: 'fault', reasons: told } });
  assert.deepEqual(reasons(other, one), []);
  assert.deepEqual(reasons(one), ['diagnosis: number of reasons', 'words: reason']);
  assert.deepEqual(reasons(one, 'not proven: no state of P-2'), ['words: reason']);
});

test('a rejected candidate that is gone, and one that is chosen now, are noticed', () => {
  const [chosen, rejected] = DIAGNOSIS.candidates as [Diagnosis['candidates'][0], Diagnosis['candidates'][0]];
  assert.deepEqual(between({ candidates: [chosen] }), ['diagnosis: candidate']);
  assert.deepEqual(between({ candidates: [chosen, { ...rejected, chosen: true }] }), [
    'diagnosis: candidate',
    'diagnosis: candidate',
  ]);
  assert.deepEqual(between({ candidates: [{ ...rejected, why: 'weaker' }, chosen] }).length, 1);
  assert.deepEqual(between({ candidates: [rejected, { ...chosen, why: 'explains it' }] }), [], 'ids of symptoms are opaque');
});

test('measured loss, links and clues are the diagnosis', () => {
  const segments = [{ ...DIAGNOSIS.segments[0]!, probesLost: 8 }];
  const links = [{ ...DIAGNOSIS.links[0]!, confidence: 'likely' as const }];
  const clues = [{ ...DIAGNOSIS.clues[0]!, values: { changes: 3 } }];
  assert.deepEqual(between({ segments }), ['diagnosis: segments[0].probesLost']);
  assert.deepEqual(between({ segments: [] }), ['diagnosis: segments: how many']);
  assert.deepEqual(between({ links }), ['diagnosis: links[0].confidence']);
  assert.deepEqual(between({ clues }), ['diagnosis: clues[0].values.changes']);
});

test('sentence, hypothesis and summary are words', () => {
  assert.deepEqual(between({ sentence: 'PE-1 is shut.' }), ['words: sentence']);
  assert.deepEqual(between({ hypothesis: 'none' }), ['words: hypothesis']);
  assert.deepEqual(withDown({ hypothesis: 'PE-1 eth1 is down', remedy: { ...REMEDY!, summary: 'open' } }), [
    'words: hypothesis of link_down interface/pe1/eth1',
    "words: remedy's summary of link_down interface/pe1/eth1",
  ]);
});

test('what a report does not say is not compared', () => {
  const { clues: _clues, links: _links, sentence: _sentence, ...expected } = DIAGNOSIS;
  const actual = { ...DIAGNOSIS, clues: [], links: [], sentence: 'Another one.' };
  assert.deepEqual(differencesOf(expected, actual), []);
});

test('of two findings with one name each is compared with its like', () => {
  const second = { ...DOWN, confidence: 'possible' as const, evidence: ['probe/pe1/parley-knock'] };
  const expected = { ...DIAGNOSIS, findings: [DOWN, second] };
  assert.deepEqual(differencesOf(expected, { ...DIAGNOSIS, findings: [second, DOWN] }), []);
  assert.deepEqual(
    differencesOf(expected, { ...DIAGNOSIS, findings: [{ ...second, confidence: 'likely' }, DOWN] }).map(
      ({ what }) => what,
    ),
    ['confidence of link_down interface/pe1/eth1'],
  );
});
