// forwarding_disabled: others send packets through a node, or for the hosts of its networks, and its kernel forwards none of that IP version.
// A contradiction: a node that takes part in routing and is sent transit must forward. A node that no other node sends transit to, as a host with
// an agent or a server that announces its own address, may have forwarding off; and what is seen to come through it is forwarded somehow. Or a
// change: a node with several ports forwarded all that comes in, as its memory says, and forwards none of it now.
import { nodeResource } from '#model/names.ts';
import type { ForwardingState } from '#model/router/forwarding.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { type Detection, defineFault, type Share, type Slice } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { arrivedThrough, type Carried, carriedBy, type Family, familyOf } from '../../network/carried.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { settingChanges } from '../../network/remembered.ts';
import { sourcesOf, type View } from '../../network/world.ts';
import { counterDelta } from '../../observe/wire.ts';
import { serviceSymptom } from '../../symptoms/service.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';

type Detail = {
  readonly node: string;
  readonly families: readonly Family[];
  /** Interfaces whose packets it does not forward; empty: all of them. */
  readonly interfaces: readonly string[];
  /** Nodes that send it those packets, and a few networks or addresses that they are for. */
  readonly senders: readonly string[];
  readonly destinations: readonly string[];
};

/** Packets that the kernel forwarded, by their names in `/proc/net/snmp` and `/proc/net/snmp6`. */
const FORWARDED: Readonly<Record<Family, string>> = { ipv4: 'IpForwDatagrams', ipv6: 'Ip6OutForwDatagrams' };
const SETTING: Readonly<Record<Family, string>> = { ipv4: 'net.ipv4.ip_forward', ipv6: 'net.ipv6.conf.all.forwarding' };
const CALLED: Readonly<Record<Family, string>> = { ipv4: 'IPv4', ipv6: 'IPv6' };
/** Destinations that one finding names. */
const NAMED = 4;

export const forwardingDisabled = defineFault<Detail>({
  id: 'forwarding_disabled',
  resource: 'node',
  accuses: true,
  alongPath: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'others send packets through a node, or for the hosts of its networks, and its kernel does not forward that IP version; or it forwarded and has stopped',
  detect: (slice) => [...slice.world.views.values()].flatMap((view) => detected(slice, view)),
  describe: ({ node, families, interfaces, senders, destinations }) => {
    const settings = families.map((family) =>
      interfaces.length === 0 ? `${SETTING[family]} is 0` : 'forwarding is off there',
    );
    const where = interfaces.length === 0 ? '' : ` that comes in by ${interfaces.join(', ')}`;
    const off = `${nodeRef(node)} does not forward ${families.map((family) => CALLED[family]).join(' and ')}${where} (${settings.join(', ')})`;
    if (senders.length === 0) return `${off}, and did before`;
    return `${off}, and ${senders.map(nodeRef).join(', ')} ${senders.length === 1 ? 'sends' : 'send'} it packets for ${destinations.join(', ')}`;
  },
  score: 4,
  remedy: ({ node, families, interfaces }) => ({
    node,
    summary: `enable ${families.map((family) => CALLED[family]).join(' and ')} forwarding on ${nodeRef(node)}`,
    command: families.map((family) => commandFor(family, interfaces)).join('; '),
    decide:
      'the setting is not of FRR’s configuration: find out which program or file (sysctl.d) set it, or it comes back',
  }),
  consequences: ({ detail }, file) => consequencesOf(detail, file),
});

