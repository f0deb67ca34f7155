// The networks of hosts behind the two ends of a path as part of its proof: what hosts there send has to get through the filters of every node of the
// path, and probes from an end's own address there have to be answered. What a node drops for as long as it remembers may be meant, and is
// said; what it let through before is lacking, and so is what a set that could not be read lets through. What was not followed is said. Accuses no node.
import { covers } from '#base/ip.ts';
import { FORWARDING_HOOKS, isAboveRate, isUnreadSet, wordsOf } from '#model/router/packet-match.ts';
import { filterSubject } from '#model/settings/filter-settings.ts';
import { type Fact, type FilterHits, factsOf, type NetworkReach, type Proof } from '../engine/facts.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import { isDelivered } from '../network/forwarding.ts';
import { hadWayBack } from '../network/lost-routes.ts';
import { nodeRef } from '../network/node-ref.ts';
import { isHiddenFrom } from '../network/translated-sources.ts';
import { statesSeen, type World } from '../network/world.ts';
import {
  type Behind,
  type Crossing,
  filteredBehindEnds,
  isTranslatedAlong,
  networksBehind,
  networksLeft,
  type Unread,
} from '../packet-filter/behind-ends.ts';
import { isInOrder } from '../packet-filter/chain-walk.ts';
import { unfollowedNodes } from '../packet-filter/followed-steps.ts';
import { stopOfProbe } from '../packet-filter/own-probes.ts';
import { takenAtTheirEnds } from '../packet-filter/own-traffic.ts';
import { standInOf } from '../packet-filter/stand-ins.ts';
import { areWiresSound } from './proof-full-size.ts';

export function networkProof(world: World, facts: readonly Fact[]): Proof {
  const rows = factsOf({ facts }, 'network-reach').map(({ value }) => value);
  const { drops: all, ...doubts } = filteredBehindEnds(world);
  const drops = all.filter((each) => each.before === undefined || !all.some((other) => isStandingFor(other, each)));
  const unfollowed = unfollowedNodes(world);
  const isFollowed = ({ node }: Unread) => !unfollowed.includes(node);
  const [unread, unsure] = [doubts.unread.filter(isFollowed), doubts.unsure.filter(isFollowed)];
  const standing = drops.filter(({ before }) => before === undefined);
  const passed = unread.filter((each) => rows.some((row) => isPast(each, row)));
  const others = unread.filter((each) => !passed.includes(each));
  const open = others.filter(isPermission);
  const lossy = rows.filter(isLossy);
  const taken = limitedAtEnds(world, facts, lossy);
  const lost = lossy.map((row) => {
    const rules = taken.get(row) ?? [];
    return rules.length > 0 ? takenLine(row, rules) : lostLine(world, row, rows, drops);
  });
  return {
    proven: [
      ...soundLines(rows.filter((row) => !isLossy(row))),
      ...grouped(standing).map(
        (each) => `${dropLine(world, each)}, and no change that it remembers tells that it let it through before`,
      ),
      // Every filter that drops what it does not know has such networks: that nothing is remembered of it must not keep all its paths open.
      ...grouped(drops.filter(({ before }) => before === 'unremembered')).map(
        (each) =>
          `${dropLine(world, each)}; whether it let it through before is not known, as it has too many rules to remember`,
      ),
      ...grouped(passed).map(passedLine),
      ...grouped(others.filter((each) => !open.includes(each))).map(unreadLine),
      ...unfollowed.map(
        (node) =>
          `not looked at: what packet filters of ${nodeRef(node)} do to packets of hosts: they have more rules than are followed`,
      ),
      ...grouped(unsure.filter((each) => !rows.some((row) => isPast(each, row)))).map(unsureLine),
      ...untold(world),
      ...unseenNetworks(world),
      ...lost.flatMap(({ said }) => said ?? []),
    ],
    lacking: [
      ...grouped(drops.filter(({ before }) => before === 'new')).map(
        (each) => `${dropLine(world, each)}, by what was not there before`,
      ),
      ...grouped(drops.filter(({ before }) => before === 'passed')).map(
        (each) => `${dropLine(world, each)}, and let it through before`,
      ),
      ...grouped(drops.filter(({ before }) => before === 'unknown')).map(
        (each) => `${dropLine(world, each)}; its rules changed, and whether it let it through before is not known`,
      ),
      ...grouped(open).map(
        (each) =>
          `${nodeRef(each[0]!.node)}: whether it lets ${whatsOf(each)} through is not known: ${setLine(each[0]!)}`,
      ),
      ...unreadFilters(world),
      ...lost.flatMap(({ lacks }) => lacks ?? []),
    ],
  };
}

