// Links over the ports of bridges and bonds: which ports LLDP names for them, and what is in reach behind a bridge.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allLinks, linksBetween } from '#model/links/links.ts';
import { isSwitched, portsByMaster, speakerOf } from '#model/links/masters.ts';
import type { InterfaceState } from '#model/router/router-port.ts';
import { hears, node, port } from './link-scene.ts';

const MAC = '02:00:00:00:02:01';
const inBridge = (name: string, more: Partial<InterfaceState> = {}) =>
  port(name, [], { master: { name: 'br0', kind: 'bridge' }, ...more });
/** r2 is the switch of a LAN: r1 and r3 are on ports of its bridge, which has the address. */
const lan = (r2Ports = [inBridge('eth1'), inBridge('eth2')], address = '198.18.10.2/24') => [
  { node: 'r1', state: node([port('eth1', ['198.18.10.1/24'])], [hears('eth1', 'r2', 'eth1')]) },
  {
    node: 'r2',
    state: node(
      [...r2Ports, port('br0', [address], { kind: 'bridge' })],
      [hears('eth1', 'r1', 'eth1'), hears('eth2', 'r3', 'eth1')],
    ),
  },
  { node: 'r3', state: node([port('eth1', ['198.18.10.3/24'])], [hears('eth1', 'r2', 'eth2')]) },
];
const textOf = (links: ReturnType<typeof allLinks>) =>
  links.map(
    ({ from, to, doubts, pointToPoint, signs }) =>
      `${from.node}:${from.ifname} ${to.node}:${to.ifname} ${signs.join('+')} ${pointToPoint ? 'alone' : 'shared'} ${doubts.length}`,
  );

test('LLDP that names a port of a bridge agrees with the bridge, and with all that is behind it', () => {
  assert.deepEqual(textOf(allLinks(lan())), [
    'r1:eth1 r2:br0 addresses+lldp shared 0',
    'r1:eth1 r2:eth1 lldp alone 0',
    'r1:eth1 r3:eth1 addresses shared 0',
    'r2:br0 r3:eth1 addresses+lldp shared 0',
    'r2:eth2 r3:eth1 lldp alone 0',
  ]);
  const [one, , three] = lan();
  const names = ['r1', 'r2', 'r3'];
  assert.equal(linksBetween(one!, three!, names, lan())[0]?.doubts.length, 0);
  assert.equal(
    linksBetween(one!, three!, names)[0]?.doubts.length,
    2,
    'without the state of r2 its bridge is not known',
  );
});

test('a bridge that has the MAC address of one of its ports, and stands before them, is no other port', () => {
  const [one, two, three] = lan([inBridge('eth1', { mac: MAC }), inBridge('eth2')]);
  const { inventory } = two!.state;
  const interfaces = [
    port('br0', ['198.18.10.2/24'], { kind: 'bridge', mac: MAC }),
    ...inventory.interfaces.slice(0, -1),
  ];
  const bridge = { node: 'r2', state: { ...two!.state, inventory: { ...inventory, interfaces } } };
  const named = { node: 'r1', state: { ...one!.state, neighbours: [hears('eth1', 'r2', MAC)] } };
  assert.match(textOf(allLinks([named, bridge, three!])).join(), /r1:eth1 r3:eth1 addresses shared 0/);
});

test('a bridge that has one end on its ports, and another port the other end, stays a doubt', () => {
  const inOther = [inBridge('eth1'), inBridge('eth4')];
  const away = [
    ...inOther,
    ...['eth2', 'eth3'].map((name) => port(name, [], { master: { name: 'br1', kind: 'bridge' } })),
  ];
  assert.match(textOf(allLinks(lan(away))).join(), /r1:eth1 r3:eth1 addresses shared 2/);
  const [one, two, three] = lan(away);
  const unheard = { node: 'r2', state: { ...two!.state, neighbours: [] } };
  assert.match(
    textOf(allLinks([one!, unheard, three!])).join(),
    /r1:eth1 r3:eth1 addresses shared 0/,
    'where it is, r2 does not tell',
  );
});

test('where no membership is told, or it is that of a VRF, LLDP that names another port or node stays a doubt', () => {
  const untold = textOf(allLinks(lan([port('eth1', []), port('eth2', [])])));
  assert.deepEqual(untold.filter((text) => text.endsWith(' 0')).length, 2, 'the wires alone');
  const vrf = { master: { name: 'br0', kind: 'vrf' } } as const;
  assert.deepEqual(textOf(allLinks(lan([inBridge('eth1', vrf), inBridge('eth2', vrf)]))), untold);
  const alone = textOf(allLinks(lan([inBridge('eth1'), port('eth2', [])])));
  assert.match(alone.join(), /r1:eth1 r3:eth1 addresses shared 2/, 'a bridge of one port passes nothing on');
});

test('a network for two over the bridge of a third is no wire between them', () => {
  const [one, two, three] = lan(undefined, '198.18.10.200/31');
  const narrow = (address: string, heard: string) => node([port('eth1', [address])], [hears('eth1', 'r2', heard)]);
  const pair = [
    { ...one!, state: narrow('198.18.10.0/31', 'eth1') },
    two!,
    { ...three!, state: narrow('198.18.10.1/31', 'eth2') },
  ];
  assert.match(textOf(allLinks(pair)).join(), /r1:eth1 r3:eth1 addresses shared 0/);
});

test('a port of a bond is spoken for by the bond, and by the bridge over it; loops end', () => {
  const bond = { name: 'bond0', kind: 'bond' } as const;
  const { inventory } = node([
    port('eth1', [], { master: bond }),
    port('eth2', [], { master: bond }),
    port('bond0', [], { kind: 'other', master: { name: 'br0', kind: 'bridge' } }),
    port('br0', ['198.18.10.2/24'], { kind: 'bridge' }),
    port('eth3', ['198.18.11.2/24'], { master: { name: 'red', kind: 'vrf' } }),
    port('x', [], { master: { name: 'y', kind: 'bridge' } }),
    port('y', [], { master: { name: 'x', kind: 'bridge' } }),
  ]);
  assert.deepEqual(
    ['eth1', 'bond0', 'br0', 'eth3', 'none'].map((name) => speakerOf({ inventory }, name)),
    ['br0', 'br0', 'br0', 'eth3', 'none'],
  );
  assert.ok(['x', 'y'].includes(speakerOf({ inventory }, 'x')));
  const below = portsByMaster({ inventory });
  assert.deepEqual(
    ['bond0', 'br0', 'red'].map((name) => below.get(name)?.map((each) => each.name)),
    [['eth1', 'eth2'], ['eth1', 'eth2', 'bond0'], undefined],
  );
  assert.equal(isSwitched({ inventory }, 'eth1'), false, 'the bridge has the bond alone');
});
