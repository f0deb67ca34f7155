// Interfaces of a node: state, counters, traffic between two readings, and which one has an address.
import { covers } from '#base/ip.ts';
import type { InterfaceState } from '#model/router/router-port.ts';
import type { View } from '../network/world.ts';
import type { Rows } from './rows.ts';

export const INTERFACE_COLUMNS = ['node', 'interface', 'state', 'MTU', 'addresses', 'MAC'];

export function interfaceRows({ node, state }: View, ifname: string | undefined): Rows {
  return named(state.inventory.interfaces, ifname).map(({ name, adminUp, operUp, mtu, addresses, mac }) => [
    node,
    name,
    adminUp ? (operUp ? 'up' : 'down') : 'shut',
    mtu === 0 ? '-' : String(mtu),
    addresses.join(', ') || '-',
    mac ?? '-',
  ]);
}

export const COUNTER_COLUMNS = [
  'node',
  'interface',
  'rx packets',
  'tx packets',
  'rx errors',
  'tx errors',
  'rx drops',
  'tx drops',
];

export function counterRows({ node, state }: View, ifname: string | undefined): Rows {
  return named(state.inventory.interfaces, ifname).map(({ name, counters }) => [
    node,
    name,
    ...[
      counters.rxPackets,
      counters.txPackets,
      counters.rxErrors,
      counters.txErrors,
      counters.rxDropped,
      counters.txDropped,
    ].map(String),
  ]);
}

export const TRAFFIC_COLUMNS = ['node', 'interface', 'rx', 'tx', 'rx packets/s', 'tx packets/s', 'over'];

/** Between the two readings of this question; none of an interface that was not read twice. Time is the node's own. */
export function trafficRows({ node, before, after }: View, ifname: string | undefined): Rows {
  const [start, end] = [before?.countersReadMs, after?.countersReadMs];
  if (before === undefined || after === undefined || start === undefined || end === undefined || end <= start)
    return [];
  const seconds = (end - start) / 1_000;
  return named(after.inventory.interfaces, ifname).flatMap(({ name, counters }) => {
    const first = before.inventory.interfaces.find((each) => each.name === name)?.counters;
    if (first === undefined) return [];
    const rate = (field: keyof typeof counters) =>
      Math.max(0, Number(counters[field]) - Number(first[field])) / seconds;
    const packets = (field: 'rxPackets' | 'txPackets') => rate(field).toFixed(1);
    return [
      [
        ...[node, name, bitsText(8 * rate('rxBytes')), bitsText(8 * rate('txBytes'))],
        ...[packets('rxPackets'), packets('txPackets'), `${seconds.toFixed(1)} s`],
      ],
    ];
  });
}

function bitsText(bitsPerSecond: number): string {
  if (bitsPerSecond >= 1e9) return `${(bitsPerSecond / 1e9).toFixed(1)} Gbit/s`;
  if (bitsPerSecond >= 1e6) return `${(bitsPerSecond / 1e6).toFixed(1)} Mbit/s`;
  return `${(bitsPerSecond / 1e3).toFixed(1)} kbit/s`;
}

export const PLACE_COLUMNS = ['node', 'interface', 'what', 'address'];

/** Who has the address itself; where none has, the networks that it is of, the narrowest first, and hosts that were observed with it. */
export function placeRows(views: readonly View[], address: string): Rows {
  const [bare = ''] = address.split('/');
  const all = views.flatMap(({ node, state }) =>
    state.inventory.interfaces.flatMap(({ name, addresses }) => addresses.map((each) => ({ node, name, each }))),
  );
  const own = all.filter(({ each }) => each.split('/')[0] === bare);
  if (own.length > 0) return own.map(({ node, name, each }) => [node, name, 'its own address', each]);
  const hosts = views.flatMap(({ node, state }) =>
    (state.history?.hosts ?? []).flatMap((host) =>
      host.address === bare ? [[node, host.ifname, `host with MAC ${host.mac}`, host.address]] : [],
    ),
  );
  const networks = all.filter(({ each }) => !/\/(?:0|32|128)$/.test(each) && covers(each, bare));
  const lengthOf = (text: string) => Number(text.split('/')[1] ?? 0);
  const nearest = Math.max(0, ...networks.map(({ each }) => lengthOf(each)));
  return [
    ...hosts,
    ...networks
      .filter(({ each }) => lengthOf(each) === nearest)
      .map(({ node, name, each }) => [node, name, 'connected network', each]),
  ];
}

function named(interfaces: readonly InterfaceState[], ifname: string | undefined): readonly InterfaceState[] {
  return ifname === undefined ? interfaces : interfaces.filter(({ name }) => name === ifname);
}
