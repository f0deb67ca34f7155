// Packet filters that drop a protocol's own packets at a node, with the symptoms of that protocol there. Believed of a rule that selects
// exactly this protocol and whose counter moved in the window, or lately where the protocol's packets are rare.
import type { OspfVersion } from '#model/router/control-plane.ts';
import { mayTake, type Packet } from '#model/router/packet-match.ts';
import { type CaseFile, type FactWith, factsOf } from '../engine/facts.ts';
import type { Symptom } from '../engine/symptom.ts';
import { type FilterKind, kindOf } from './filter-kinds.ts';

export type FilteredProtocol = {
  readonly name: string;
  readonly against: FilterKind;
  /** Kinds of symptoms that it explains. */
  readonly kinds: readonly string[];
};

export const FILTERED_PROTOCOLS = {
  bgp: { name: 'BGP', against: 'bgp', kinds: ['bgp'] },
  ospf: { name: 'OSPF', against: 'ospf', kinds: ['ospf'] },
  isis: { name: 'IS-IS', against: 'isis', kinds: ['isis'] },
  bfd: { name: 'BFD', against: 'bfd', kinds: ['bfd', 'bgp', 'isis'] },
  arp: { name: 'ARP', against: 'arp', kinds: ['entry', 'bgp', 'bfd', 'ospf', 'reach'] },
} as const satisfies Readonly<Record<string, FilteredProtocol>>;

type Hit = FactWith<'filter-hits'> | FactWith<'filter-lately'>;

export type ProtocolDrop = {
  readonly node: string;
  readonly hits: readonly Hit[];
  readonly symptoms: readonly Symptom[];
};

export function protocolDrops(file: CaseFile, protocol: FilteredProtocol): readonly ProtocolDrop[] {
  const all = hitsOf(file, protocol);
  return [...new Set(all.map(({ value }) => value.node))].flatMap((node) => {
    const hits = all.filter(({ value }) => value.node === node);
    const symptoms = file.symptoms.filter(
      (symptom) =>
        protocol.kinds.includes(symptom.kind) && concerns(symptom, node, hits) && isOfVersion(symptom, protocol, hits),
    );
    return symptoms.length === 0 ? [] : [{ node, hits, symptoms }];
  });
}

/** What OSPF of this version sends: OSPFv2 over IPv4 (RFC 2328 §A.1), OSPFv3 over IPv6 (RFC 5340 §A.1). */
export function ospfPacket(version: OspfVersion): Packet {
  return { network: version === 3 ? 'ip6' : 'ip', protocol: 'ospf' };
}

/** A rule for one family leaves the other version of OSPF alone, and ARP is of IPv4. */
function isOfVersion(symptom: Symptom, { against }: FilteredProtocol, hits: readonly Hit[]): boolean {
  if (symptom.kind !== 'ospf') return true;
  const version = symptom.detail['version'] === 3 ? 3 : 2;
  return against === 'ospf' ? hits.some(({ value }) => mayTake(value, ospfPacket(version))) : version === 2;
}

/** Ids of symptoms of protocols whose own packets a filter at one of their ends drops. */
export function filteredSymptoms(file: CaseFile): ReadonlySet<string> {
  const drops = Object.values(FILTERED_PROTOCOLS).flatMap((protocol) => protocolDrops(file, protocol));
  return new Set(drops.flatMap(({ symptoms }) => symptoms.map(({ id }) => id)));
}

/** What is tried seldom need not have met the rule within the window: then it counts that something did lately. */
function hitsOf(file: CaseFile, { against }: FilteredProtocol): readonly Hit[] {
  const now = factsOf(file, 'filter-hits').filter(({ value }) => (value.packets ?? 0) > 0);
  return [...now, ...factsOf(file, 'filter-lately')].filter(({ value }) => kindOf(value) === against);
}

/** A filter bound to an interface concerns only what runs over it. */
function concerns(symptom: Symptom, node: string, hits: readonly Hit[]): boolean {
  if (!symptom.nodes.includes(node) && symptom.way?.nodes.includes(node) !== true) return false;
  const bound = hits.flatMap(({ value }) => [...value.inInterfaces, ...value.outInterfaces]);
  if (bound.length === 0 || symptom.link === undefined) return true;
  return [symptom.link.from, symptom.link.to].some((end) => end.node === node && bound.includes(end.ifname));
}
