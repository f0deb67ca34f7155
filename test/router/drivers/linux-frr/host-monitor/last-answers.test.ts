// When each host last answered its router.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '#base/limits.ts';
import { createLastAnswers } from '#router/drivers/linux-frr/host-monitor/last-answers.ts';

const HOST = { ifname: 'eth3', address: '198.19.1.10', mac: '02:00:00:00:01:10' };
const port = (address: string, ...macs: readonly string[]) => ({
  ...{ ifname: 'eth3', asks: [], asked: [address] },
  answers: [{ address, macs }],
});

test('a host has the age of its last answer, under its own MAC address alone', () => {
  const answers = createLastAnswers();
  assert.deepEqual(answers.aged([HOST], 500), [HOST], 'it never answered');
  answers.looked([port(HOST.address, HOST.mac)], 1_000);
  answers.looked([port(HOST.address, '02:00:00:00:01:99')], 5_000);
  assert.deepEqual(answers.aged([HOST], 6_000.4), [{ ...HOST, answeredAgoMs: 5_000 }]);
  assert.deepEqual(answers.aged([{ ...HOST, ifname: 'eth4' }], 6_000)[0], { ...HOST, ifname: 'eth4' });
});

test('of too many hosts the one that is silent for longest is forgotten', () => {
  const answers = createLastAnswers();
  answers.looked([port(HOST.address, HOST.mac)], 0);
  for (let count = 1; count < LIMITS.hosts; count += 1) answers.looked([port(`198.19.2.${count}`, HOST.mac)], count);
  assert.notDeepEqual(answers.aged([HOST], 1), [HOST]);
  answers.looked([port('198.19.3.1', HOST.mac)], 1_000);
  assert.deepEqual(answers.aged([HOST], 1_000), [HOST]);
});
