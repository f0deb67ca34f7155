// What the faults of a packet filter against one service share: icmp_acl_block, http_acl_block, dns_port_blocked. The node drops a service
// that all hosts use, for all addresses. A filter for some addresses only, or one that most nodes have alike, is an ACL that does its job.
import { nodeResource } from '#model/names.ts';
import { demands, wordsOf } from '#model/router/packet-match.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import {
  type Detection,
  defineCause,
  type Explanation,
  type FaultDefinition,
  type Slice,
} from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { meets, takes } from '../../packet-filter/attempts.ts';
import { isPolicy } from '../../packet-filter/dropping-rules.ts';
import { type FilterKind, kindOf } from '../../packet-filter/filter-kinds.ts';
import { aimOf, goneRules } from '../../packet-filter/gone-rules.ts';
import { serviceSymptom } from '../../symptoms/service.ts';

export type FilteredService = { readonly name: string; readonly against: FilterKind };

/** `droppedPackets`: in the window; of a rule that is gone, its name, its hook and what it selected stand instead. */
type Detail = {
  readonly node: string;
  readonly droppedPackets?: number;
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
    describe: ({ node, droppedPackets, rules }) =>
      droppedPackets === undefined
        ? `a packet filter of ${nodeRef(node)} was against ${name} (${rules.join('; ')})`
        : `a packet filter of ${nodeRef(node)} dropped ${droppedPackets} packets of ${name} (${rules.join('; ')})`,
    remedy: ({ node }) => ({ node, summary: `let ${name} through on ${nodeRef(node)}` }),
  });
}

function explanations(file: CaseFile, { against }: FilteredService): readonly Explanation<Detail>[] {
  const hits = factsOf(file, 'filter-hits').filter(
    ({ value }) =>
      kindOf(value) === against &&
      (value.packets ?? 0) > 0 &&
      !demands(value, 'source', 'destination', 'sample') &&
      !isPolicy(file.world, value),
  );
  return [...new Set(hits.map(({ value }) => value.node))].flatMap((node) => {
    const mine = hits.filter(({ value }) => value.node === node);
    const missed = serviceSymptom
      .of(file)
      .filter((symptom) => mine.some(({ value }) => meets(symptom, value) && takes(value, symptom)));
    if (missed.length === 0) return [];
    return [
      {
        resource: nodeResource(node),
        explains: missed.map(shareOf),
        evidence: [...mine, ...missed].flatMap(({ source }) => source),
        score: 4,
        detail: {
          node,
          droppedPackets: mine.reduce((sum, { value }) => sum + (value.packets ?? 0), 0),
          rules: mine.map(({ value }) => wordsOf(value)),
        },
      },
    ];
  });
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