/**
 * What is in none of the elements of its set is dropped: without them nothing is proven. That none of them is against a packet, and a chain that is too
 * long, are what a proof leaves out, and says.
 */
function isPermission({ rule: { verdict, unread = [] } }: Unread): boolean {
  const sets = unread.filter(isUnreadSet);
  const isDropping = verdict === 'drop' || verdict === 'reject';
  return sets.some((words) => isDropping === EXCEPTS.test(words));
}

/** Takes what is in none of the elements. */
const EXCEPTS = / != |^xtables ! /;

/** Another node dropped the same all the time: it was let through by none. */
function isStandingFor(other: Crossing, { from, to, dropped }: Crossing): boolean {
  const keyOf = (...ends: readonly Behind[]) => JSON.stringify(ends);
  return (
    other.before === undefined &&
    keyOf(other.from, other.to) === keyOf(from, to) &&
    dropped.every((address) => other.dropped.includes(address))
  );
}

/** One rule often drops what several networks send to several others. */
function grouped<Each extends Unread>(drops: readonly Each[]): readonly (readonly Each[])[] {
  const keyOf = ({ node, rule }: Each) => JSON.stringify([node, filterSubject(rule), rule.handle, rule.ends]);
  return [...Map.groupBy(drops, keyOf).values()];
}

/** More are counted. */
const NAMED = 2;

function dropLine(world: World, drops: readonly Crossing[]): string {
  const what = drops.map((each) => `${whatOf(each)}${hostsOf(world, each)}`);
  return `${dropperOf(drops[0]!)} drops ${someOf(what, '; ')}`;
}

export function dropperOf({ node, rule }: Pick<Crossing, 'node' | 'rule'>): string {
  const by = rule.ends === 'drop' ? 'the policy' : `a rule (${shown(rule)})`;
  return `${nodeRef(node)}: ${by} of ${filterSubject(rule)}`;
}

/** Characters of a rule's words; a set may have many values. */
const SHOWN_CHARS = 160;

function shown(rule: Crossing['rule']): string {
  const words = wordsOf(rule);
  return words.length <= SHOWN_CHARS ? words : `${words.slice(0, SHOWN_CHARS)}…`;
}

function unsureLine(doubts: readonly Unread[]): string {
  const { node, rule } = doubts[0]!;
  return `not looked at: whether ${nodeRef(node)} lets ${whatsOf(doubts)} through depends on a rule of ${filterSubject(rule)} that is not wholly understood (${shown(rule)})`;
}

function passedLine(doubts: readonly Unread[]): string {
  const from = [...new Set(doubts.map((each) => networkOf(each.from)))];
  return `not looked at: ${setLine(doubts[0]!)}; probes from ${someOf(from, ', ')} passed it`;
}

function whatsOf(doubts: readonly Unread[]): string {
  return someOf(doubts.map(whatOf), '; ');
}

/** The first of them, and how many more there are. */
function someOf(words: readonly string[], between: string): string {
  const more = words.length > NAMED ? `, and ${words.length - NAMED} more` : '';
  return `${words.slice(0, NAMED).join(between)}${more}`;
}

/** Single hosts, where not the whole network is dropped. */
function hostsOf(world: World, { dropped, from: { network = '' } }: Crossing): string {
  return dropped.includes(standInOf(world, network)) ? '' : ` (${dropped.join(', ')})`;
}

function whatOf({ from, to }: Pick<Crossing, 'from' | 'to'>): string {
  const target =
    to.network === undefined ? `beyond ${nodeRef(to.node)}` : `to ${networkOf(to)} behind ${nodeRef(to.node)}`;
  return `what hosts of ${networkOf(from)} behind ${nodeRef(from.node)} send ${target}`;
}

function unreadLine(doubts: readonly Unread[]): string {
  return `not looked at: ${setLine(doubts[0]!)}, which decides whether ${whatsOf(doubts)} gets through`;
}

function hasUnreadSet({ unread }: Crossing['rule']): boolean {
  return unread?.some(isUnreadSet) === true;
}

function setLine({ node, rule }: Unread): string {
  return hasUnreadSet(rule)
    ? `a set of ${filterSubject(rule)} on ${nodeRef(node)} that could not be read (${shown(rule)})`
    : `${filterSubject(rule)} on ${nodeRef(node)} has more rules than are followed`;
}

function networkOf({ network = '', ifname }: Behind): string {
  return `${network} on ${ifname ?? ''}`;
}

