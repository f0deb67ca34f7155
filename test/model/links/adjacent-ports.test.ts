// Links without addresses of their own and without LLDP: the one adjacency of OSPF between two nodes tells which ports belong together, and so do two
// tables of neighbours that name each other's ports alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allLinks, linksBetween, type NamedState } from '#model/links/links.ts';
import type { OspfInterface } from '#model/router/control-plane.ts';
import { node, port } from './link-scene.ts';

const IDS = { r1: '192.0.2.1', r2: '192.0.2.2', r3: '192.0.2.3' } as const;
type Name = keyof typeof IDS;

/** `as`: the router id that a port's neighbour gives. */
const ospf = (own: Name, ifname: string, as: readonly string[], state = 'Full'): OspfInterface => ({
  ...{ ifname, area: '0.0.0.0', network: 'POINTOPOINT', routerId: IDS[own], passive: false },
  neighbours: as.map((routerId) => ({ routerId, address: routerId, state })),
});
/** Each port borrows the address of the loopback. */
const router = (name: Name, rows: readonly OspfInterface[]) => {
  const own = `${IDS[name]}/32`;
  const ports = rows.map(({ ifname }) => port(ifname, [own]));
  return { node: name as string, state: { ...node([port('lo', [own], { kind: 'loopback' }), ...ports]), ospf: rows } };
};
const found = (nodes: readonly NamedState[]) =>
  allLinks(nodes).map(({ from, to, pointToPoint, signs }) => [
    `${from.node} ${from.ifname} – ${to.node} ${to.ifname}`,
    pointToPoint,
    signs.join(),
  ]);

test('the one OSPF adjacency between two nodes makes their ports a link', () => {
  const one = router('r1', [ospf('r1', 'eth1', [IDS.r2]), ospf('r1', 'eth2', [IDS.r3])]);
  const two = router('r2', [ospf('r2', 'eth7', [IDS.r1])]);
  const three = router('r3', [ospf('r3', 'eth8', [IDS.r1])]);
  assert.deepEqual(found([one, two, three]), [
    ['r1 eth1 – r2 eth7', true, 'ospf'],
    ['r1 eth2 – r3 eth8', true, 'ospf'],
  ]);
  const names = ['r1', 'r2', 'r3'];
  assert.deepEqual(
    linksBetween(one, two, names).map(({ from, to }) => [from.ifname, to.ifname]),
    [['eth1', 'eth7']],
  );
});

test('of several adjacencies, of one that one end alone has, and of a router id that two nodes have, no port is known', () => {
  const both = (own: Name, far: Name) => router(own, [ospf(own, 'eth1', [IDS[far]]), ospf(own, 'eth2', [IDS[far]])]);
  assert.deepEqual(found([both('r1', 'r2'), both('r2', 'r1')]), []);
  const down = router('r2', [ospf('r2', 'eth7', [IDS.r1], 'Init')]);
  const up = router('r1', [ospf('r1', 'eth1', [IDS.r2])]);
  assert.deepEqual(found([up, down]), []);
  const shared = router('r2', [ospf('r2', 'eth7', [IDS.r1, IDS.r3])]);
  assert.deepEqual(found([up, shared]), [], 'a third router is on the same network');
  const twice = router('r1', [ospf('r1', 'eth1', [IDS.r2]), ospf('r1', 'eth2', [IDS.r2])]);
  const same = { ...router('r2', [ospf('r2', 'eth8', [IDS.r1])]), node: 'r3' };
  assert.deepEqual(found([twice, router('r2', [ospf('r2', 'eth7', [IDS.r1])]), same]), []);
});

test('two gateways on one network of hosts are no wire, though OSPF names no third', () => {
  const gateway = (name: Name, far: Name) => {
    const row = { ...ospf(name, 'eth1', [IDS[far]]), network: 'BROADCAST' };
    const lan = port('eth1', [`198.18.1.${IDS[name].slice(-1)}/24`]);
    return { node: name as string, state: { ...node([lan]), ospf: [row] } };
  };
  const both = [gateway('r1', 'r2'), gateway('r2', 'r1')];
  assert.deepEqual(
    found(both).map(([, pointToPoint]) => pointToPoint),
    [false],
  );
});

test('where two sites have the same router ids, no port is known by them', () => {
  const site = (name: string, own: Name, far: Name) => ({
    ...router(own, [ospf(own, 'eth1', [IDS[far]])]),
    node: name,
  });
  assert.deepEqual(
    found([site('a1', 'r1', 'r2'), site('a2', 'r2', 'r1'), site('b1', 'r1', 'r2'), site('b2', 'r2', 'r1')]),
    [],
  );
});

type Heard = { readonly mac: string; readonly state?: string };
/** A router whose ports have link-local addresses alone; `far` are the MAC addresses that each resolved. */
const linkLocal = (
  name: string,
  ports: Readonly<Record<string, { mac: string; far: readonly (string | Heard)[]; own?: readonly string[] }>>,
) => {
  const entries = Object.entries(ports);
  const table = entries.flatMap(([ifname, { far }]) =>
    far.map((each, index) => ({
      ...{ address: `fe80::${index + 2}`, ifname, state: 'REACHABLE' },
      ...(typeof each === 'string' ? { mac: each } : each),
    })),
  );
  const shown = entries.map(([ifname, { mac, own = [] }]) => port(ifname, ['fe80::1/64', ...own], { mac }));
  return { node: name, state: { ...node(shown), neighbourTable: table } };
};
const [A, B, C, D] = ['02:00:00:00:00:0a', '02:00:00:00:00:0b', '02:00:00:00:00:0c', '02:00:00:00:00:0d'] as const;

test('two ports that resolved the MAC address of each other, and no third, are a link', () => {
  const one = linkLocal('r1', { eth1: { mac: A, far: [B.toUpperCase(), { mac: C, state: 'PERMANENT' }] } });
  const two = linkLocal('r2', { eth1: { mac: D, far: [] }, eth7: { mac: B, far: [A], own: ['192.0.2.2/32'] } });
  assert.deepEqual(found([one, two]), [['r1 eth1 – r2 eth7', true, 'neighbours']]);
  const path = linksBetween(one, two, ['r1', 'r2']);
  assert.deepEqual(
    path.map(({ from, to, confidence }) => [from.ifname, to.ifname, confidence]),
    [['eth1', 'eth7', 'likely']],
  );
});

test('ports are no link where one end, a third device, a shared MAC address or a network of their own leaves it open', () => {
  const one = linkLocal('r1', { eth1: { mac: A, far: [B] } });
  const two = linkLocal('r2', { eth7: { mac: B, far: [A] } });
  assert.equal(found([one, two]).length, 1);
  for (const [why, nodes] of Object.entries({
    'one end alone': [one, linkLocal('r2', { eth7: { mac: B, far: [] } })],
    'a third device': [one, linkLocal('r2', { eth7: { mac: B, far: [A, C] } })],
    'set by hand': [one, linkLocal('r2', { eth7: { mac: B, far: [{ mac: A, state: 'PERMANENT' }] } })],
    'not resolved any more': [one, linkLocal('r2', { eth7: { mac: B, far: [{ mac: A, state: 'FAILED' }] } })],
    'a third node with that address': [one, two, linkLocal('r3', { eth1: { mac: B, far: [] } })],
    'two ports with one address': [one, linkLocal('r2', { eth7: { mac: B, far: [A] }, eth8: { mac: B, far: [] } })],
    'a network of hosts': [one, linkLocal('r2', { eth7: { mac: B, far: [A], own: ['198.18.1.1/24'] } })],
  }))
    assert.deepEqual(found(nodes), [], why);
});
