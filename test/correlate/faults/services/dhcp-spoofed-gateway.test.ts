// A DHCP server that offers a router that nobody is; and routers that may be offered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { ASKED, given } from '../../dhcp-scene.ts';
import { HOST1, named, sceneOf, wellOn } from '../../scope-scene.ts';

test('offers that agree with the routers are no finding', () => {
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [given('r1')], r3: [given('r3')] } }), []);
});

test('a router that nobody on the link is, is wrong', () => {
  const wrong = given('r1', { routers: ['198.19.1.254'] });
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [wrong], r3: [given('r3')] } }), [
    'dhcp_spoofed_gateway node/h3',
  ]);
});

test('the router of the network is told, and what is to be offered', () => {
  const dhcp = { r1: [given('r1', { routers: ['198.19.1.254'] })], r3: [given('r3')] };
  const [finding] = diagnose(sceneOf({ states: ASKED, dhcp })).findings;
  const what = 'h3 offers hosts of r1 eth3 the router 198.19.1.254, which no device there has; its own is 198.19.1.1';
  assert.deepEqual([finding?.details['what'], finding?.confidence], [what, 'certain']);
  assert.deepEqual(finding?.remedy, { node: 'r3', summary: `offer the router that owns the network: ${what}` });
});

test('another router of the network, one with an agent or one that answers there, is right as well', () => {
  const other = given('r1', { routers: ['198.19.1.254'] }, ['198.19.1.254']);
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [other], r3: [given('r3')] } }), []);
  const spare = given('r1', { routers: ['198.19.1.254', '198.19.1.1'] });
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [spare], r3: [given('r3')] } }), []);
  assert.deepEqual(named({ states: ASKED, dhcp: { r1: [given('r1', { routers: [] })], r3: [given('r3')] } }), []);
});

test('a host that took a wrong router from its DHCP server is a consequence', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.254' }];
  const hosts = { r1: [wellOn('r1', { echoed: [], asks })] };
  const dhcp = { r1: [given('r1', { routers: ['198.19.1.254'] })], r3: [given('r3')] };
  assert.deepEqual(named({ states: ASKED, hosts, dhcp }), ['dhcp_spoofed_gateway node/h3']);
  const well = { r1: [given('r1')], r3: [given('r3')] };
  assert.deepEqual(named({ states: ASKED, hosts, dhcp: well }), ['host_incorrect_gateway node/h1']);
});