/** The node forwarded such a probe, and its answer. */
function isPast({ node, from, to }: Unread, row: NetworkReach): boolean {
  const isFrom = row.from === from.node && covers(from.network ?? '', row.sender);
  const isTo = row.to === to.node && (to.network === undefined || covers(to.network, row.destination));
  return isFrom && isTo && row.received > 0 && node !== from.node && node !== to.node;
}

function isLossy({ sent, received, again }: NetworkReach): boolean {
  if (received === 0 || again === undefined) return received < sent;
  return isLoss(again.sent, again.sent - again.received);
}

function soundLines(rows: readonly NetworkReach[]): readonly string[] {
  return [...Map.groupBy(rows, ({ from, to }) => `${from} ${to}`).values()].map((mine) => {
    const { from, to } = mine[0]!;
    const sum = (pick: (row: NetworkReach) => number) => mine.reduce((total, row) => total + pick(row), 0);
    const senders = [...new Set(mine.map(({ sender }) => sender))].join(', ');
    return `${nodeRef(from)}: ${sum(({ received }) => received)} of ${sum(({ sent }) => sent)} probes from ${senders}, its addresses on networks of hosts, to those of ${nodeRef(to)} came back`;
  });
}

/** Probes that were lost although an answer is owed and no known rule drops them: they are sent again, once. */
export function doubtfulNetworks(world: World, facts: readonly Fact[]): readonly NetworkReach[] {
  const rows = factsOf({ facts }, 'network-reach').map(({ value }) => value);
  const lost = rows.filter((row) => isLossy(row) && row.again === undefined);
  if (lost.length === 0) return [];
  const { drops } = filteredBehindEnds(world);
  return lost.filter((row) => {
    const stop = stopOfProbe(world, row);
    if (row.received > 0) return stop?.isOfEnd !== true;
    const isStopped = stop !== undefined && (stop.isOfEnd || stop.isSure);
    return !isStopped && !isDropped(row, drops) && isOwed(world, row, rows);
  });
}

type Line = { readonly said?: string; readonly lacks?: string };

/**
 * Limiters of what is for the ends themselves that account for a share of these probes, all of them together, where no link of the path lost a packet by
 * the counters of both its ends: what hosts send, the ends forward.
 */
function limitedAtEnds(
  world: World,
  facts: readonly Fact[],
  rows: readonly NetworkReach[],
): ReadonlyMap<NetworkReach, readonly FilterHits[]> {
  const some = rows.filter(({ received }) => received > 0);
  if (some.length === 0 || !areWiresSound({ world, facts })) return new Map();
  const lost = some.map((row) => {
    const { from, to, sender, destination, sent, received } = row;
    const detail = { from, owner: to, destination, source: sender, sources: [sender], sent };
    return { row, attempt: { way: { nodes: [from, to], links: [] }, detail }, lost: sent - received };
  });
  const taken = takenAtTheirEnds(world, facts, lost);
  return new Map([...taken].map(([{ row }, rules]) => [row, rules.filter(isAboveRate)]));
}

function takenLine(
  { from, to, sender, destination, sent, received }: NetworkReach,
  rules: readonly FilterHits[],
): Line {
  const by = [...new Set(rules.map(({ node, acl }) => `${acl} of ${nodeRef(node)}`))].join(' and ');
  const what = `${nodeRef(from)} → ${destination} of ${nodeRef(to)}`;
  return {
    said: `${what}: ${sent - received} of ${sent} probes from ${sender} did not come back, and ${by} limits what is for that node`,
  };
}

function lostLine(world: World, row: NetworkReach, rows: readonly NetworkReach[], drops: readonly Crossing[]): Line {
  const { from, to, sender, destination, sent, received } = row;
  const what = `${nodeRef(from)} → ${destination} of ${nodeRef(to)}`;
  // Said, or lacking, by itself.
  if (received === 0 && isDropped(row, drops)) return {};
  if (received === 0 && !isOwed(world, row, rows))
    return { said: `not tested: ${what} from ${sender}, as it is not known that an answer finds back to that network` };
  const stop = stopOfProbe(world, row);
  if (stop !== undefined && (stop.isOfEnd || (received === 0 && stop.isSure)))
    return {
      said: `not tested: ${what} from ${sender}, as packet filters of ${nodeRef(stop.node)} drop such probes, or may`,
    };
  const network = networksBehind(world, from).find((each) => covers(each.network, sender));
  const beside =
    stop === undefined ? '' : `; a rule of ${nodeRef(stop.node)} of which a part is not understood may have taken some`;
  return {
    lacks: `${what}: ${sent - received} of ${sent} probes from ${sender} did not come back; hosts of ${network?.network ?? sender} may get no answer either${beside}`,
  };
}

