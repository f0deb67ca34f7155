// Spans of time in a question end now; what is left is the question without them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutTime } from '#intent/grammar/time-phrase.ts';
import { parseIntent } from '#intent/parse.ts';

test('a span of time is taken out of a question', () => {
  assert.deepEqual(withoutTime('What was wrong in the last two minutes?'), {
    rest: 'What was wrong ?',
    sinceMs: 120_000,
  });
  assert.deepEqual(withoutTime('what happened on pe1 10 minutes ago'), {
    rest: 'what happened on pe1',
    sinceMs: 600_000,
  });
  assert.deepEqual(withoutTime('any faults over the past hour?'), { rest: 'any faults ?', sinceMs: 3_600_000 });
  assert.deepEqual(withoutTime('what broke within half an hour'), { rest: 'what broke', sinceMs: 1_800_000 });
  assert.deepEqual(withoutTime('problems during the last 30s'), { rest: 'problems', sinceMs: 30_000 });
});

test('a question without a span of time stays as it is', () => {
  for (const text of ['What is wrong?', 'what is wrong with m1', 'what is wrong in site 4 h'])
    assert.equal(withoutTime(text).sinceMs, undefined, text);
});

test('a question about the last minutes is about everybody [TS-7a]', () => {
  const parsed = parseIntent('What was wrong in the last two minutes?');
  assert.equal(parsed.ok, true);
  assert.deepEqual(parsed.ok && [parsed.intent.kind, parsed.intent.path, parsed.intent.sinceMs], [
    'fault',
    [],
    120_000,
  ]);
  const named = parseIntent('What was wrong with PE-1 in the last 5 minutes?');
  assert.deepEqual(named.ok && named.intent.path.map((node) => node.as), ['PE-1']);
});

for (const [sentence, expected] of [
  ['did the link between r1 and r2 flap in the last 10 minutes?', 'interface-fault r1 r2 600000'],
  ['Why was the BGP session between r1 and r2 down five minutes ago?', 'neighbour-down r1 r2 300000'],
  ['Why could r1 not reach r2 two minutes ago?', 'reachability r1 r2 120000'],
  // Loss along a path is measured now; what it was lies with the nodes between its ends.
  ['Was there packet loss between r1 and r3 via r2 in the last minute?', 'reachability r1 r2 r3 60000'],
] as const)
  test(`a question of any kind may be about the past: "${sentence}" [TS-7a]`, () => {
    const parsed = parseIntent(sentence);
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const { kind, path, sinceMs, text } = parsed.intent;
    assert.equal([kind, ...path.map((node) => node.as), sinceMs].join(' '), expected);
    assert.equal(text, sentence);
  });

test('a time of day or a day is refused, and never answered with how things are now [TS-7a]', () => {
  for (const [sentence, words] of [
    ['what went wrong at 10:15?', 'at 10:15'],
    ['was there an outage on r1 between 10:00 and 10:05?', 'between 10:00'],
    ['did any link flap last night?', 'last night'],
    ['what was wrong yesterday', 'yesterday'],
    ['what broke two days ago', 'two days ago'],
  ] as const) {
    const parsed = parseIntent(sentence);
    assert.ok(!parsed.ok, sentence);
    assert.equal(parsed.isSentence, false, 'no model is asked either');
    assert.ok(parsed.understood.startsWith(`a question about "${words}"; nodes know how long ago`), parsed.understood);
  }
});

test('what looks like a time and is an address is none', () => {
  const parsed = parseIntent('Why can r1 not resolve www.example.net at 20:01:db8::53?');
  assert.equal(parsed.ok && parsed.intent.destination, '20:01:db8::53');
});

test('what began at a time of day and is still so is a question about now', () => {
  for (const sentence of [
    'nothing works since yesterday',
    'r1 is down since 10:15',
    'BGP on r1 is down since last night',
    'since 10:15 r1 is down',
    'BGP on r1 is down since 9 am',
    'packets from r1 to r2 are lost since 10:15',
  ])
    assert.equal(parseIntent(sentence).ok, true, sentence);
});

test('a letter alone is a unit only behind a number', () => {
  assert.deepEqual(withoutTime('loss from m to s'), { rest: 'loss from m to s' });
  assert.equal(withoutTime('what happened in the last h').sinceMs, 3_600_000);
});

test('how long something is to be measured, or takes, is no time of the past', () => {
  for (const [text, rest] of [
    ['Verify packet loss from PE-1 to PE-3 via P-2 for 10 seconds', 'Verify packet loss from PE-1 to PE-3 via P-2'],
    ['Measure packet loss from leaf1 to leaf2 over 30 seconds', 'Measure packet loss from leaf1 to leaf2'],
    ['Do requests to 198.51.100.1 time out within 3 s?', 'Do requests to 198.51.100.1 time out ?'],
  ] as const)
    assert.deepEqual(withoutTime(text), { rest });
  assert.deepEqual(withoutTime('leaf1 has been flapping for 5 minutes'), {
    rest: 'leaf1 has been flapping',
    sinceMs: 300_000,
  });
  assert.deepEqual(withoutTime('Check leaf1 for the last hour'), { rest: 'Check leaf1', sinceMs: 3_600_000 });
});
