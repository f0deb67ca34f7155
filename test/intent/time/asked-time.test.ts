// Words of time: which stretch they name, and the words that name it again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';
import { timeAt, timeWords } from '#intent/time/asked-time.ts';

const NAMED: readonly (readonly [string, string])[] = [
  ['in the last two minutes', '2m'],
  ['10 minutes ago', '10m'],
  ['over the past hour', '1h'],
  ['within half an hour', '30m'],
  ['during the last 30s', '30s'],
  ['in the last two days', '2d'],
  ['a week ago', '7d'],
  ['in the last quarter of an hour', '15m'],
  ['24h', '1d'],
  ['since 14:00', 'since-14:00'],
  ['since 2 pm', 'since-14:00'],
  ['since 12 am', 'since-00:00'],
  ['at 3am', 'at-03:00'],
  ['around noon', 'at-12:00'],
  ['between 2 pm and 4 pm', 'between-14:00-16:00'],
  ['today', 'today'],
  ['this morning', 'this-morning'],
  ['last night', 'last-night'],
  ['yesterday', 'yesterday'],
  ['since yesterday', 'since-yesterday'],
  ['since monday', 'since-monday'],
  ['on friday', 'friday'],
  ['over the weekend', 'weekend'],
  ['last week', 'last-week'],
  ['on 2026-11-20', 'on-2026-11-20'],
  ['since when', 'past'],
  ['between 02:00 and 04:00 yesterday', 'between-02:00-04:00-on-yesterday'],
  ['yesterday between 02:00 and 04:00', 'between-02:00-04:00-on-yesterday'],
  ['since yesterday 18:00', 'since-18:00-on-yesterday'],
  ['since monday 8pm', 'since-20:00-on-monday'],
  ['last tuesday at 9am', 'at-09:00-on-last-tuesday'],
  ['since 2026-11-25 22:00', 'since-22:00-on-2026-11-25'],
  ['between 2 and 4 last night', 'between-02:00-04:00'],
  ['at 11 last night', 'at-23:00-on-yesterday'],
  ['between 23:00 and 1am last night', 'between-23:00-01:00-on-yesterday'],
  ['at about 3:15 this morning', 'at-03:15'],
  ['since 18:00 yesterday evening', 'since-18:00-on-yesterday'],
];

for (const [words, when] of NAMED)
  test(`"${words}" is ${when}, and its words are read as the same time`, () => {
    const all = words.toLowerCase().split(' ');
    assert.deepEqual([timeAt(all)?.when, timeAt(all)?.words], [when, all.length]);
    assert.equal(timeAt(timeWords(when).split(' '))?.when, when, timeWords(when));
  });

test('a time of day or a date that there is not is none', () => {
  for (const words of ['since 25:00', 'at 13 pm', 'on 2026-13-40'])
    assert.equal(timeAt(words.split(' ')), undefined, words);
});

const whenOf = (text: string): string => {
  const parsed = parseIntent(text);
  return parsed.ok ? `${parsed.intent.kind} ${parsed.intent.when ?? 'now'}` : `refused: ${parsed.understood}`;
};

test('words that can only be about the past read all that is remembered', () => {
  for (const [text, expected] of [
    ['why did PE-1 lose its IS-IS adjacency with P-2?', 'neighbour-down past'],
    ['when did eth1 on P-2 last go down', 'interface-fault past'],
    ['is the link between PE-1 and P-2 flapping?', 'interface-fault past'],
    ['was the link PE-1 - P-2 down earlier', 'interface-fault past'],
    ['is PE-1 down?', 'fault now'],
    ['where is traffic from PE-1 to PE-3 lost?', 'path-loss now'],
  ] as const)
    assert.equal(whenOf(text), expected, text);
});

test('loss along a path is measured now: what was lost before is a question about all that lies between its ends', () => {
  assert.equal(whenOf('Was there packet loss between r1 and r3 in the last minute?'), 'reachability 1m');
  assert.equal(whenOf('Verify packet loss from r1 to r3 for 10 seconds'), 'path-loss now');
});

test('two times in one question are refused', () => {
  assert.match(
    whenOf('what was wrong with r1 yesterday and last week'),
    /^refused: two times, "yesterday" and "last week"/,
  );
  assert.match(whenOf('what was wrong with r1 at 9:00 last night'), /^refused: two times, "at 9:00" and "last night"/);
});

test('a day and a time of day are one time, wherever they stand in a question [TS-7a]', () => {
  for (const [text, expected] of [
    ['what was wrong with r1 yesterday at 15:00', 'fault at-15:00-on-yesterday'],
    ['yesterday, what was wrong with r1 between 2am and 3am', 'fault between-02:00-03:00-on-yesterday'],
    ['what was wrong on r1 at 1500Z', 'fault at-15:00-utc'],
    ['what was wrong on r1 at 2026-11-25T22:00Z', 'fault at-22:00-on-2026-11-25-utc'],
  ] as const)
    assert.equal(whenOf(text), expected, text);
  for (const [text, expected] of [
    ['errors 18:00 on r1 yesterday', /say both together, such as "since 18:00 yesterday"/],
    ['what happened on r1 yesterday between 2 and 3', /"2", which has no place/],
    ['watch r1 for the next 10 minutes', /what will be \("for the next 10 minutes"\)/],
  ] as const)
    assert.match(whenOf(text), expected, text);
});
