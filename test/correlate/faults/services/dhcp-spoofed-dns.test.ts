// A DHCP server that offers a name server that serves no names; and one that could not be tried.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Fact } from '#correlate/engine/facts.ts';
import { dhcpSpoofedDns } from '#correlate/faults/services/dhcp-spoofed-dns.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { ASKED, given, lossOn } from '../../dhcp-scene.ts';
import { dropping, named, type Scene, sceneOf } from '../../scope-scene.ts';

const names = given('r1', { names: ['198.19.1.66'] });

const tried = (open: boolean): ServiceProbeResult => ({
  ...{ destination: '198.19.1.66', service: 'udp', port: 53, sent: 2 },
  answered: open,
  open,
});

test('a name server that answers nobody, where another is in use, is wrong', () => {
  const dhcp = { r1: [names], r3: [given('r3')] };
  assert.deepEqual(named({ states: ASKED, dhcp, serviceProbes: { r1: [tried(false)] } }), ['dhcp_spoofed_dns node/h3']);
});

test('a name server in use is told, and is to be offered', () => {
  const dhcp = { r1: [names], r3: [given('r3')] };
  const [finding] = diagnose(sceneOf({ states: ASKED, dhcp, serviceProbes: { r1: [tried(false)] } })).findings;
  const what =
    'h3 offers hosts of r1 eth3 the name server 198.19.1.66, which answers no query; a name server that does is 198.19.1.10';
  assert.equal(finding?.hypothesis, 'h3 DHCP spoofed DNS');
  assert.equal(finding?.details['what'], what);
  assert.deepEqual(finding?.remedy, { node: 'r3', summary: `offer the name server that is in use: ${what}` });
});

const found = (scene: Scene, ...facts: readonly Fact[]) => {
  const { intent, nodeNames, evidence, outcomes } = sceneOf(scene);
  const { world } = caseFileOf(intent, nodeNames, evidence, outcomes);
  return dhcpSpoofedDns.detect!({ world, facts }).map(({ withheld }) => withheld ?? 'accused');
};

test('a name server that answers nobody over a lossy way is not known to be wrong', () => {
  const far = given('r1', { names: ['198.19.3.66'] });
  const serviceProbe = { ...tried(false), destination: '198.19.3.66' };
  const scene = { states: ASKED, dhcp: { r1: [far], r3: [given('r3')] }, serviceProbes: { r1: [serviceProbe] } };
  assert.deepEqual(found(scene), ['accused']);
  assert.deepEqual(found(scene, lossOn(2)), ['packets are lost on the way to it, on {r2} eth2 – {r3} eth1']);
});

test('a filter elsewhere takes no try of a name server on the own network, one of the router itself may', () => {
  const udp = dropping([{ field: 'protocol', values: ['udp'] }], 'forward', 0);
  const scene = { dhcp: { r1: [names], r3: [given('r3')] }, serviceProbes: { r1: [tried(false)] } };
  const beside = (states: NonNullable<Scene['states']>) =>
    named({ ...scene, states }).filter((line) => line.startsWith('dhcp_spoofed'));
  assert.deepEqual(beside({ ...ASKED, r2: udp }), ['dhcp_spoofed_dns node/h3']);
  assert.deepEqual(beside({ ...ASKED, r1: (state, phase) => udp(ASKED.r1(state, phase), phase) }), []);
});

test('one that answers, that could not be tried, or that is the only one known, is not', () => {
  const dhcp = { r1: [names], r3: [given('r3')] };
  assert.deepEqual(named({ states: ASKED, dhcp, serviceProbes: { r1: [tried(true)] } }), []);
  assert.deepEqual(named({ states: ASKED, dhcp }), []);
  assert.deepEqual(named({ dhcp, serviceProbes: { r1: [tried(false)] } }), []);
});
