// Name servers that do not know a name that they are to know; and questions that say nothing of it. What is remembered of names is in
// history/past-hosts.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { DNS, said, serviceProbe } from '../../expected-scene.ts';
import { HOST3, sceneOf } from '../../scope-scene.ts';

test('a name server that does not know the name that it is asked for is dns_record_error', () => {
  const record = 'www.lab.example';
  const asked = { ...DNS, record };
  assert.deepEqual(said({ serviceProbes: { r3: [serviceProbe('udp', 53, { record, found: false })] } }, asked), [
    'dns_record_error node/h3',
  ]);
  assert.deepEqual(said({ serviceProbes: { r3: [serviceProbe('udp', 53, { record, found: true })] } }, asked), []);
});

test('other questions to the same server do not hide that it does not know the name', () => {
  const record = 'www.lab.example';
  const asked = { ...DNS, record };
  const lost = serviceProbe('udp', 53, { record, found: false });
  const others = [
    serviceProbe('udp', 53, { tookMs: [3] }),
    serviceProbe('udp', 53, { record: 'other.lab.example', found: true }),
  ];
  assert.deepEqual(said({ serviceProbes: { r3: [...others, lost] } }, asked), ['dns_record_error node/h3']);
  assert.match(said({ serviceProbes: { r3: others } }, asked).join(), /no node saw that it knows www\.lab\.example/);
});

test('the name, and what is to be done, are told', () => {
  const record = 'www.lab.example';
  const scene = sceneOf({ serviceProbes: { r3: [serviceProbe('udp', 53, { record, found: false })] } });
  const service = { ...DNS, record };
  const [finding] = diagnose({ ...scene, intent: { ...scene.intent, destination: HOST3.address, service } }).findings;
  const what = 'DNS at 198.19.3.10 port 53 behind r3: answers, and does not know www.lab.example';
  assert.deepEqual([finding?.details['what'], finding?.confidence], [what, 'certain']);
  assert.deepEqual(finding?.remedy, { node: 'r3', summary: 'h3 behind r3: add www.lab.example to its records' });
});
