// Of acl_misconfig: probes or service probes to an address die although every route is there, and a filter on their path that can take
// them, and is against no single service, dropped as many in the window.
import { nodeResource } from '#model/names.ts';
import { demands, isAboveRate, wordsOf } from '#model/router/packet-match.ts';
import { type CaseFile, type FilterHits, factsOf } from '../../engine/facts.ts';
import type { Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { remembersBefore } from '../../network/remembered.ts';
import type { World } from '../../network/world.ts';
import { meets, takes } from '../../packet-filter/attempts.ts';
import { kindOf } from '../../packet-filter/filter-kinds.ts';
import { hasStood, isForItself, isMeantForItself, ownTrafficRemark } from '../../packet-filter/own-traffic.ts';
import { isMeant, serviceSymptom } from '../../symptoms/service.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';
import { type AclDetail, aclLabel } from './acl-detail.ts';

export function explainedOnAttempts(file: CaseFile): readonly Explanation<AclDetail>[] {
  const attempts = [...reachSymptom.of(file), ...serviceSymptom.of(file)];
  return factsOf(file, 'filter-hits').flatMap(({ value, source }): readonly Explanation<AclDetail>[] => {
    const { packets = 0 } = value;
    if (packets === 0 || (kindOf(value) !== undefined && !isMeantForItself(file.world, value))) return [];
    const mine = attempts.filter(
      (attempt) => meets(attempt, value) && takes(value, attempt) && !isMeant(file.world, value, attempt),
    );
    const isLimiter = isAboveRate(value) && isForItself(file.world, value);
    if (!isLimiter && !mayKeepState(file.world, value)) return explanationOf(file, value, source, mine);
    const isOwn = (attempt: Lost) =>
      isToItself(file.world, value, attempt) || isAnswerToItself(file.world, value, attempt);
    const toItself = mine.filter(isOwn);
    const others = mine.filter((attempt) => !toItself.includes(attempt));
    return [
      ...explanationOf(file, value, source, toItself).map((each) => ({
        ...each,
        key: 'to itself',
        // What a fault explains as well, it explains better.
        score: 1,
      })),
      ...explanationOf(file, value, source, others).map((each) => ({
        ...each,
        withheld: isLimiter ? limitsItself(value) : asksForMore(value),
      })),
    ];
  });
}

type Lost = ReturnType<typeof reachSymptom.of>[number] | ReturnType<typeof serviceSymptom.of>[number];

function explanationOf(
  { world }: CaseFile,
  rule: FilterHits,
  source: readonly string[],
  mine: readonly Lost[],
): readonly Explanation<AclDetail>[] {
  if (mine.length === 0) return [];
  const { node, packets = 0, hook, acl } = rule;
  const probes = mine.reduce((sum, { detail }) => sum + detail.sent, 0);
  return [
    {
      resource: nodeResource(node),
      explains: mine.map(shareOf),
      evidence: [...source, ...mine.flatMap((attempt) => attempt.source)],
      score: demands(rule, 'source', 'destination') ? 3 : 2,
      detail: {
        ...{ node, acl: aclLabel(acl), direction: hook },
        ...{ droppedPackets: packets, probesLost: probes, selects: wordsOf(rule) },
      },
      ...(isForItself(world, rule) ? { remark: ownTrafficRemark(rule), remarkReason: 'method' as const } : {}),
      ...(packets * 4 < probes ? { withheld: `its counter moved by ${packets}, less than the probes lost` } : {}),
    },
  ];
}

/** The rule takes only what is for its own node, and the try was sent to that node: a limiter took it, or an operator’s policy of what that node answers. */
function isToItself(world: World, rule: FilterHits, { detail }: Lost): boolean {
  return isForItself(world, rule) && detail.owner === rule.node && !('behind' in detail && detail.behind);
}

/** A limiter of the node that tried, where a node that the host is not behind got answers to the same: nothing between keeps it away. */
function isAnswerToItself(world: World, rule: FilterHits, { detail }: Lost): boolean {
  if (!isAboveRate(rule) || !isForItself(world, rule) || detail.from !== rule.node || !('service' in detail))
    return false;
  const { destination, service, port, from, owner } = detail;
  return world.serviceProbes.some(
    (each) =>
      each.answered &&
      each.destination === destination &&
      each.service === service &&
      each.port === port &&
      each.via === undefined &&
      each.from !== from &&
      each.from !== owner,
  );
}

/** It names no address, asks for more than was read, as for the state of a connection, and its node remembers that it stood. */
function mayKeepState(world: World, rule: FilterHits): boolean {
  const isKnown = remembersBefore(world, rule.node) && hasStood(world, rule);
  return isKnown && rule.matchesRest === true && !demands(rule, 'source', 'destination');
}

function limitsItself({ node, acl }: FilterHits): string {
  return `${aclLabel(acl)} of ${nodeRef(node)} limits what is for that node, and may have taken the answers: no other node is known to have got them`;
}

/** A firewall that keeps state drops what comes first from outside, as it should, and answers whose question it has not seen, which another change caused. */
function asksForMore({ node, acl }: FilterHits): string {
  return `${aclLabel(acl)} of ${nodeRef(node)} asks for more than its words say, as the state of a connection, and has stood for as long as the agents remember`;
}
