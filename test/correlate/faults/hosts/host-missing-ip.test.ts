// A host that is alive and has lost its address; and hosts that are well, or gone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { HOST1, named, sceneOf, symptomdBy, wellOn } from '../../scope-scene.ts';

test('hosts that answer are no finding, and no doubt', () => {
  assert.deepEqual(named({}), []);
  assert.deepEqual(symptomdBy({}, /host/), []);
});

const SILENT = wellOn('r1', { answers: [], echoed: [] });

test('a host that lives and has lost its address is found, and one that is gone is nobody’s fault', () => {
  const alive = { ...SILENT, alive: [HOST1.mac] };
  assert.deepEqual(named({ hosts: { r1: [SILENT] }, census: { r1: [alive] } }), ['host_missing_ip interface/h1/eth1']);
  const [finding] = diagnose(sceneOf({ hosts: { r1: [SILENT] }, census: { r1: [alive] } })).findings;
  assert.equal(finding?.confidence, 'likely');
  assert.deepEqual(named({ hosts: { r1: [SILENT] }, census: { r1: [{ ...SILENT, alive: [] }] } }), []);
  assert.deepEqual(named({ hosts: { r1: [SILENT] } }), []);
});

test('what a host without its address is told to be, and what is to be done', () => {
  const census = { r1: [{ ...SILENT, alive: [HOST1.mac] }] };
  const [finding] = diagnose(sceneOf({ hosts: { r1: [SILENT] }, census })).findings;
  const what = 'host h1 on r1 eth3 is alive and no longer has the address 198.19.1.10';
  assert.deepEqual([finding?.details['what'], finding?.details['address']], [what, HOST1.address]);
  assert.deepEqual(finding?.remedy, { node: 'r1', summary: `give the host its address back: ${what}` });
});

test('an echo that the host answered elsewhere speaks against it', () => {
  const census = { r1: [{ ...SILENT, alive: [HOST1.mac] }] };
  const echo = { destination: HOST1.address, service: 'echo' as const, sent: 3, answered: true, open: true };
  const [finding] = diagnose(sceneOf({ hosts: { r1: [SILENT] }, census, serviceProbes: { r3: [echo] } })).findings;
  assert.deepEqual([finding?.fault, finding?.against], ['host_missing_ip', ['probe/r3/parley-service-probe']]);
});
