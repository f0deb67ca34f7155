// Every question of questions.yaml: what is understood can be typed again and means the same, nothing is lost, and refusals give a reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';
import { type AskedNetwork, type AskedQuestion, halvesOf, readQuestions } from '../../bench/asking/questions.ts';
import { misreadOf, SCORES, scoreOf } from '../../bench/asking/score.ts';

const sets = readQuestions();
const asked = sets.flatMap(({ network, questions }) => {
  const addresses = new Map(Object.entries(network.addresses));
  return questions.map(({ q, style }) => ({ q, style, known: { ...network, ifnames: network.interfaces, addresses } }));
});

test('there are 750 questions of ten styles, in two halves that are drawn the same each time', () => {
  assert.ok(asked.length >= 750);
  assert.ok(new Set(asked.map(({ style }) => style)).size >= 10);
  for (const set of sets) {
    const { looked, counting } = halvesOf(set);
    assert.equal(looked.length + counting.length, set.questions.length);
    assert.deepEqual(halvesOf(set), { looked, counting });
  }
});

test('what was understood, typed again, is understood as the same [TS-7a]', () => {
  for (const { q, known } of asked) {
    const parsed = parseIntent(q, known);
    if (!parsed.ok) continue;
    const { text: _text, notUsed: _notUsed, ...intent } = parsed.intent;
    const again = parseIntent(intent.understoodAs ?? '', known);
    assert.ok(again.ok, `${q} → ${intent.understoodAs}: ${JSON.stringify(again)}`);
    const { text: _again, ...same } = again.intent;
    assert.deepEqual(same, intent, `${q} → ${intent.understoodAs}`);
  }
});

const UNSEEN: readonly string[] = ['misread-in-silence', 'misread-beside-story'];

test('no question of the half that is looked at is misread in silence, and at least 85 of 100 are understood', () => {
  const scored = sets.flatMap((set) => halvesOf(set).looked.map((question) => scoreOf(question, set.network)));
  assert.deepEqual(
    scored.flatMap(({ question, score, got }) => (UNSEEN.includes(score) ? [[question.q, got]] : [])),
    [],
  );
  const good = scored.filter(({ score }) => score === 'as-meant' || score === 'refused-rightly');
  assert.ok(good.length >= 0.85 * scored.length, `${good.length} of ${scored.length}`);
});

test('a misread question is visible by a word of it that is named, and not by the story beside it', () => {
  const question = 'The rack was moved. Is p2 slow for voice? How bad?';
  assert.equal(misreadOf(question, undefined), 'misread-in-silence');
  assert.equal(misreadOf(question, ['The rack was moved.']), 'misread-beside-story');
  assert.equal(misreadOf(question, ['The rack was moved.', 'voice']), 'misread-visibly');
  assert.equal(misreadOf(question, ['How bad?']), 'misread-visibly');
  assert.equal(misreadOf(question.replace(/ /g, '  '), ['The rack was moved.']), 'misread-beside-story');
  const scored = sets.flatMap(({ questions, network }) => questions.map((each) => scoreOf(each, network).score));
  const counts = SCORES.map((score) => scored.filter((each) => each === score).length);
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    asked.length,
  );
});

test('a host that asks the wrong way round, or where nothing can be asked, is misread in silence and not refused', () => {
  const [first] = sets;
  const network = { ...first!.network, hosts: { '198.19.1.0/24': 'leaf1' } };
  const q = '198.19.1.10 behind leaf1 cannot reach 198.19.2.10';
  const score = (question: Omit<AskedQuestion, 'style' | 'q'>, of: AskedNetwork) =>
    scoreOf({ style: 'hosts', q, ...question }, of).score;
  const means = { ask: 'reach', asker: '198.19.1.10', on: ['leaf1'], address: '198.19.2.10' };
  assert.equal(score({ means }, network), 'as-meant');
  assert.equal(
    score({ means: { ...means, asker: means.address, address: means.asker } }, network),
    'misread-in-silence',
  );
  assert.equal(score({ means: { ...means, on: ['pe3'] } }, network), 'misread-in-silence');
  assert.equal(
    score({ means: { ask: 'reach', from: 'leaf1', address: '198.19.2.10' } }, network),
    'misread-in-silence',
  );
  assert.equal(score({ refuse: 'unclear' }, network), 'misread-in-silence');
  // No agent has such a host on a port, or not the one that is named.
  assert.equal(score({ refuse: 'unclear' }, first!.network), 'refused-rightly');
  assert.equal(score({ refuse: 'unclear' }, { ...network, hosts: { '198.19.1.0/24': 'leaf2' } }), 'refused-rightly');
});

test('reach between two ends is met by any reading of that way, and by no other way', () => {
  const network = sets[0]!.network;
  const [one, other, third] = network.nodes.filter((node) => node !== network.here);
  const score = (q: string, ...between: readonly string[]) =>
    scoreOf({ style: 'way', q, means: { ask: 'reach', between } }, network).score;
  const { here } = network;
  assert.equal(score(`can ${one} reach ${other}`, one!, other!), 'as-meant');
  assert.equal(score(`can ${other} reach ${one}`, one!, other!), 'as-meant');
  assert.equal(score(`what is wrong between ${one} and ${other}`, one!, other!), 'as-meant');
  assert.equal(score(`can ${one} reach ${third}`, one!, other!), 'misread-in-silence');
  assert.equal(score(`can you reach ${one}`, here!, one!), 'as-meant');
  assert.equal(score(`what is wrong between ${here} and ${one}`, here!, one!), 'as-meant');
  assert.equal(score(`what is wrong on ${one}`, here!, one!), 'misread-in-silence');
});

test('a refusal says why, and shows at most five examples with names of this network', () => {
  for (const { q, known } of asked) {
    const parsed = parseIntent(q, known);
    if (parsed.ok) continue;
    assert.ok(parsed.understood.length > 10, q);
    assert.ok(parsed.forms.length <= 5 && (parsed.forms.length > 0 || parsed.reason === 'order'), q);
    assert.ok(!parsed.forms.some((form) => form.includes('PE-1')), parsed.forms.join('\n'));
  }
});
