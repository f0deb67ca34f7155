// When a certificate is renewed, tried again and warned of: functions of times.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BACKDATED_MS,
  issuedAtMs,
  lifeMs,
  renewAtMs,
  retryAfterMs,
  staleAtMs,
  warningNow,
} from '#mtls/lifetime/life.ts';

const HOUR = 3_600_000;
const ISSUED = Date.parse('2026-11-24T12:00:00Z');
const life = (ms: number) => ({ notBeforeMs: ISSUED - BACKDATED_MS, notAfterMs: ISSUED + ms });
const week = life(168 * HOUR);

test('a certificate is renewed at two thirds of its life, up to a fifteenth earlier by its thumbprint [TS-24]', () => {
  assert.equal(issuedAtMs(week), ISSUED);
  assert.equal(lifeMs(week), 168 * HOUR);
  const at = (thumbprint: string) => (renewAtMs(week, thumbprint) - ISSUED) / HOUR;
  assert.deepEqual(
    [at('00000000'), at('80000000'), at('ffffffff')].map((hours) => Math.round(hours * 10) / 10),
    [112, 106.4, 100.8],
  );
  assert.equal(renewAtMs(week, 'c0ffee00'), renewAtMs(week, 'c0ffee00'), 'a restart changes nothing');
});

test('a life that is shorter than the time by which certificates are backdated counts from its issue', () => {
  const minute = life(60_000);
  assert.equal(lifeMs(minute), 60_000);
  assert.ok(renewAtMs(minute, '80000000') > ISSUED + 37_000);
  // Of a CA that backdates nothing.
  assert.equal(issuedAtMs({ notBeforeMs: ISSUED, notAfterMs: ISSUED + 60_000 }), ISSUED);
});

test('it is tried again ever more slowly, and often enough in a short life', () => {
  const waits = [1, 2, 3, 7, 20].map((failures) => retryAfterMs(week, failures, 1, ISSUED + 112 * HOUR));
  assert.deepEqual(waits, [60_000, 120_000, 240_000, HOUR, HOUR]);
  assert.equal(retryAfterMs(week, 1, 0, ISSUED), 30_000);
  assert.ok(retryAfterMs(life(60_000), 9, 1, ISSUED) <= 2_500);
  assert.equal(retryAfterMs(week, 20, 1, week.notAfterMs - HOUR), HOUR / 4, 'near the end more often');
  assert.equal(retryAfterMs(week, 20, 1, week.notAfterMs + 1), HOUR);
});

test('warnings come 48, 24 and 2 hours before the end, and not before it is late [TS-24]', () => {
  const warned = (hoursLeft: number) => warningNow(week, week.notAfterMs - hoursLeft * HOUR);
  assert.deepEqual(
    [49, 48, 25, 24, 3, 2, 0].map((hours) => (warned(hours) ?? Number.NaN) / HOUR),
    [Number.NaN, 48, 48, 24, 24, 2, 2],
  );
  const day = life(24 * HOUR);
  assert.equal(warningNow(day, day.notAfterMs - 3 * HOUR), undefined);
  assert.equal(warningNow(day, day.notAfterMs - 2 * HOUR), 2 * HOUR);
  const minute = life(60_000);
  assert.equal(warningNow(minute, minute.notAfterMs - 11_000), undefined);
  assert.equal(warningNow(minute, minute.notAfterMs - 10_000), 10_000);
});

test('the last part of a certificate is for calls that are under way', () => {
  assert.equal(staleAtMs({ issuedAtMs: ISSUED, notAfterMs: ISSUED + 60_000 }), ISSUED + 50_000);
  assert.equal(staleAtMs({ issuedAtMs: ISSUED, notAfterMs: ISSUED + 168 * HOUR }), ISSUED + 168 * HOUR - 600_000);
});
