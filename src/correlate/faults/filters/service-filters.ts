// icmp_acl_block, http_acl_block, dns_port_blocked: a packet filter of a node drops a service that everybody uses, for everybody.
// icmp_frag_needed_filter_misconfiguration: it drops the messages that say that a packet is too large. A filter for some addresses
// only, or one that most nodes have alike, is an ACL that does its job.
import { nodeResource } from '#model/names.ts';
import { demands, wordsOf } from '#model/router/packet-match.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';
import { meets, takes } from '../../packet-filter/attempts.ts';
import { type FilterKind, kindOf } from '../../packet-filter/filter-kinds.ts';
import { isPolicy } from '../services/service-symptoms.ts';

type Service = { readonly fault: string; readonly name: string; readonly against: FilterKind };

const SERVICES: readonly Service[] = [
  { fault: 'icmp_acl_block', name: 'ICMP', against: 'echo' },
  { fault: 'http_acl_block', name: 'HTTP', against: 'http' },
  { fault: 'dns_port_blocked', name: 'DNS', against: 'dns' },
];

export const serviceFilters: readonly FaultDefinition[] = SERVICES.map((service) => ({
  id: service.fault,
  resource: 'node',
  accuses: true,
  labels: { nika: service.fault, netOpsBench: null },
  summary: `a packet filter of a node drops ${service.name} that it should forward`,
  propose: (file) => proposalsFor(file, service),
}));

function proposalsFor(file: CaseFile, { fault, name, against }: Service): readonly Proposal[] {
  const hits = factsOf(file, 'filter-hits').filter(
    ({ value }) =>
      kindOf(value) === against &&
      (value.packets ?? 0) > 0 &&
      !demands(value, 'source', 'destination', 'sample') &&
      !isPolicy(file.world, value),
  );
  return [...new Set(hits.map(({ value }) => value.node))].flatMap((node) => {
    const mine = hits.filter(({ value }) => value.node === node);
    const explains = symptomsOfKind(file, 'service').filter((symptom) =>
      mine.some(({ value }) => meets(symptom, value) && takes(value, symptom)),
    );
    if (explains.length === 0) return [];
    return [
      newProposal(
        { id: fault },
        nodeResource(node),
        explains.map(shareOf),
        [...mine.flatMap((fact) => fact.source), ...explains.flatMap((symptom) => symptom.source)],
        {
          score: 4,
          details: {
            droppedPackets: mine.reduce((sum, { value }) => sum + (value.packets ?? 0), 0),
            rules: mine.map(({ value }) => wordsOf(value)),
          },
          remedy: { node, summary: `let ${name} through on ${mark(node)}` },
        },
      ),
    ];
  });
}

export const fragNeededFilter: FaultDefinition = {
  id: 'icmp_frag_needed_filter_misconfiguration',
  resource: 'node',
  accuses: true,
  labels: { nika: 'icmp_frag_needed_filter_misconfiguration', netOpsBench: null },
  summary:
    'a packet filter of a node with links of different sizes drops the messages that say that a packet is too large',
  propose: (file) =>
    symptomsOfKind(file, 'filter').map((symptom) => {
      const node = symptom.nodes[0]!;
      return newProposal(fragNeededFilter, nodeResource(node), [shareOf(symptom)], symptom.source, {
        details: symptom.detail,
        remedy: { node, summary: `let "packet too big" and "fragmentation needed" through on ${mark(node)}` },
      });
    }),
};
