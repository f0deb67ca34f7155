// What a node keeps of the real answers that services gave it: when, how often, and which addresses for a name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '#base/limits.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { createAnsweredServices } from '#router/drivers/linux-frr/host-monitor/answered-services.ts';

const OPEN = { sent: 1, answered: true, open: true };
const page = (reply: ServiceProbeResult['reply'], port = 80): ServiceProbeResult => ({
  ...{ destination: '198.19.2.10', service: 'tcp', port, ...OPEN },
  ...(reply === undefined ? {} : { reply }),
});
const name = (...addresses: readonly string[]): ServiceProbeResult => ({
  ...{ destination: '198.19.1.10', service: 'udp', port: 53, record: 'www.lab.example', ...OPEN },
  ...{ found: true, addresses },
});

test('only a real answer is kept: no connection without a page, no silence, no denied name', () => {
  const kept = createAnsweredServices();
  const silent = {
    destination: '198.19.1.10',
    service: 'udp',
    port: 53,
    sent: 2,
    answered: false,
    open: false,
  } as const;
  for (const result of [page(undefined), page('none'), page('closed'), silent, { ...name(), found: false }])
    kept.tried('eth3', result, 1_000);
  assert.deepEqual(kept.told(2_000), []);
  kept.tried('eth3', page('page'), 3_000);
  kept.tried('eth3', page('none'), 9_000);
  const row = { ifname: 'eth3', address: '198.19.2.10', service: 'tcp', port: 80 };
  assert.deepEqual(kept.told(10_000), [{ ...row, times: 1, okAgoMs: 7_000 }]);
});

test('each different answer for a name has its own first and last time', () => {
  const kept = createAnsweredServices();
  for (const atMs of [1_000, 5_000]) kept.tried('eth3', name('192.0.2.80'), atMs);
  kept.tried('eth3', name('198.51.100.99'), 9_000);
  assert.deepEqual(kept.told(10_000)[0]?.given, [
    { addresses: ['192.0.2.80'], times: 2, firstAgoMs: 9_000, lastAgoMs: 5_000 },
    { addresses: ['198.51.100.99'], times: 1, firstAgoMs: 1_000, lastAgoMs: 1_000 },
  ]);
});

test('a server that is moved to another port is the same one, and stands at the port where it answered last', () => {
  const kept = createAnsweredServices();
  kept.tried('eth3', name('192.0.2.80'), 1_000);
  kept.tried('eth4', name('192.0.2.80'), 5_000);
  const [row, ...others] = kept.told(10_000);
  assert.deepEqual([row?.ifname, row?.times, row?.okAgoMs, others], ['eth4', 2, 5_000, []]);
  assert.deepEqual(row?.given, [{ addresses: ['192.0.2.80'], times: 2, firstAgoMs: 9_000, lastAgoMs: 5_000 }]);
});

test('it is bounded, and the one that was silent for the longest time makes room', () => {
  const kept = createAnsweredServices();
  for (let port = 0; port <= LIMITS.answeredServices; port++) kept.tried('eth3', page('page', port), port);
  const ports = kept.told(100).map(({ port }) => port);
  assert.equal(ports.length, LIMITS.answeredServices);
  assert.ok(!ports.includes(0));
  for (let last = 0; last <= LIMITS.givenAnswers; last++) kept.tried('eth3', name(`192.0.2.${last}`), last);
  assert.equal(kept.told(100).find(({ record }) => record !== undefined)?.given?.length, LIMITS.givenAnswers);
  kept.forget(10_000_000);
  assert.deepEqual(kept.told(10_000_000), []);
});
