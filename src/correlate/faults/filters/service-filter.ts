// What the faults of a packet filter against one service share: icmp_acl_block, http_acl_block, dns_port_blocked. The node drops a service
// that all hosts use, for all addresses. A filter for some addresses only, or one that most nodes have alike, is an ACL that does its job.
import { nodeResource } from '#model/names.ts';
import { demands, wordsOf } from '#model/router/packet-match.ts';
import { type CaseFile, type FactWith, type FilterHits, factsOf } from '../../engine/facts.ts';
import {
  type Detection,
  defineCause,
  type Explanation,
  type FaultDefinition,
  type Slice,
} from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { meets, takes } from '../../packet-filter/attempts.ts';
import { isPolicy } from '../../packet-filter/dropping-rules.ts';
import { type FilterKind, kindOf } from '../../packet-filter/filter-kinds.ts';
import { aimOf, goneRules } from '../../packet-filter/gone-rules.ts';
import { isMeantForItself } from '../../packet-filter/own-traffic.ts';
import { isMeant, mayHaveTaken, type ServiceDetail, serviceSymptom } from '../../symptoms/service.ts';
import { type UsedServiceDetail, usedService } from '../../symptoms/used-service.ts';

export type FilteredService = { readonly name: string; readonly against: FilterKind };

/** `droppedPackets`: in the window; of a rule that is gone, its name, its hook and what it selected stand instead. */
type Detail = {
  readonly node: string;
  readonly droppedPackets?: number;
  /** Of rules without a counter: services that hosts use and that did not answer through the node. */
  readonly unanswered?: number;
  readonly rules: readonly string[];
  readonly acl?: string;
  readonly direction?: string;
  readonly selects?: string;
};

export function serviceFilter(id: string, service: FilteredService): FaultDefinition {
  const { name } = service;
  return defineCause<Detail>({
    id,
    resource: 'node',
    accuses: true,
    labels: { nika: id, netOpsBench: null },
    summary: `a packet filter of a node drops ${name} that it should forward`,
    memories: ['filters'],
    explain: (file) => explanations(file, service),
    detect: (slice) => gone(slice, service),
    describe: ({ node, droppedPackets, unanswered, rules }) =>
      unanswered !== undefined
        ? `a packet filter of ${nodeRef(node)} blocks ${name} (${rules.join('; ')})`
        : droppedPackets === undefined
          ? `a packet filter of ${nodeRef(node)} blocked ${name} (${rules.join('; ')})`
          : `a packet filter of ${nodeRef(node)} dropped ${droppedPackets} packets of ${name} (${rules.join('; ')})`,
    remedy: ({ node }) => ({ node, summary: `let ${name} through on ${nodeRef(node)}` }),
  });
}

function explanations(file: CaseFile, { against }: FilteredService): readonly Explanation<Detail>[] {
  const { world } = file;
  const rules = factsOf(file, 'filter-hits').filter(
    ({ value }) =>
      kindOf(value) === against &&
      !demands(value, 'source', 'destination', 'sample') &&
      !isPolicy(world, value) &&
      !isMeantForItself(world, value),
  );
  // What hosts were heard to send, and a rule takes that was not there before: which addresses it selects does not matter then.
  const used = usedService.of(file).filter(({ detail }) => detail.how === 'dropped' && detail.against === against);
  const nodes = [...new Set([...rules.map(({ value }) => value.node), ...used.map(({ detail }) => detail.node)])];
  return nodes.flatMap((node) => {
    const hits = rules
      .filter(({ value }) => value.node === node)
      .map((hit) => ({ ...hit, missed: missedBy(file, hit.value) }))
      .filter(({ value, missed }) => (value.packets ?? 0) > 0 || missed.length > 0);
    return explanationAt(
      file,
      node,
      hits,
      used.filter(({ detail }) => detail.node === node),
    );
  });
}

/** Services without an answer that the rule may have taken. */
function missedBy({ world, symptoms }: CaseFile, rule: FilterHits): readonly Symptom<ServiceDetail>[] {
  return serviceSymptom
    .of({ symptoms })
    .filter(
      (symptom) =>
        mayHaveTaken(world, rule, symptom) &&
        meets(symptom, rule) &&
        takes(rule, symptom) &&
        !isMeant(world, rule, symptom),
    );
}

type Hit = FactWith<'filter-hits'> & { readonly missed: readonly Symptom<ServiceDetail>[] };

/** `heard`: what hosts were heard to send, and a rule of the node takes. */
function explanationAt(
  file: CaseFile,
  node: string,
  hits: readonly Hit[],
  heard: readonly Symptom<UsedServiceDetail>[],
): readonly Explanation<Detail>[] {
  const missed = [...new Set(hits.flatMap((hit) => hit.missed))];
  if (missed.length + heard.length === 0) return [];
  const words = hits.map(({ value }) => wordsOf(value));
  const others = heard.flatMap(({ detail }) => detail.rule ?? []).filter((rule) => !words.includes(rule));
  const packets = [...hits.map(({ value }) => value.packets ?? 0), ...heard.map(({ detail }) => detail.packets ?? 0)];
  const counted = packets.reduce((sum, count) => sum + count, 0);
  return [
    {
      resource: nodeResource(node),
      explains: [...missed, ...heard, ...triedInVain(file, missed)].map(shareOf),
      evidence: [...hits, ...missed, ...heard].flatMap(({ source }) => source),
      score: 4,
      // Without a counter it is the best explanation, and no rule said that it took anything.
      ...(counted > 0 ? {} : { confidence: 'likely' as const }),
      detail: {
        node,
        ...(counted > 0 ? { droppedPackets: counted } : { unanswered: missed.length + heard.length }),
        rules: [...words, ...new Set(others)],
      },
    },
  ];
}

/** The same tries, as those of a service that hosts use. */
function triedInVain(file: CaseFile, missed: readonly Symptom<ServiceDetail>[]): readonly Symptom<UsedServiceDetail>[] {
  return usedService
    .of(file)
    .filter(
      ({ detail }) =>
        detail.how === 'unanswered' &&
        missed.some((each) => each.detail.from === detail.node && each.detail.destination === detail.server),
    );
}

/** Whether it met a packet is not remembered: never more than likely. */
function gone(slice: Slice, { against }: FilteredService): readonly Detection<Detail>[] {
  return goneRules(slice)
    .filter((each) => kindOf(each.rule) === against && aimOf(each) === 'service')
    .map(({ view: { node, sources }, rule }) => ({
      resource: nodeResource(node),
      key: JSON.stringify([rule.table, rule.chain, rule.handle]),
      confidence: 'likely',
      evidence: sources,
      nodes: [node],
      detail: {
        ...{ node, rules: [wordsOf(rule)], acl: rule.acl ?? rule.chain },
        ...{ direction: rule.hook, selects: wordsOf(rule) },
      },
    }));
}
