// Hosts that asked on their link for what is off it, as their router heard them: of the host itself, for what another port has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedSince, farAsksOf } from '#correlate/observe/off-link-arp.ts';
import { ringWorld } from '../faults/proposing.ts';

const HOST = { ifname: 'lan', address: '198.19.1.10', mac: '02:00:00:00:01:10' };
const ASK = { ifname: 'lan', mac: HOST.mac, sender: HOST.address, target: '198.19.2.1', count: 3, agoMs: 9 };
const owners = new Map([['198.19.2.1', [{ node: 'b', ifname: 'lan' }]]]);
const lan = (address: string) => ({ inventory: { interfaces: [{ name: 'lan', addresses: [address] }] } });
const worldOf = (more: object = { owners }) => ringWorld(more, { a: lan('198.19.1.1/24'), b: lan('198.19.2.1/24') });
const far = (change: object, more?: object) =>
  farAsksOf(worldOf(more), { node: 'a' } as never, HOST as never, [{ ...ASK, ...change }] as never).length;

test('an ask of the host itself for an address that another node or another port has', () => {
  assert.equal(far({}), 1);
  for (const change of [{ ifname: 'x' }, { mac: 'x' }, { sender: '198.19.1.11' }])
    assert.equal(far(change), 0, JSON.stringify(change));
  assert.equal(far({ target: '198.19.1.77' }), 0, 'on its own link');
  const own = (node: string, ifname: string) => ({ owners: new Map([['203.0.113.1', [{ node, ifname }]]]) });
  assert.equal(far({ target: '203.0.113.1' }, own('a', 'lan')), 0, 'a further address of its own port');
  assert.equal(far({ target: '203.0.113.1' }, own('a', 'wan')), 1);
  assert.equal(far({ target: '203.0.113.1' }, own('b', 'lan')), 1);
});

test('an address in the network of any node is elsewhere; of a network that no node has it is not known', () => {
  assert.equal(far({ target: '198.19.2.77' }, {}), 1);
  assert.equal(far({ target: '198.19.3.77' }, {}), 0);
  assert.equal(farAsksOf(worldOf(), { node: 'z' } as never, HOST as never, [ASK] as never).length, 0);
});

test('asks since the question began are those whose count rose between both readings', () => {
  const heard = (...asks: readonly object[]) => ({ history: { watchedHosts: { asks } } });
  const since = (before: object | undefined, after: object | undefined) =>
    askedSince(worldOf(), { node: 'a', before, after } as never, HOST as never)?.target;
  assert.equal(since(heard(), heard(ASK)), '198.19.2.1');
  assert.equal(since(heard(ASK), heard(ASK)), undefined);
  assert.equal(since(heard(ASK), heard({ ...ASK, count: 4 })), '198.19.2.1');
  assert.equal(since(heard({ ...ASK, target: '198.19.2.2' }), heard(ASK)), '198.19.2.1');
  assert.equal(since(undefined, heard(ASK)), undefined);
  assert.equal(since(heard(), undefined), undefined);
});