/** A filter on the way drops what one network sends to the other. Answers belong to a connection, and are no reason. */
function isDropped({ from, to, sender, destination }: NetworkReach, drops: readonly Crossing[]): boolean {
  const isOn = ({ node, network }: Behind, other: string, address: string) =>
    node === other && (network === undefined || covers(network, address));
  return drops.some((each) => isOn(each.from, from, sender) && isOn(each.to, to, destination));
}

/**
 * Both ways are complete by the lookups, or were; or a node of the path surely writes another source into what comes from there, and another address
 * was answered without a way back of its own. What is behind such a node is owed nothing from beyond it (proof-reach.ts).
 */
function isOwed(world: World, row: NetworkReach, rows: readonly NetworkReach[]): boolean {
  const { from, to, sender, destination } = row;
  if (isChosen(world, sender, destination)) return false;
  if (isHiddenFrom(world, from, destination)) return false;
  const isWay = isDelivered(world, from, destination);
  if (isWay && (isDelivered(world, to, sender) || hadWayBack(world, to, sender))) return true;
  return (
    isTranslatedAlong(world, row) &&
    rows.some(
      (each) =>
        each.from === from &&
        each.destination === destination &&
        each.received > 0 &&
        !isDelivered(world, to, each.sender),
    )
  );
}

/** The main table, which lookups tell of, is the last that is asked. */
const MAIN_TABLES = [253, 254, 255];

/** A policy rule of a node on the path chooses another table for such packets, or refuses them. */
function isChosen({ views }: World, ...addresses: readonly string[]): boolean {
  const family = addresses.every((address) => address.includes(':')) ? 'ipv6' : 'ipv4';
  return [...views.values()].some(({ state }) =>
    (state.forwarding?.policyRules ?? []).some(
      (rule) =>
        rule.family === family &&
        !(rule.action === 'table' && MAIN_TABLES.includes(rule.table ?? 0)) &&
        (rule.from === undefined || rule.negated === true || addresses.some((address) => covers(rule.from!, address))),
    ),
  );
}

/** Parts of a state without which not all filters of a node are known. */
const FILTERS: ReadonlySet<string> = new Set(['filters', 'xtables', 'traffic-control']);

/** Of the ends, in either direction. */
function unseenNetworks(world: World): readonly string[] {
  return [...new Set([world.nodes[0], world.nodes.at(-1)])].flatMap((node) => {
    const more = node === undefined ? 0 : networksLeft(world, node);
    return more === 0
      ? []
      : [`not looked at: networks of hosts behind ${nodeRef(node!)} beyond four of each family (${more})`];
  });
}

type Gap = { readonly node: string; readonly reason: string; readonly isNever: boolean };

/** Filters that were not read, of nodes between networks of hosts. */
function gapsOf(world: World): readonly Gap[] {
  const ends = [world.nodes[0], world.nodes.at(-1)].flatMap((node) => (node === undefined ? [] : [node]));
  if (!ends.some((node) => networksBehind(world, node).length > 0)) return [];
  return world.nodes.flatMap((node): readonly Gap[] => {
    const state = world.views.get(node)?.state;
    if (state === undefined) return [];
    const gaps = state.missing.filter(({ part }) => FILTERS.has(part));
    if (gaps[0] !== undefined)
      return [{ node, reason: gaps[0].reason, isNever: gaps.every(({ part }) => !wasTold(world, node, part)) }];
    // An earlier program that tells no rule at all has none that it left out.
    const isTold = state.filters.some(({ hook }) => FORWARDING_HOOKS.has(hook));
    return isInOrder(state) || !isTold ? [] : [{ node, reason: UNORDERED, isNever: true }];
  });
}

const UNORDERED = 'its program does not tell all rules that decide, in their order';

/** What a node could tell in none of its states of the last minutes it cannot tell: by NETCONF, without nft, or without the right to. */
function wasTold(world: World, node: string, part: string): boolean {
  return statesSeen(world, node).some(({ missing }) => missing.every((each) => each.part !== part));
}

function unreadFilters(world: World): readonly string[] {
  return gapsOf(world).flatMap(({ node, reason, isNever }) =>
    isNever
      ? []
      : [
          `${nodeRef(node)}: its packet filters could not be read (${reason}), and could before: what they do to packets of hosts is not known`,
        ],
  );
}

function untold(world: World): readonly string[] {
  const never = Map.groupBy(
    gapsOf(world).filter(({ isNever }) => isNever),
    ({ reason }) => reason,
  );
  return [...never].map(
    ([reason, gaps]) =>
      `not looked at: what packet filters of ${gaps.map(({ node }) => nodeRef(node)).join(', ')} do to packets of hosts (${reason})`,
  );
}
