// Spans of time in a question end now; what is left is the question without them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';
import { withoutTime } from '#intent/time-phrase.ts';

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
    'trouble',
    [],
    120_000,
  ]);
  const named = parseIntent('What was wrong with PE-1 in the last 5 minutes?');
  assert.deepEqual(named.ok && named.intent.path.map((node) => node.as), ['PE-1']);
});
