// bgp_acl_block, ospf_acl_block, isis_acl_block, bfd_acl_block, arp_acl_block: a packet filter of a node drops a protocol's own
// packets. Accuses only on a rule that selects exactly this protocol and whose counter moved in the window, or lately
// where the protocol's packets come by seldom (filter-lately.ts).

import type { Remedy } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import { wordsOf } from '#model/router/packet-match.ts';
import { type CaseFile, type FactWith, factsOf, type Handshakes } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { newProposal, shareOf } from '../../engine/proposal.ts';
import type { SharedSymptomKind, Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { type FilterKind, kindOf } from '../../packet-filter/filter-kinds.ts';

type Protocol = {
  readonly fault: string;
  readonly nika: string | null;
  readonly name: string;
  readonly against: FilterKind;
  readonly kinds: readonly SharedSymptomKind[];
};

const PROTOCOLS: readonly Protocol[] = [
  { fault: 'bgp_acl_block', nika: 'bgp_acl_block', name: 'BGP', against: 'bgp', kinds: ['bgp'] },
  { fault: 'ospf_acl_block', nika: 'ospf_acl_block', name: 'OSPF', against: 'ospf', kinds: ['ospf'] },
  { fault: 'isis_acl_block', nika: null, name: 'IS-IS', against: 'isis', kinds: ['isis'] },
  { fault: 'bfd_acl_block', nika: null, name: 'BFD', against: 'bfd', kinds: ['bfd', 'bgp', 'isis'] },
  {
    fault: 'arp_acl_block',
    nika: 'arp_acl_block',
    name: 'ARP',
    against: 'arp',
    kinds: ['entry', 'bgp', 'bfd', 'ospf', 'reach'],
  },
];

export const protocolFilters: readonly FaultDefinition[] = PROTOCOLS.map((protocol) => ({
  id: protocol.fault,
  resource: 'node',
  accuses: true,
  labels: { nika: protocol.nika, netOpsBench: null },
  summary: `a packet filter of a node drops ${protocol.name}`,
  exact: 'the rule deleted, where it was seen whole and can be put back',
  propose: (file) => proposalsFor(file, protocol),
}));

/** Symptoms of protocols whose own packets a filter at one of their ends drops. */
export function filteredSymptoms(file: CaseFile): ReadonlySet<string> {
  return new Set(
    PROTOCOLS.flatMap((protocol) => proposalsFor(file, protocol)).flatMap(({ explains }) =>
      explains.map(({ symptom }) => symptom),
    ),
  );
}

function proposalsFor(file: CaseFile, protocol: Protocol): readonly Proposal[] {
  const hits = hitsOf(file, protocol);
  return [...new Set(hits.map(({ value }) => value.node))].flatMap((node) => {
    const mine = hits.filter(({ value }) => value.node === node);
    const explains = file.symptoms.filter(
      (symptom) => protocol.kinds.some((kind) => kind === symptom.kind) && concerns(symptom, node, mine),
    );
    if (explains.length === 0) return [];
    const seen = factsOf(file, 'handshakes').filter(({ value }) => protocol.name === 'BGP' && value.node === node);
    const dropped = mine.reduce((sum, { value }) => sum + (value.packets ?? 0), 0);
    return [
      newProposal(
        { id: protocol.fault },
        nodeResource(node),
        explains.map(shareOf),
        [...mine, ...seen].flatMap((fact) => fact.source),
        {
          score: 3.5,
          details: {
            ...(dropped === 0 ? { droppedLately: true } : { droppedPackets: dropped }),
            rules: mine.map(({ value }) => wordsOf(value)),
            ...(seen.length === 0 ? {} : { handshakes: seen.map(({ value }) => handshakeWords(value)) }),
          },
          remedy: remedyOf(protocol, node, mine),
        },
      ),
    ];
  });
}

type Hit = FactWith<'filter-hits'> | FactWith<'filter-lately'>;

/** What is tried seldom need not have met the rule within the window: then it counts that something did lately. */
function hitsOf(file: CaseFile, { against }: Protocol): readonly Hit[] {
  const now = factsOf(file, 'filter-hits').filter(({ value }) => (value.packets ?? 0) > 0);
  return [...now, ...factsOf(file, 'filter-lately')].filter(({ value }) => kindOf(value) === against);
}

/** What a capture on the node saw of the sessions that others open: a SYN that is dropped gets no answer. */
function handshakeWords({ address, port, syns, synAcks, resets }: Handshakes): string {
  const answers = [
    ...(synAcks === 0 ? ['no SYN-ACK out'] : [`${synAcks} SYN-ACK out`]),
    ...(resets === 0 ? [] : [`${resets} RST`]),
  ];
  return `${address} port ${port}: ${syns} SYN in, ${answers.join(', ')}`;
}

/** One command a rule; what an operator adds to keep it away after a restart is not known here. */
function remedyOf(protocol: Protocol, node: string, hits: readonly Hit[]): Remedy {
  const rules = hits.flatMap(({ value }) => value.rules ?? []);
  const places = hits.flatMap(({ value }) => value.places ?? []);
  const which = [...new Set(rules.map((rule) => rule.split(' ').slice(0, 3).join(' ')))].join(' and ');
  return {
    node,
    summary: `let ${protocol.name} through on ${mark(node)}${which === '' ? '' : `: remove its rule${rules.length > 1 ? 's' : ''} from ${which}`}`,
    ...(rules.length === 0 ? {} : { command: rules.map((rule) => `nft delete rule ${rule}`).join('; ') }),
    ...(rules.length === 0 || places.length !== rules.length
      ? {}
      : { change: { live: places.map((place) => ({ kind: 'nft-delete-rule', ...place })) } }),
  };
}

/** A filter bound to an interface concerns only what runs over it. */
function concerns(symptom: Symptom, node: string, hits: readonly Hit[]): boolean {
  if (!symptom.nodes.includes(node) && symptom.way?.nodes.includes(node) !== true) return false;
  const bound = hits.flatMap(({ value }) => [...value.inInterfaces, ...value.outInterfaces]);
  if (bound.length === 0 || symptom.link === undefined) return true;
  return [symptom.link.from, symptom.link.to].some((end) => end.node === node && bound.includes(end.ifname));
}
