// Probes and service probes that did not come back as packets: which packet each sent, which answer it expected, where they passed,
// and whether a filter rule of a node there can have taken either.
import type { ResourceId } from '#model/names.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { mayTake, type Packet } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import type { World } from '../network/world.ts';
import { PROBE_PORT } from './probe-packets.ts';

/** What the symptom of a missing answer says of the attempt: a probe of the reflector when it names no service. */
export type AttemptDetail = {
  readonly from: string;
  readonly destination: string;
  /** The node that has the address, or whose host does. */
  readonly owner: string;
  readonly sent: number;
  readonly service?: ServiceProbeResult['service'];
  readonly port?: number;
  /** Addresses it may have been sent from: one, where it is known. */
  readonly source?: string;
  readonly sources?: readonly string[];
  /** It is for a host behind the owner, on this port of it. */
  readonly behind?: boolean;
  readonly ifname?: string;
};

/** One attempt with the path that its packets take, there and back. */
export type Attempt = {
  readonly way?: { readonly links: readonly ResourceId[]; readonly nodes: readonly string[] };
  readonly detail: AttemptDetail;
};

type Words = Pick<FilterRule, 'family' | 'matches'>;

/** The packet that went out and the one that should have come back. */
function packetsOf({ detail }: Attempt): readonly Packet[] {
  const { destination, source, sources = [], service } = detail;
  const there = [destination];
  const here = [...(source === undefined ? [] : [source]), ...sources];
  const network = destination.includes(':') ? 'ip6' : 'ip';
  const out = { network, sources: here, destinations: there } as const;
  const back = { network, sources: there, destinations: here } as const;
  if (service === 'echo') {
    const protocol = network === 'ip' ? 'icmp' : 'ipv6-icmp';
    return [
      { ...out, protocol, icmpType: 'echo-request' },
      { ...back, protocol, icmpType: 'echo-reply' },
    ];
  }
  const { protocol, port } =
    service === undefined ? { protocol: 'udp', port: PROBE_PORT } : { protocol: service, port: detail.port ?? 0 };
  return [
    { ...out, protocol, destinationPort: port },
    { ...back, protocol, sourcePort: port },
  ];
}

/** Addresses of a node from which it may have sent to this one: which of them, the kernel chose. */
export function sendersOf(world: World, node: string, destination: string): readonly string[] {
  return (world.views.get(node)?.state.inventory.interfaces ?? [])
    .flatMap(({ addresses }) => addresses.map((address) => address.split('/')[0]!))
    .filter((address) => address.includes(':') === destination.includes(':') && !isOfItself(address));
}

function isOfItself(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

export function takes(rule: Partial<Words>, attempt: Attempt): boolean {
  return packetsOf(attempt).some((packet) => mayTake(rule, packet));
}

type Place = Pick<FilterRule, 'hook' | 'inInterfaces' | 'outInterfaces'> & { readonly node: string };

/** Forwarding filters stand on the path, input and output filters at its ends; those bound to interfaces only where the path crosses them. */
export function meets(attempt: Attempt, { node, hook, inInterfaces, outInterfaces }: Place): boolean {
  const { from, owner, behind = false } = attempt.detail;
  const crossed = portsOnTheWay(attempt, node);
  if ([inInterfaces, outInterfaces].some((bound) => bound.length > 0 && !bound.some((port) => crossed.has(port))))
    return false;
  const isEnd = from === node || owner === node;
  // What is for a host behind it, the last router only forwards.
  if (hook === 'input' || hook === 'output') return behind ? from === node : isEnd;
  if (attempt.way?.nodes.includes(node) !== true) return false;
  // Towards a host behind it, the last router forwards as well.
  if (hook === 'forward') return from !== node && (!isEnd || behind);
  return true;
}

/** Interfaces of a node that the path crosses, the one towards the host among them. */
function portsOnTheWay({ detail, way }: Attempt, node: string): ReadonlySet<string> {
  const ends = (way?.links ?? []).flatMap((link) => link.replace(/^link\//, '').split('--'));
  const mine = ends.filter((end) => end.startsWith(`${node}:`)).map((end) => end.slice(node.length + 1));
  const last = detail.owner === node && detail.ifname !== undefined ? [detail.ifname] : [];
  return new Set([...mine, ...last]);
}
