// Addresses that answered no echo although every lookup there and back says that the packets should have arrived; and echoes, some or
// all, that a filter took of what is addressed to its own node, which is no symptom.
import { nodeResource } from '#model/names.ts';
import { type Fact, type FilterHits, factsOf } from '../engine/facts.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { walk } from '../network/forwarding.ts';
import { nodeRef } from '../network/node-ref.ts';
import { ownerOf, type Reach, sourcesOf, type World } from '../network/world.ts';
import { countsAlike } from '../observe/wire.ts';
import { type Attempt, sendersOf } from '../packet-filter/attempts.ts';
import { isForItself, limitersAtItsEnds, takenAtTheirEnds } from '../packet-filter/own-traffic.ts';

export type ReachDetail = {
  readonly from: string;
  readonly destination: string;
  readonly owner: string;
  readonly sent: number;
  /** Addresses that the echoes may have been sent from. */
  readonly sources: readonly string[];
};

export const reachSymptom = defineSymptom<ReachDetail>('reach');

export function unansweredEchoes(world: World, facts: readonly Fact[]): readonly Symptom[] {
  const taken = echoesTaken(world, facts);
  return world.reach.flatMap((row) => (taken.has(row) ? [] : unanswered(world, row)));
}

/** Lost more than a stray: at the second look when there was one, at all when there was none. */
export function isLossy({ sent, received, again }: Reach): boolean {
  if (received === 0 || again === undefined) return received < sent;
  return isLoss(again.sent, again.sent - again.received);
}

/** Rules that took lost echoes: all of them, by their counters, or such as may have. */
export type Taken = { readonly rules: readonly FilterHits[]; readonly isCounted: boolean };

/** Lost echoes that filters of what is addressed to their own node account for, or may where nothing else can, with these filters. */
export function echoesTaken(world: World, facts: readonly Fact[]): ReadonlyMap<Reach, Taken> {
  if (!factsOf({ facts }, 'filter-hits').some(({ value }) => isForItself(world, value))) return new Map();
  const lost = world.reach.filter(isLossy).flatMap((row) => {
    const attempt = attemptOf(world, row) ?? betweenEnds(world, row);
    return attempt === undefined ? [] : [{ row, attempt, lost: row.sent - row.received }];
  });
  const counted = takenAtTheirEnds(world, facts, lost);
  const limited = lost.flatMap((each): readonly [Reach, Taken][] => {
    const rules = counted.has(each) ? [] : limitersBeside(world, facts, each);
    return rules.length === 0 ? [] : [[each.row, { rules, isCounted: false }]];
  });
  return new Map([...[...counted].map(([{ row }, rules]) => [row, { rules, isCounted: true }] as const), ...limited]);
}

/** Of the share that was lost, so much may be missing in the counters of a link that lost none of it. */
const UNCOUNTED = 0.25;
/** Packets that tell such a share: most of the probes are sent after the counters were read. */
const COUNTED = 30;

/**
 * A limiter at one of the ends may have taken a share of them, where every link of the way carried all probes over it, or as many packets by the counters of
 * both ends, and every node between the two forwarded what others sent without a loss. What the limiter counted while the question was measured need not be
 * all that it took: probes are sent again after that.
 */
function limitersBeside(
  world: World,
  facts: readonly Fact[],
  { row, attempt }: { readonly row: Reach; readonly attempt: Attempt },
): readonly FilterHits[] {
  const { from, owner } = attempt.detail;
  const isBetween = (...ends: readonly string[]) => ends.includes(from) && ends.includes(owner);
  const way = attempt.way?.links ?? [];
  const links = world.links.filter((link) =>
    way.length > 0 ? way.includes(link.key) : isBetween(link.from.node, link.to.node),
  );
  const share = ((row.sent - row.received) / row.sent) * UNCOUNTED;
  const isSound = links.every((link) => {
    const probes = factsOf({ facts }, 'probe-loss').filter(({ value }) => value.link === link.key);
    return (
      (probes.length > 0 && probes.every(({ value }) => value.lost === 0)) ||
      countsAlike({ facts }, link, { least: COUNTED, share })
    );
  });
  const between = (attempt.way?.nodes ?? []).filter((node) => node !== from && node !== owner);
  const isForwarded = between.every((node) => forwardsForOthers(world, node));
  return row.received > 0 && links.length > 0 && isSound && isForwarded ? limitersAtItsEnds(world, facts, attempt) : [];
}

/** Probes of two others whose way led through the node all came back. */
function forwardsForOthers(world: World, node: string): boolean {
  return world.reach.some(
    (row) =>
      row.from !== node &&
      row.received > 0 &&
      !isLossy(row) &&
      ownerOf(world, row.destination)?.node !== node &&
      walk(world, row.from, row.destination).nodes.includes(node),
  );
}

/** Undefined where packets are not routed there and back. */
function attemptOf(world: World, { from, destination, sent, sender }: Reach): Attempt | undefined {
  const owner = ownerOf(world, destination);
  if (owner === undefined) return undefined;
  const there = walk(world, from, destination);
  if (there.endings.some(({ kind }) => kind !== 'delivered')) return undefined;
  const loopback = world.views
    .get(from)
    ?.state.inventory.loopbacks.map((address) => address.split('/')[0]!)
    .find((address) => address.includes(':') === destination.includes(':'));
  const own = sender ?? loopback;
  const back = own === undefined ? undefined : walk(world, owner.node, own);
  if (back?.endings.some(({ kind }) => kind !== 'delivered')) return undefined;
  return {
    way: {
      nodes: [...new Set([...there.nodes, ...(back?.nodes ?? [])])],
      links: [...new Set([...there.links, ...(back?.links ?? [])])],
    },
    detail: { from, destination, owner: owner.node, sent, sources: sendersOf(world, from, destination) },
  };
}

/** Where the way is not known, as of link addresses that no node looked up: the two ends are. */
function betweenEnds(world: World, { from, destination, sent }: Reach): Attempt | undefined {
  const owner = ownerOf(world, destination)?.node;
  if (owner === undefined || walk(world, from, destination).endings.some(({ kind }) => kind !== 'unknown'))
    return undefined;
  const sources = sendersOf(world, from, destination);
  return { way: { nodes: [from, owner], links: [] }, detail: { from, destination, owner, sent, sources } };
}

function unanswered(world: World, row: Reach): readonly Symptom[] {
  const { from, destination, sent, received, source } = row;
  const attempt = received > 0 ? undefined : attemptOf(world, row);
  if (attempt === undefined) return [];
  const { owner, sources = [] } = attempt.detail;
  return [
    reachSymptom.raise({
      id: `reach:${from}>${destination}`,
      subject: nodeResource(owner),
      text: `${nodeRef(from)} probed ${destination} of ${nodeRef(owner)}: none of ${sent} came back, though every route is there`,
      source: [source, ...sourcesOf(world, from, owner)],
      nodes: [from, owner],
      ...(attempt.way === undefined ? {} : { way: attempt.way }),
      detail: { from, destination, owner, sent, sources },
    }),
  ];
}
