// A DHCP server that offers an address or a mask of another network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { ASKED, given } from '../../dhcp-scene.ts';
import { HOST1, named, sceneOf, wellOn } from '../../scope-scene.ts';

test('a mask, or an address, of another network is wrong', () => {
  const mask = given('r1', { mask: '255.255.0.0' });
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [mask], r3: [given('r3')] } }), ['dhcp_spoofed_subnet node/h3']);
  const address = given('r1', { address: '198.19.7.100' });
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [address] } }), ['dhcp_spoofed_subnet node/h3']);
});

test('the mask of the router, an address of its network, and an offer without a mask are right', () => {
  for (const change of [{ mask: '255.255.255.0' }, { address: '198.19.1.250' }])
    assert.deepEqual(named({ states: ASKED, dhcp: { r1: [given('r1', change)], r3: [given('r3')] } }), []);
  const { mask: _left, ...bare } = given('r1').offers[0]!;
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [{ ...given('r1'), offers: [bare] }], r3: [given('r3')] } }), []);
});

test('what is offered and what the router has are told, and what is to be offered', () => {
  const dhcp = { r1: [given('r1', { mask: '255.255.0.0' })], r3: [given('r3')] };
  const [finding] = diagnose(sceneOf({ states: ASKED, dhcp })).findings;
  const what = 'h3 offers hosts of r1 eth3 the mask 255.255.0.0, and it is 198.19.1.1/24';
  assert.equal(finding?.details['what'], what);
  assert.deepEqual(finding?.remedy, {
    node: 'r3',
    summary: `offer addresses and the mask of the network that the router owns: ${what}`,
  });
});

test('a host that took a mask that is too short from its DHCP server is a consequence', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.255.1' }];
  const hosts = { r1: [wellOn('r1', { asks })] };
  const dhcp = { r1: [given('r1', { mask: '255.255.0.0' })], r3: [given('r3')] };
  assert.deepEqual(named({ states: ASKED, hosts, dhcp }), ['dhcp_spoofed_subnet node/h3']);
});
