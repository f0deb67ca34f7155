// Probes and tries that did not come back as packets: which packet each sent, which answer it expected, where they passed, and
// whether a filter rule of a node there can have taken either.
import { mayTake, type Packet } from '#model/packet-match.ts';
import type { FilterRule } from '#model/router-port.ts';
import type { Trouble } from './trouble.ts';

/** UDP port of the reflector. */
const PROBE_PORT = 9_515;

type Words = Pick<FilterRule, 'family' | 'matches'>;

/** The packet that went out and the one that should have come back. */
export function packetsOf(trouble: Trouble): readonly Packet[] {
  const text = (name: string) => {
    const value = trouble.detail[name];
    return typeof value === 'string' ? [value] : [];
  };
  const [there, here] = [text('destination'), text('source')];
  const network = (there[0] ?? '').includes(':') ? 'ip6' : 'ip';
  const service = trouble.kind === 'service' ? String(trouble.detail['service']) : 'udp';
  const out = { network, sources: here, destinations: there } as const;
  const back = { network, sources: there, destinations: here } as const;
  if (service === 'echo') {
    const protocol = network === 'ip' ? 'icmp' : 'ipv6-icmp';
    return [
      { ...out, protocol, icmpType: 'echo-request' },
      { ...back, protocol, icmpType: 'echo-reply' },
    ];
  }
  const port = trouble.kind === 'service' ? Number(trouble.detail['port']) : PROBE_PORT;
  return [
    { ...out, protocol: service, destinationPort: port },
    { ...back, protocol: service, sourcePort: port },
  ];
}

export function takes(rule: Partial<Words>, trouble: Trouble): boolean {
  return packetsOf(trouble).some((packet) => mayTake(rule, packet));
}

/** Forwarding filters stand on the way, input and output filters at its ends. */
export function meets(trouble: Trouble, node: string, hook: string): boolean {
  const ends = [trouble.detail['from'], trouble.detail['owner']];
  if (hook === 'input' || hook === 'output') return ends.includes(node);
  if (trouble.way?.nodes.includes(node) !== true) return false;
  // Towards a host behind it, the last router forwards as well.
  if (hook === 'forward')
    return trouble.detail['from'] !== node && (!ends.includes(node) || trouble.detail['behind'] === true);
  return true;
}
