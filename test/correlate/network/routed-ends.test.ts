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

test('a wire of a bond that few packets crossed, as in reserve, is not tested by itself; one that may not be well is lacking', () => {
  type Sent = { readonly tx?: number; readonly more?: object };
  /** What eth1 and eth2 received; what eth2 sent, and more that it counted. */
  const bonded = (address: string, rxPackets: readonly number[], { tx = 0, more = {} }: Sent = {}) => [
    ...['eth1', 'eth2'].map((name, index) => {
      const counters = { rxPackets: `${rxPackets[index]}`, txPackets: `${index === 1 ? tx : 0}` };
      return port(name, [], {
        ...of('bond0', 'bond'),
        counters: { ...counters, rxErrors: '0', ...(index === 1 ? more : {}) },
      });
    }),
    port('bond0', [address], { kind: 'other' }),
  ];
  const links = ['eth1', 'eth2'].map((ifname) => {
    const [from, to] = [
      { node: 'a', ifname },
      { node: 'b', ifname },
    ];
    return { key: `link/a:${ifname}--b:${ifname}`, from, to, link: { ...linkOf('a-b').link, from, to } };
  });
  type Told = { readonly up?: boolean; readonly a?: Sent; readonly isCounted?: boolean; readonly more?: object };
  const proof = (a: readonly number[], b: readonly number[], { up = true, isCounted = true, ...rest }: Told = {}) => {
    const told = (address: string, rxPackets: readonly number[], sent?: Sent) => ({
      neighbours: [{}],
      inventory: {
        interfaces: bonded(address, rxPackets, sent).map((each) =>
          up || each.name !== 'eth2' ? each : { ...each, operUp: false },
        ),
        loopbacks: [],
        mastersTold: true,
      },
    });
    const states = {
      a: { ...(isCounted ? { before: told('198.18.10.1/31', [0, 0]) } : {}), now: told('198.18.10.1/31', a, rest.a) },
      b: { before: told('198.18.10.0/31', [0, 0]), now: told('198.18.10.0/31', b) },
    };
    return plainLinkProof(
      pairWorld([], states, {
        links: links.map((each) => ({ ...each, link: { ...each.link, ...rest.more } })),
        reach: [{ from: 'a', destination: '198.18.10.0', sent: 100, received: 100, source: 'r' }],
        owners: new Map([['198.18.10.0', [{ node: 'b', ifname: 'bond0' }]]]),
      }),
    );
  };
  const wire = (ifname: string) => `{a} ${ifname} – {b} ${ifname}`;
  const idle = (ifname: string) =>
    `not tested: ${wire(ifname)} by itself: its bond has other ports, and too few packets crossed it both ways`;
  const over = (ifname: string) =>
    `not tested: ${wire(ifname)} by itself; 100 of 100 probes between {a} bond0 – {b} bond0 arrived and came back`;
  assert.deepEqual(proof([120, 3], [120, 2]), { proven: [over('eth1'), idle('eth2')], lacking: [] });
  assert.deepEqual(proof([3, 5_000], [5_000, 3]), { proven: [idle('eth1'), idle('eth2')], lacking: [] }, 'few flows');
  assert.deepEqual(proof([120, 120], [120, 120]), { proven: [over('eth1'), over('eth2')], lacking: [] });
  assert.deepEqual(proof([0, 0], [0, 0], { up: false }), { proven: [over('eth1')], lacking: [] }, 'one alone is up');

  const lacking = (why: string) => [
    `${wire('eth2')}: not known whether a probe crossed it, as its bond has other ports; ${why}`,
  ];
  assert.deepEqual(proof([120, 0], [120, 0], { a: { tx: 40 } }), {
    proven: [over('eth1')],
    lacking: lacking('{a} sent 40 packets over it, and {b} received none'),
  });
  assert.deepEqual(proof([120, 0], [120, 0], { a: { tx: 1 } }).lacking, [], 'the other end was read first');
  assert.deepEqual(
    proof([120, 3], [120, 3], { a: { more: { rxErrors: '1' } } }).lacking,
    lacking('{a} eth2 counts errors or drops'),
  );
  assert.deepEqual(
    proof([120, 3], [120, 3], { isCounted: false }).lacking.at(-1),
    lacking('its packets were not counted at both ends')[0],
  );
  assert.deepEqual(
    proof([120, 3], [120, 3], { more: { claims: [{ sign: 'lldp', by: 'a' }] } }).lacking,
    lacking('{b} hears no LLDP over it, as it does over other ports'),
  );
});
