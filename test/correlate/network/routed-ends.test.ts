// Where protocols run at the ends of a link: on the bridge or bond of the port, where its node tells of one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLinkProof } from '#correlate/health/proof-links.ts';
import { routedEnds } from '#correlate/network/routed-ends.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

const port = (name: string, addresses: readonly string[] = [], more: object = {}) => ({
  ...{ name, kind: 'physical', adminUp: true, operUp: true, mtu: 1_500, offloads: [], addresses },
  ...more,
});
const of = (name: string, kind = 'bridge') => ({ master: { name, kind } });
const bridge = (name: string, ...addresses: readonly string[]) => port(name, addresses, { kind: 'bridge' });
const A = [port('to-b', ['198.18.10.1/24'])];

const world = (
  b: readonly object[],
  more: object = {},
  told: object = { mastersTold: true },
  a: readonly object[] = A,
) => {
  const now = (interfaces: readonly object[], extra: object = {}) => ({
    now: { inventory: { interfaces, loopbacks: [], ...extra } },
  });
  return pairWorld(['a-b'], { a: now(a), b: now(b, told) }, more);
};
const endOf = (b: readonly object[], told?: object) => routedEnds(world(b, {}, told), linkOf('a-b'))[1].ifname;

test('a port of a bridge stands for the bridge, whatever else its node has in that network', () => {
  const other = bridge('br1', '198.18.10.3/24');
  assert.equal(endOf([port('to-a', [], of('br0')), bridge('br0', '198.18.10.2/24')]), 'br0');
  assert.equal(endOf([port('to-a', [], of('br0')), bridge('br0', '198.18.10.2/24'), other]), 'br0');
  assert.equal(endOf([port('to-a', [], of('br0')), bridge('br0'), other]), 'br0', 'another bridge is not its own');
  const vlan = port('br0.10', ['198.18.10.2/24'], { kind: 'other' });
  assert.equal(endOf([port('to-a', [], of('br0')), bridge('br0'), vlan]), 'br0.10', 'a VLAN on the bridge');
  const bond = port('bond0', ['198.18.10.2/24'], { kind: 'other' });
  assert.equal(endOf([port('to-a', [], of('bond0', 'bond')), bond]), 'bond0');
});

test('in a VRF protocols run on the port itself', () => {
  const vrf = port('red', ['198.18.10.9/24'], { kind: 'other' });
  assert.equal(endOf([port('to-a', ['198.18.10.2/24'], of('red', 'vrf')), vrf]), 'to-a');
});

test('the guess by a shared network is for agents that do not tell', () => {
  const own = [port('to-a'), bridge('br0', '198.18.10.2/24')];
  assert.equal(endOf(own, {}), 'br0');
  assert.equal(endOf(own), 'to-a', 'no port of that bridge');
});

test('a wire to a port of a bridge is proven by probes to the bridge; between two bonds it is not by itself', () => {
  const reach = [{ from: 'a', destination: '198.18.10.2', sent: 100, received: 100, source: 'r' }];
  const owners = (ifname: string) => new Map([['198.18.10.2', [{ node: 'b', ifname }]]]);
  const proof = (b: readonly object[], ifname: string, a?: readonly object[]) =>
    plainLinkProof(world(b, { reach, owners: owners(ifname) }, undefined, a));
  assert.deepEqual(proof([port('to-a', [], of('br0')), bridge('br0', '198.18.10.2/24')], 'br0'), {
    proven: ['{a} to-b – {b} to-a: 100 of 100 probes arrived and came back'],
    lacking: [],
  });
  assert.equal(proof([port('to-a'), bridge('br0', '198.18.10.2/24')], 'br0').lacking.length, 1);
  const bond = (address: string) => port('bond0', [address], { kind: 'other' });
  const ports = [
    [port('to-a', [], of('bond0', 'bond')), bond('198.18.10.2/24')],
    [port('to-b', [], of('bond0', 'bond')), bond('198.18.10.1/24')],
  ] as const;
  assert.deepEqual(proof(ports[0], 'bond0', ports[1]).proven, [
    'not tested: {a} to-b – {b} to-a by itself; 100 of 100 probes between {a} bond0 – {b} bond0 arrived and came back',
  ]);
});

test('of two wires of a bond the one that no probe is known to have crossed is lacking, unless both its ends received packets enough', () => {
  const bonded = (address: string, rxPackets: readonly number[]) => [
    ...['eth1', 'eth2'].map((name, index) =>
      port(name, [], { ...of('bond0', 'bond'), counters: { rxPackets: `${rxPackets[index]}` } }),
    ),
    port('bond0', [address], { kind: 'other' }),
  ];
  const links = ['eth1', 'eth2'].map((ifname) => {
    const [from, to] = [
      { node: 'a', ifname },
      { node: 'b', ifname },
    ];
    return { key: `link/a:${ifname}--b:${ifname}`, from, to, link: { ...linkOf('a-b').link, from, to } };
  });
  const proof = (a: readonly number[], b: readonly number[], up = true) => {
    const told = (address: string, rxPackets: readonly number[]) => ({
      inventory: {
        interfaces: bonded(address, rxPackets).map((each) =>
          up || each.name !== 'eth2' ? each : { ...each, operUp: false },
        ),
        loopbacks: [],
        mastersTold: true,
      },
    });
    const states = {
      a: { before: told('198.18.10.1/31', [0, 0]), now: told('198.18.10.1/31', a) },
      b: { before: told('198.18.10.0/31', [0, 0]), now: told('198.18.10.0/31', b) },
    };
    return plainLinkProof(
      pairWorld([], states, {
        links,
        reach: [{ from: 'a', destination: '198.18.10.0', sent: 100, received: 100, source: 'r' }],
        owners: new Map([['198.18.10.0', [{ node: 'b', ifname: 'bond0' }]]]),
      }),
    );
  };
  const unseen = (ifname: string) =>
    `{a} ${ifname} – {b} ${ifname}: not known whether a probe crossed it, as its bond has other ports`;
  const over = (ifname: string) =>
    `not tested: {a} ${ifname} – {b} ${ifname} by itself; 100 of 100 probes between {a} bond0 – {b} bond0 arrived and came back`;
  assert.deepEqual(proof([0, 0], [0, 0]), { proven: [], lacking: [unseen('eth1'), unseen('eth2')] });
  assert.deepEqual(proof([120, 3], [120, 2]), { proven: [over('eth1')], lacking: [unseen('eth2')] });
  assert.deepEqual(proof([120, 120], [120, 3]).lacking, [unseen('eth2')], 'one way alone');
  assert.deepEqual(proof([120, 120], [120, 120]), { proven: [over('eth1'), over('eth2')], lacking: [] });
  assert.deepEqual(proof([0, 0], [0, 0], false), { proven: [over('eth1')], lacking: [] }, 'the only one that is up');
});
