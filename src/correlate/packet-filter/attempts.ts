// Probes and tries that did not come back as packets: which packet each sent, which answer it expected, where they passed, and
// whether a filter rule of a node there can have taken either.
import { mayTake, type Packet } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import type { Symptom } from '../engine/symptom.ts';
import type { World } from '../network/world.ts';

/** UDP port of the reflector. */
const PROBE_PORT = 9_515;

type Words = Pick<FilterRule, 'family' | 'matches'>;

/** The packet that went out and the one that should have come back. */
function packetsOf(symptom: Symptom): readonly Packet[] {
  const texts = (name: string): readonly string[] => {
    const value = symptom.detail[name];
    return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
  };
  const there = texts('destination');
  const here = [...texts('source'), ...texts('sources')];
  const network = (there[0] ?? '').includes(':') ? 'ip6' : 'ip';
  const service = symptom.kind === 'service' ? String(symptom.detail['service']) : 'udp';
  const out = { network, sources: here, destinations: there } as const;
  const back = { network, sources: there, destinations: here } as const;
  if (service === 'echo') {
    const protocol = network === 'ip' ? 'icmp' : 'ipv6-icmp';
    return [
      { ...out, protocol, icmpType: 'echo-request' },
      { ...back, protocol, icmpType: 'echo-reply' },
    ];
  }
  const port = symptom.kind === 'service' ? Number(symptom.detail['port']) : PROBE_PORT;
  return [
    { ...out, protocol: service, destinationPort: port },
    { ...back, protocol: service, sourcePort: port },
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

export function takes(rule: Partial<Words>, symptom: Symptom): boolean {
  return packetsOf(symptom).some((packet) => mayTake(rule, packet));
}

type Place = Pick<FilterRule, 'hook' | 'inInterfaces' | 'outInterfaces'> & { readonly node: string };

/** Forwarding filters stand on the way, input and output filters at its ends; those bound to interfaces only where the way crosses them. */
export function meets(symptom: Symptom, { node, hook, inInterfaces, outInterfaces }: Place): boolean {
  const crossed = portsOnTheWay(symptom, node);
  if ([inInterfaces, outInterfaces].some((bound) => bound.length > 0 && !bound.some((port) => crossed.has(port))))
    return false;
  const ends = [symptom.detail['from'], symptom.detail['owner']];
  // What is for a host behind it, the last router only forwards.
  if (hook === 'input' || hook === 'output')
    return symptom.detail['behind'] === true ? symptom.detail['from'] === node : ends.includes(node);
  if (symptom.way?.nodes.includes(node) !== true) return false;
  // Towards a host behind it, the last router forwards as well.
  if (hook === 'forward')
    return symptom.detail['from'] !== node && (!ends.includes(node) || symptom.detail['behind'] === true);
  return true;
}

/** Interfaces of a node that the way crosses, the one towards the host among them. */
function portsOnTheWay(symptom: Symptom, node: string): ReadonlySet<string> {
  const ends = (symptom.way?.links ?? []).flatMap((link) => link.replace(/^link\//, '').split('--'));
  const mine = ends.filter((end) => end.startsWith(`${node}:`)).map((end) => end.slice(node.length + 1));
  const last =
    symptom.detail['owner'] === node && typeof symptom.detail['ifname'] === 'string' ? [symptom.detail['ifname']] : [];
  return new Set([...mine, ...last]);
}
