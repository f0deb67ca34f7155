// Hosts behind routers: behind which port an address is, which hosts are remembered there, and what a finding calls them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachedTo, called, remembered } from '#correlate/network/hosts.ts';
import { ringWorld } from '../faults/proposing.ts';

const lan = (change: object = {}) => ({
  inventory: { interfaces: [{ name: 'lan', kind: 'physical', addresses: ['198.19.1.1/24'], ...change }] },
});
const H10 = { ifname: 'lan', address: '198.19.1.10', mac: 'm' };
const worldOf = (state: object = {}, more: object = {}) => ringWorld(more, { a: { ...lan(), ...state } });
const answering = (change: object = {}) => ({
  hosts: [{ node: 'a', ifname: 'lan', answers: [{ address: H10.address, macs: ['m'] }], asks: [], ...change }],
});

test('an address is behind the port that has its network, and present when it answered there', () => {
  const at = (more: object = {}, address = H10.address) => attachedTo(worldOf({}, more), address);
  const port = { node: 'a', ifname: 'lan', routerAddress: '198.19.1.1' };
  assert.deepEqual(at(), { ...port, present: false });
  assert.deepEqual(at(answering()), { ...port, present: true });
  assert.deepEqual(at(answering({ node: 'b' }))?.present, false);
  assert.deepEqual(at(answering({ ifname: 'x' }))?.present, false);
  assert.deepEqual(at(answering({ answers: [{ address: '198.19.1.11', macs: ['m'] }] }))?.present, false);
  assert.deepEqual(at(answering({ answers: [{ address: H10.address, macs: [] }] }))?.present, false);
  assert.equal(at({}, '203.0.113.1'), undefined);
});

test('of networks within each other the smallest has the address, of ports that are up, and first where the host answered', () => {
  const ports = (down?: string) =>
    ['198.19.0.1/16', '198.19.1.1/24', '198.19.1.129/25'].map((own, index) => ({
      ...{ name: `lan${index}`, kind: 'physical', addresses: [own], operUp: `lan${index}` !== down },
    }));
  const behind = (address: string, down?: string, more: object = {}) =>
    attachedTo(worldOf({ inventory: { interfaces: ports(down) } }, more), address)?.ifname;
  const found = ['198.19.1.130', '198.19.1.10', '198.19.2.10'].map((address) => behind(address));
  assert.deepEqual(found, ['lan2', 'lan1', 'lan0']);
  assert.equal(behind('198.19.1.130', 'lan2'), 'lan1');
  assert.equal(behind('198.19.1.10', undefined, answering({ ifname: 'lan0' })), 'lan0');
});

test('hosts of that port and of its networks are remembered, but for addresses that a node has on a link', () => {
  const of = (hosts: readonly object[], owners: ReadonlyMap<string, unknown> = new Map(), state: object = {}) => {
    const world = worldOf({ history: { hosts }, ...state }, { owners });
    return remembered(world, world.views.get('a')!, 'lan').length;
  };
  assert.equal(of([H10]), 1);
  assert.equal(of([{ ...H10, ifname: 'x' }]), 0);
  assert.equal(of([{ ...H10, address: '198.19.2.10' }]), 0);
  const owner = (ifname: string) => new Map([[H10.address, [{ node: 'b', ifname }]]]);
  assert.equal(of([H10], owner('to-a')), 0);
  const loopback = ringWorld(
    { owners: owner('lo') },
    {
      a: { ...lan(), history: { hosts: [H10] } },
      b: { inventory: { interfaces: [{ name: 'lo', kind: 'loopback' }] } },
    },
  );
  assert.equal(remembered(loopback, loopback.views.get('a')!, 'lan').length, 1);
  assert.equal(of([H10], new Map(), { inventory: { interfaces: [] } }), 0);
  assert.equal(of([H10], new Map(), lan({ addresses: ['198.19.0.0/31', '198.19.1.1/24'] })), 1);
});

test('one host behind a port with a name beside it is called so, several or none that is a name by address', () => {
  const label = (description: string | undefined, ...hosts: readonly object[]) => {
    const world = worldOf({ history: { hosts }, descriptions: { lan: description } });
    const { node, port, label: words } = called(world, world.views.get('a')!, 'lan', H10.address);
    return [node, port, words].join(' ');
  };
  const byAddress = 'node/198.19.1.10 interface/a/lan 198.19.1.10';
  const byName = 'node/h1 interface/h1/eth1 h1';
  assert.equal(label('h1 eth1', H10), byName);
  assert.equal(label('h1 eth1'), byName);
  assert.equal(label('h1:eth1', H10), byName);
  assert.equal(label('to h1 eth1', H10), byName);
  assert.equal(label('h1 eth1', H10, { ...H10, address: '198.19.1.11' }), byAddress);
  for (const description of [undefined, '', 'h1', 'second floor', 'h1 eth1 spare', 'at h1 eth1', '-h1 eth1'])
    assert.equal(label(description, H10), byAddress, description);
});
