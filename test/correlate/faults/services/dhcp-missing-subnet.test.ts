// A DHCP server that offers nothing to one network; and what silence does not prove.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Fact } from '#correlate/engine/facts.ts';
import { dhcpMissingSubnet } from '#correlate/faults/services/dhcp-missing-subnet.ts';
import { ASKED, at, given, heard, lossOn, offer, silent, UNSERVED } from '../../dhcp-scene.ts';
import { dropping, named, type Scene, sceneOf } from '../../scope-scene.ts';

test('a network that gets nothing while others do, and whose hosts ask, is missing', () => {
  assert.deepEqual(named({ ...UNSERVED, dhcpAgain: { r1: [silent('r1')] } }), ['dhcp_missing_subnet node/h3']);
});

test('a network that was served before is certain, one that only asks is likely; the remedy is for the router of the server', () => {
  const again = { dhcpAgain: { r1: [silent('r1')] } };
  const told = (states: Scene['states'] & {}) =>
    diagnose(sceneOf({ ...UNSERVED, ...again, states })).findings.map(({ confidence, remedy }) => [confidence, remedy]);
  const what = 'h3 offers nothing to the network of r1 eth3 (198.19.1.1), and does to others';
  const remedy = { node: 'r3', summary: `give the DHCP server a range for that network: ${what}` };
  assert.deepEqual(told(ASKED), [['certain', remedy]]);
  assert.deepEqual(told({ r1: ASKED.r1, r3: heard() }), [['likely', remedy]]);
});

const LOST_NEAR = ['packets are lost on the way to it, on {r1} eth2 – {r2} eth1'];
const LOST = ['packets are lost on the way to it, on {r2} eth2 – {r3} eth1'];

const found = (scene: Scene, ...facts: readonly Fact[]) => {
  const { intent, nodeNames, evidence, outcomes } = sceneOf(scene);
  const { world } = caseFileOf(intent, nodeNames, evidence, outcomes);
  return dhcpMissingSubnet.detect!({ world, facts }).map(({ withheld }) => withheld ?? 'accused');
};

test('what is lost on the way is no proof that a network is missing', () => {
  const scene = { ...UNSERVED, dhcpAgain: { r1: [silent('r1')] } };
  assert.deepEqual(found(scene), ['accused']);
  assert.deepEqual(found(scene, lossOn(1)), LOST_NEAR);
  assert.deepEqual(found(scene, lossOn(2)), LOST);
  assert.deepEqual(found(scene, lossOn(2, 1_000, 1)), ['accused']);
  // Too little for a whole flow to be lost, or six questions one after the other.
  assert.deepEqual(found(scene, lossOn(2, 1_000, 7)), ['accused']);
  assert.deepEqual(found(scene, lossOn(2, 1_000, 8)), LOST);
});

test('one that answers the same router for another network at the same time misses this one, whatever is lost', () => {
  const other = at('r1', { link: '198.19.3.1', offers: [offer('r3')] });
  const scene = { ...UNSERVED, dhcpAgain: { r1: [silent('r1'), other] } };
  assert.deepEqual(found(scene, lossOn(1)), ['accused']);
  assert.deepEqual(named(scene), ['dhcp_missing_subnet node/h3']);
  const silence = at('r1', { link: '198.19.3.1', sent: 6, echoed: 6 });
  assert.deepEqual(found({ ...UNSERVED, dhcpAgain: { r1: [silent('r1'), silence] } }, lossOn(1)), LOST_NEAR);
});

test('a server that takes its time, or that is out of reach, misses no network', () => {
  assert.deepEqual(named({ ...UNSERVED, dhcpAgain: { r1: [given('r1')] } }), []);
  assert.deepEqual(named({ ...UNSERVED, dhcpAgain: { r1: [silent('r1', { echoed: 0 })] } }), []);
  assert.deepEqual(named({ ...UNSERVED, dhcpAgain: { r1: [silent('r1', { refused: true })] } }), []);
});

test('a network whose hosts never asked and were never answered is not served on purpose', () => {
  assert.deepEqual(named({ ...UNSERVED, states: { r3: heard() }, dhcpAgain: { r1: [silent('r1')] } }), []);
});

test('a network that another server serves misses nothing', () => {
  const other = at('r1', { server: '198.19.3.11', offers: [offer('r1', { server: '198.19.3.11' })] });
  const scene = {
    ...UNSERVED,
    dhcp: { ...UNSERVED.dhcp, r1: [silent('r1'), other] },
    dhcpAgain: { r1: [silent('r1')] },
  };
  assert.deepEqual(named(scene), []);
});

test('a filter that takes such packets speaks for itself', () => {
  const udp = dropping([{ field: 'protocol', values: ['udp'] }], 'forward', 0);
  const states = { ...ASKED, r2: udp };
  assert.ok(!named({ ...UNSERVED, states, dhcpAgain: { r1: [silent('r1')] } }).some((line) => line.startsWith('dhcp')));
});

test('a filter takes nothing of what was answered between the same addresses at the same time', () => {
  const states = { ...ASKED, r2: dropping([{ field: 'protocol', values: ['udp'] }], 'forward', 0) };
  const other = at('r1', { link: '198.19.3.1', offers: [offer('r3')] });
  assert.deepEqual(found({ ...UNSERVED, states, dhcpAgain: { r1: [silent('r1')] } }), []);
  assert.deepEqual(found({ ...UNSERVED, states, dhcpAgain: { r1: [silent('r1'), other] } }), ['accused']);
});
