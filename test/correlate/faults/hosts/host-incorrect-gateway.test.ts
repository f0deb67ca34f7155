// A host that asks for a gateway that nobody is; and hosts that are merely silent, or behind another router.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { HOST1, named, sceneOf, wellOn } from '../../scope-scene.ts';

test('a host that asks for a gateway that nobody is has a wrong one', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.254' }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { echoed: [], asks })] } }), ['host_incorrect_gateway node/h1']);
});

test('the words, the evidence and the remedy of a wrong gateway', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.254' }];
  const [finding] = diagnose(sceneOf({ hosts: { r1: [wellOn('r1', { echoed: [], asks })] } })).findings;
  const what = 'host h1 on r1 eth3 answers others by way of 198.19.1.254, which is not its router (198.19.1.1)';
  assert.equal(finding?.details['what'], what);
  assert.deepEqual(finding?.remedy, { node: 'r1', summary: `set the gateway of the host to its router: ${what}` });
  assert.equal(finding?.confidence, 'certain');
  assert.ok(finding?.evidence.includes('probe/r1/parley-host-scan'));
});

test('a host that asks for somebody who is gone, and answers others all the same, is well', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.77' }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { asks })] } }), []);
});

test('a host that does not answer echoes and asks for nobody is its own business', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.1' }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { echoed: [], asks })] } }), []);
});

test('a host that asks for an address that routers have, of which none answers now, is none of it', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.254' }];
  const virtual = (state: NodeState): NodeState => {
    const [like] = state.inventory.interfaces.filter(({ name }) => name === 'eth2');
    const device = {
      ...like!,
      name: 'vrrp4-3-1',
      kind: 'other' as const,
      operUp: false,
      addresses: ['198.19.1.254/24'],
    };
    return { ...state, inventory: { ...state.inventory, interfaces: [...state.inventory.interfaces, device] } };
  };
  const scene = { hosts: { r1: [wellOn('r1', { echoed: [], asks })] }, states: { r1: virtual } };
  assert.ok(!named(scene).includes('host_incorrect_gateway node/h1'));
});

test('a host behind another router of its network is no finding, though its answers take another way', () => {
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.2' }];
  const answers = [...wellOn('r1').answers, { address: '198.19.1.2', macs: ['02:00:00:00:77:77'] }];
  assert.deepEqual(named({ hosts: { r1: [wellOn('r1', { echoed: [], asks, answers })] } }), []);
});

test('without a name beside the port a host is called by its address', () => {
  const unnamed = (state: NodeState): NodeState => ({ ...state, descriptions: { eth3: 'customers, second floor' } });
  const asks = [{ mac: HOST1.mac, sender: HOST1.address, target: '198.19.1.254' }];
  const scene = { states: { r1: unnamed }, hosts: { r1: [wellOn('r1', { echoed: [], asks })] } };
  assert.deepEqual(named(scene), ['host_incorrect_gateway node/198.19.1.10']);
});
