// Facts about rules of packet filters that dropped something lately, though nothing in the window of the question: hellos come every
// ten seconds, a closed session is tried every two minutes. Believed of rules alone that are for every packet of their kind, and
// where no other rule lets some of that kind through: a rule for the rest has its old drops from strangers.
import { nodeResource } from '#model/names.ts';
import { demands } from '#model/router/packet-match.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import type { Fact, FilterHits } from '../engine/facts.ts';
import { type FilterKind, kindOf, kindsTaken } from '../packet-filter/filter-kinds.ts';
import { filterFacts } from './observe-node.ts';
import { counterDelta } from './wire.ts';

const PROTOCOLS: ReadonlySet<FilterKind | undefined> = new Set<FilterKind>(['bgp', 'ospf', 'isis', 'bfd', 'arp']);

export function latelyFacts(
  node: string,
  before: NodeState,
  after: NodeState,
  source: readonly string[],
): readonly Fact[] {
  const lately = after.filters.filter((rule) => droppedLately(after, rule) && stoodStill(before, rule));
  // As if they had counted one packet in the window: that is what is known, that there was one.
  const [earlier, later] = [lately.map(counting('0')), lately.map(counting('1'))];
  return filterFacts(node, { ...before, filters: earlier }, { ...after, filters: later }, source).flatMap(
    (fact): readonly Fact[] =>
      fact.predicate === 'filter-hits'
        ? [
            {
              subject: nodeResource(node),
              predicate: 'filter-lately',
              value: withoutCount(fact.value),
              source,
              window: 'lately',
            },
          ]
        : [],
  );
}

function withoutCount(value: FilterHits): FilterHits {
  return { ...value, packets: undefined };
}

function counting(packets: string): (rule: FilterRule) => FilterRule {
  return (rule) => ({ ...rule, packets });
}

function droppedLately({ history, filters }: NodeState, rule: FilterRule): boolean {
  const kind = kindOf(rule);
  if (kind === undefined || !PROTOCOLS.has(kind) || rule.matchesRest === true) return false;
  if (demands(rule, 'source', 'destination', 'sample')) return false;
  if (filters.some((each) => letsThrough(each, rule, kind))) return false;
  return (history?.filterDrops ?? []).some(
    (drop) =>
      drop.family === rule.family &&
      drop.table === rule.table &&
      drop.chain === rule.chain &&
      drop.handle === rule.handle,
  );
}

function letsThrough(each: FilterRule, rule: FilterRule, kind: FilterKind): boolean {
  const ports = [...each.inInterfaces, ...each.outInterfaces];
  const insideOnly = ports.length > 0 && ports.every((ifname) => ifname === 'lo');
  return each.verdict === 'accept' && each.hook === rule.hook && !insideOnly && kindsTaken(each).includes(kind);
}

function stoodStill(before: NodeState, rule: FilterRule): boolean {
  const was = before.filters.find(
    (each) =>
      each.family === rule.family &&
      each.table === rule.table &&
      each.chain === rule.chain &&
      each.handle === rule.handle,
  );
  return was !== undefined && rule.packets !== undefined && counterDelta(was.packets ?? '0', rule.packets) === 0;
}
