// One finding in few words: the structured hypothesis ("PE-1 egress ACL 2001", TS-18).
import { overText } from '#model/finding.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import type { FaultId } from '../faults/registry.ts';
import { nodeRef } from '../network/node-ref.ts';

/** The structured part of one finding as text, with node references. Of a fault that is resolved it says so. */
export function hypothesisOf(proposal: Pick<Proposal, 'fault' | 'resource' | 'details' | 'headline'>): string {
  return `${proposal.headline ?? namedFault(proposal)}${overText(proposal.details)}`;
}

/** Parts of an id that are written otherwise in a sentence. */
const SPELLED: ReadonlyMap<string, string> = new Map([
  ...['acl', 'arp', 'asn', 'bfd', 'bgp', 'dhcp', 'dns', 'dscp', 'ecmp', 'fib', 'frr', 'hmac', 'http'].map(inCapitals),
  ...['icmp', 'id', 'ip', 'mac', 'mtu', 'ospf', 'rib', 'rpki', 'sid', 'vrrp'].map(inCapitals),
  ['isis', 'IS-IS'],
  ['srv6', 'SRv6'],
  ['misconfig', 'misconfiguration'],
]);

function inCapitals(word: string): readonly [string, string] {
  return [word, word.toUpperCase()];
}

/** Ids of the benchmarks that are no English when they stand in a sentence. */
const CALLED: ReadonlyMap<string, string> = new Map<FaultId, string>([
  ['host_incorrect_dns', 'wrong name server'],
  ['host_incorrect_gateway', 'wrong gateway'],
  ['host_incorrect_ip', 'wrong IP address'],
  ['host_incorrect_netmask', 'wrong netmask'],
  ['host_ip_conflict', 'duplicate IP address'],
  ['host_missing_ip', 'missing IP address'],
  ['icmp_frag_needed_filter_misconfiguration', 'filter of ICMP “packet too big”'],
  ['incast_traffic_network_limitation', 'congestion by incast'],
  ['link_detach', 'missing interface'],
  ['dhcp_missing_subnet', 'missing DHCP subnet'],
  ['clock_wrong', 'wrong clock'],
  ['rib_fib_mismatch', 'RIB and FIB mismatch'],
]);

/** A fault in the words of a sentence. */
export function faultWords(fault: string): string {
  return (
    CALLED.get(fault) ??
    fault
      .split('_')
      .map((word) => SPELLED.get(word) ?? word)
      .join(' ')
  );
}

function namedFault(proposal: Pick<Proposal, 'fault' | 'resource'>): string {
  const node = nodeRef(proposal.resource.split('/')[1] ?? '');
  const [form, ...rest] = proposal.resource.split('/');
  const words = faultWords(proposal.fault);
  if (form === 'link') {
    const ends = rest
      .join('/')
      .split('--')
      .map((end) => end.split(':'));
    return `${ends.map(([name = '', port = '']) => `${nodeRef(name)} ${port}`).join(' – ')} ${words}`;
  }
  return form === 'interface' ? `${node} ${rest.slice(1).join('/')} ${words}` : `${node} ${words}`;
}