function detected(slice: Slice, view: View): readonly Detection<Detail>[] {
  const { forwarding } = view.state;
  if (forwarding === undefined) return [];
  const found = (['ipv4', 'ipv6'] as const).flatMap((family) => {
    const off = offAt(forwarding, family);
    if (off === undefined || forwardsAfterAll(slice, view, family, off)) return [];
    const carried = carriedBy(slice.world, view, family).filter(
      ({ ifnames }) => off.length === 0 || ifnames.some((ifname) => off.includes(ifname)),
    );
    return carried.length === 0 && !hasStopped(slice, view, family, off) ? [] : [{ family, off, carried }];
  });
  if (found.length === 0) return [];
  const carried = found.flatMap((each) => each.carried);
  const { node } = view;
  const senders = unique(carried.map(({ from }) => from)).toSorted();
  return [
    {
      resource: nodeResource(node),
      evidence: sourcesOf(slice.world, node, ...senders),
      nodes: [node],
      ...(carried.length === 0 ? { confidence: 'likely' as const } : {}),
      detail: {
        node,
        families: found.map(({ family }) => family),
        interfaces: unique(found.flatMap(({ off }) => off)),
        senders,
        destinations: namedOf(carried),
      },
    },
  ];
}

/** Interfaces whose packets are not forwarded, none for all of them; undefined where all are forwarded. */
function offAt(forwarding: ForwardingState, family: Family): readonly string[] | undefined {
  if (family === 'ipv6') return forwarding.ipv6 ? undefined : [];
  const off = forwarding.interfaces.filter(({ ipv4 }) => !ipv4).map(({ ifname }) => ifname);
  if (off.length === 0) return undefined;
  return off.length === forwarding.interfaces.length ? [] : off;
}

/** It remembers that it forwarded what came in by any of its ports, and counted packets that it did; now it forwards nothing, with several ports up. */
function hasStopped({ world, past }: Slice, view: View, family: Family, off: readonly string[]): boolean {
  const { node, state, after } = view;
  const states = (state.past ?? []).flatMap((each) => each.state.forwarding ?? []);
  const changes = settingChanges(world, node, 'forwarding').filter(
    ({ subject, setting }) => subject === 'node' && setting === family,
  );
  const wasOn = states.some((each) => offAt(each, family) === undefined) || changes.some(({ was }) => was === 'on');
  const ports = state.inventory.interfaces.filter(
    ({ kind, operUp, addresses }) =>
      kind !== 'loopback' && operUp && addresses.some((each) => familyOf(each) === family),
  );
  const counted = Number((after ?? state).nodeCounters[FORWARDED[family]] ?? 0);
  return past === undefined && off.length === 0 && wasOn && counted > 0 && ports.length > 1;
}

/** Its own counter says so, or packets were seen to come out on the other side: by hardware or a program beside the kernel. */
function forwardsAfterAll({ world }: Slice, view: View, family: Family, off: readonly string[]): boolean {
  const name = FORWARDED[family];
  const counted = counterDelta(view.before?.nodeCounters[name], view.after?.nodeCounters[name]) ?? 0;
  return (off.length === 0 && counted > 0) || arrivedThrough(world, view, family);
}

function namedOf(carried: readonly Carried[]): readonly string[] {
  const all = unique(carried.map(({ destination }) => destination));
  return all.length <= NAMED ? all : [...all.slice(0, NAMED), `${all.length - NAMED} more`];
}

function commandFor(family: Family, interfaces: readonly string[]): string {
  const names =
    interfaces.length === 0 ? [SETTING[family]] : interfaces.map((name) => `net/ipv4/conf/${name}/forwarding`);
  return names.map((name) => `sysctl -w ${name}=1`).join('; ');
}

/** Echoes and services that the node was to forward. */
function consequencesOf({ node, families }: Detail, file: CaseFile): readonly Share[] {
  const isMine = (address: string) => families.includes(address.includes(':') ? 'ipv6' : 'ipv4');
  const echoes = reachSymptom
    .of(file)
    .filter(
      ({ way, nodes, detail }) =>
        way?.nodes.includes(node) === true && !nodes.includes(node) && isMine(detail.destination),
    );
  const services = serviceSymptom
    .of(file)
    .filter(
      ({ way, detail }) => way?.nodes.includes(node) === true && detail.from !== node && isMine(detail.destination),
    )
    .filter(({ detail: { behind, owner } }) => behind || owner !== node);
  return [...echoes, ...services].map(shareOf);
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
