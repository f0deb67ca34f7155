// What the faults of a packet filter against one protocol share: bgp_acl_block, ospf_acl_block, isis_acl_block, bfd_acl_block,
// arp_acl_block. Which rules are believed is in packet-filter/protocol-drops.ts.
import type { Remedy } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import type { KnownRule } from '#model/router/live-setting.ts';
import { wordsOf } from '#model/router/packet-match.ts';
import { type CaseFile, factsOf, type Handshakes } from '../../engine/facts.ts';
import { defineCause, type Explanation, type FaultDefinition } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { isNew } from '../../packet-filter/missed-services.ts';
import { type FilteredProtocol, type ProtocolDrop, protocolDrops } from '../../packet-filter/protocol-drops.ts';

/** Packets in the window, or that some were dropped lately; what the rules select; and what a capture saw of handshakes meanwhile. */
type Detail = {
  readonly node: string;
  readonly droppedPackets?: number;
  readonly droppedLately?: true;
  readonly rules: readonly string[];
  readonly handshakes?: readonly string[];
};

export function protocolFilter(id: string, nika: string | null, protocol: FilteredProtocol): FaultDefinition {
  return defineCause<Detail>({
    id,
    resource: 'node',
    accuses: true,
    labels: { nika, netOpsBench: null },
    summary: `a packet filter of a node drops ${protocol.name}`,
    exact: 'the rule deleted, where it was seen whole and can be put back',
    explain: (file) => protocolDrops(file, protocol).map((drop) => explanationOf(file, protocol, drop)),
    describe: ({ node, droppedPackets, rules }) =>
      `a packet filter of ${nodeRef(node)} dropped ${protocol.name}${droppedPackets === undefined ? ' lately' : `: ${droppedPackets} packets`} (${rules.join('; ')})`,
    remedy: ({ node }, file) => remedyOf(protocol, protocolDrops(file, protocol).find((drop) => drop.node === node)!),
  });
}

function explanationOf(
  file: CaseFile,
  { name }: FilteredProtocol,
  { node, hits, symptoms }: ProtocolDrop,
): Explanation<Detail> {
  const seen = factsOf(file, 'handshakes').filter(({ value }) => name === 'BGP' && value.node === node);
  const dropped = hits.reduce((sum, { value }) => sum + (value.packets ?? 0), 0);
  return {
    resource: nodeResource(node),
    explains: symptoms.map(shareOf),
    evidence: [...hits, ...seen].flatMap((fact) => fact.source),
    score: 3.5,
    ...(dropped > 0 && areNew(file, hits) ? { observed: true as const } : {}),
    detail: {
      node,
      ...(dropped === 0 ? { droppedLately: true } : { droppedPackets: dropped }),
      rules: hits.map(({ value }) => wordsOf(value)),
      ...(seen.length === 0 ? {} : { handshakes: seen.map(({ value }) => handshakeWords(value)) }),
    },
  };
}

/** Its node remembers a time without the rules whose counters moved. */
function areNew({ world }: CaseFile, hits: ProtocolDrop['hits']): boolean {
  return hits.every(({ value }) => isNew(world, value));
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
function remedyOf({ name }: FilteredProtocol, { node, hits }: ProtocolDrop): Remedy {
  const rules = hits.flatMap(({ value }) => value.rules ?? []);
  const places = hits.flatMap(({ value }): readonly KnownRule[] => value.places ?? []);
  const which = [...new Set(rules.map((rule) => rule.split(' ').slice(0, 3).join(' ')))].join(' and ');
  return {
    node,
    summary: `let ${name} through on ${nodeRef(node)}${which === '' ? '' : `: remove its rule${rules.length > 1 ? 's' : ''} from ${which}`}`,
    ...(rules.length === 0 ? {} : { command: rules.map((rule) => `nft delete rule ${rule}`).join('; ') }),
    ...(rules.length === 0 || places.length !== rules.length
      ? {}
      : { change: { live: places.map((place) => ({ kind: 'nft-delete-rule', ...place })) } }),
  };
}
