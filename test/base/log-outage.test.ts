// One line when a thing breaks, one when it works again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutage, type Log } from '#base/log.ts';

function bed() {
  const lines: { readonly level: string; readonly sentence: string; readonly fields: unknown }[] = [];
  const line = (level: string) => (sentence: string, fields?: unknown) => void lines.push({ level, sentence, fields });
  const log: Pick<Log, 'info' | 'warn'> = { info: line('info'), warn: line('warn') };
  let nowMs = 0;
  const outage = createOutage({ log, clock: { monotonicMs: () => nowMs }, broken: 'broken', back: 'back' });
  const pass = (spanMs: number) => {
    nowMs += spanMs;
  };
  return { lines, outage, pass };
}

test('what fails 120 times a minute gives one line when it breaks and one with a count when it works again', () => {
  const { lines, outage, pass } = bed();
  outage.worked();
  for (let time = 0; time < 120; time++) {
    outage.failed(new Error('no socket'));
    pass(500);
  }
  outage.worked();
  outage.worked();
  assert.deepEqual(lines, [
    { level: 'warn', sentence: 'broken', fields: { reason: 'no socket' } },
    { level: 'info', sentence: 'back', fields: { failures: 120, seconds: 60 } },
  ]);
});

test('another reason is a line of its own after ten minutes, and reasons that take turns are not one each time', () => {
  const { lines, outage, pass } = bed();
  for (const reason of ['one', 'other', 'one', 'other']) {
    outage.failed(reason);
    pass(1_000);
  }
  assert.equal(lines.length, 1);
  pass(600_000);
  outage.failed('other');
  assert.deepEqual(lines.at(-1), { level: 'warn', sentence: 'broken', fields: { reason: 'other', failures: 5 } });
});

test('a second outage is told as the first was', () => {
  const { lines, outage } = bed();
  outage.failed('one');
  outage.worked();
  outage.failed('one');
  assert.deepEqual(
    lines.map(({ sentence }) => sentence),
    ['broken', 'back', 'broken'],
  );
});
