// A host that asks on its own link for an address off it; and one that is answered there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { HOST1, named, sceneOf, wellOn } from '../../scope-scene.ts';

test('a host that asks on its link for what is off it has a mask that is too short', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.255.1' }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { asks })] } }), ['host_incorrect_netmask interface/h1/eth1']);
});

test('where its router answers for others, a host may ask for whatever it likes', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.255.1' }];
  const of = (row: object) => {
    const r1 = (state: NodeState): NodeState => ({
      ...state,
      forwarding: { ipv4: true, ipv6: true, interfaces: [{ ifname: 'eth3', ipv4: true, reversePath: 'off', ...row }] },
    });
    return named({ hosts: { r1: [wellOn('r1', { asks })] }, states: { r1 } });
  };
  assert.deepEqual(of({ proxyArp: true }), []);
  assert.deepEqual(of({}), ['host_incorrect_netmask interface/h1/eth1']);
});

test('the words and the remedy of a mask that is too short', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.255.1' }];
  const [finding] = diagnose(sceneOf({ hosts: { r1: [wellOn('r1', { asks })] } })).findings;
  const what = 'host h1 on r1 eth3 asks on its link for 198.19.255.1, which is not on it: its mask is too short';
  assert.deepEqual([finding?.details['what'], finding?.confidence], [what, 'certain']);
  assert.deepEqual(finding?.remedy, { node: 'r1', summary: `set the mask of the host to that of its router: ${what}` });
});

const FAR = '198.19.255.3';

const farEcho = (answered: boolean) => ({
  r3: [{ destination: HOST1.address, service: 'echo' as const, sent: 3, answered, open: answered }],
});

test('a host that knows its router and asks on its link for a far one, which tries it in vain, has a mask that is too short', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: FAR }];
  const hosts = { r1: [wellOn('r1', { asks })] };
  assert.deepEqual(named({ hosts, serviceProbes: farEcho(false) }), ['host_incorrect_netmask interface/h1/eth1']);
  // Somebody on the link answers in the far one's name, and it works.
  assert.deepEqual(named({ hosts, serviceProbes: farEcho(true) }), []);
  assert.deepEqual(named({ hosts }), []);
  assert.deepEqual(named({ serviceProbes: farEcho(false) }), []);
});
