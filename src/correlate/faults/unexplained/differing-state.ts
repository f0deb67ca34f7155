// What is different at a place from its like: drop counters that moved at its nodes and at no other, filters that counted there, and queues
// of its ports of another kind than most. Hints for operators, who look there first; nothing is concluded from them.
import type { LinkEnd } from '#model/names.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import { majority } from '../../engine/proposal.ts';
import { CORRELATE_LIMITS } from '../../limits.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { World } from '../../network/world.ts';
import { isFilterHook } from '../../symptoms/links/queue-overflow.ts';

/** With node references; a few, those of counters first. */
export function differingState(file: CaseFile, ends: readonly LinkEnd[]): readonly string[] {
  const nodes = new Set(ends.map(({ node }) => node));
  const errors = factsOf(file, 'node-errors');
  const counters = errors
    .filter(({ value }) => nodes.has(value.node))
    .filter(({ value: { counter } }) => errors.every(({ value }) => value.counter !== counter || nodes.has(value.node)))
    .map(
      ({ value: { node, counter, packets } }) =>
        `${counter} of ${nodeRef(node)} rose by ${packets}, and that of no other node did`,
    );
  const filters = factsOf(file, 'filter-hits')
    .filter(({ value }) => nodes.has(value.node) && value.packets !== 0)
    .map(({ value: { node, acl, packets } }) =>
      packets === undefined
        ? `${acl} of ${nodeRef(node)} can drop and has no counter`
        : `${acl} of ${nodeRef(node)} dropped ${packets}`,
    );
  const all = [...counters, ...filters, ...oddQueues(file.world, ends)];
  const rest = all.length - CORRELATE_LIMITS.differingStates;
  return [...all.slice(0, CORRELATE_LIMITS.differingStates), ...(rest > 0 ? [`${rest} more`] : [])];
}

/** Kinds of the ports' own queues, where most ports of the scope have another or none. */
function oddQueues(world: World, ends: readonly LinkEnd[]): readonly string[] {
  const kindAt = ({ node, ifname }: LinkEnd) => {
    const queues = (world.views.get(node)?.state.qdiscs ?? []).filter((queue) => queue.ifname === ifname);
    return queues.find(({ kind }) => !isFilterHook(kind))?.kind ?? 'no queue';
  };
  const usual = majority(world.links.flatMap(({ from, to }) => [from, to]).map(kindAt));
  if (usual === undefined) return [];
  return ends
    .map((end) => ({ end, kind: kindAt(end) }))
    .filter(({ kind }) => kind !== usual)
    .map(({ end, kind }) => `${nodeRef(end.node)} ${end.ifname}: ${kind}, ${usual} on most ports`);
}
