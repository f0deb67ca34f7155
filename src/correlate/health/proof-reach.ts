// Probes from end to end, over the nodes' own routing: what came back, and what did not and is no symptom of its own. A probe that
// a second look does not miss was a stray.

import { parsePrefix } from '#base/ip.ts';
import type { Fact, Proof } from '../engine/facts.ts';
import { isDelivered, senderOf, walk } from '../network/forwarding.ts';
import { hadWayBack, hostsHeard, isBetweenNodes, isInhabited, wasRouted } from '../network/lost-routes.ts';
import { nodeRef } from '../network/node-ref.ts';
import { isApartInOneAs, isKeptFrom, type Kept, keptOnTheWay } from '../network/other-networks.ts';
import { isAnswered, withOwedReaches } from '../network/owed.ts';
import { isOfAreaAlone } from '../network/spare-addresses.ts';
import { isHiddenFrom } from '../network/translated-sources.ts';
import { interfaceOf, linkOn, ownerOf, type Reach, type World } from '../network/world.ts';
import { echoesTaken, isLossy, type Taken } from '../symptoms/unanswered-echoes.ts';

export function reachProof(world: World, facts: readonly Fact[]): Proof {
  const lossy = world.reach.filter(isLossy);
  const taken = echoesTaken(world, facts);
  const unexcused = lossyReaches(world).filter((row) => !taken.has(row));
  const sound = Map.groupBy(
    world.reach.filter((row) => !isTurnedAway(row) && !lossy.includes(row)),
    ({ from }) => from,
  );
  const excused = lossy.filter((row) => !unexcused.includes(row) && !taken.has(row));
  return {
    proven: [
      ...[...sound].map(([from, rows]) => soundLine(from, rows)),
      ...[...sound.values()].flat().flatMap(otherSenderLine),
      ...[...taken].map(([row, rules]) => takenLine(row, rules)),
      ...excused.map((row) => `${nodeRef(row.from)} → ${row.destination}: no answer, and ${whyExcused(world, row)}`),
    ],
    lacking: [...unexcused.map((row) => lossLine(world, row)), ...world.reach.filter(isTurnedAway).map(turnedAwayLine)],
  };
}

/** Of the networks of hosts behind the ends of a path: what has a route of the sender's own, and where what is lost left the path. */
export function reachAlongProof(world: World, facts: readonly Fact[]): Proof {
  const owed = withOwedReaches(world);
  const beside = world.reach.filter((row) => isLossy(row) && !owed.reach.includes(row));
  const { proven, lacking } = reachProof(owed, facts);
  return {
    proven: [
      ...proven,
      ...beside.map(
        ({ from, destination }) =>
          `not tested: ${nodeRef(from)} → ${destination}, as no node on the way is known to have another route there than a default one`,
      ),
    ],
    lacking: lacking.map((line) => {
      const row = owed.reach.find((each) => lossLine(owed, each) === line);
      return row === undefined ? line : `${line}${offPath(world, row)}`;
    }),
  };
}

/** Nodes that send what was lost to where no node of the path is. */
function offPath(world: World, { from, destination }: Reach): string {
  return walk(world, from, destination)
    .endings.filter(({ kind }) => kind === 'unknown')
    .flatMap(({ at }) => {
      const { ifname, nextHop } = world.lookups.get(at)?.get(destination) ?? {};
      const via = nextHop === undefined ? '' : ` to ${nextHop}`;
      return ifname === undefined ? [] : [`; ${nodeRef(at)} sends it off the path, over ${ifname}${via}`];
    })
    .join('');
}

/** All of them arrived, and the reflector had no place for them: nothing was measured. */
function isTurnedAway({ sent }: Reach): boolean {
  return sent === 0;
}

function turnedAwayLine({ from, destination }: Reach): string {
  return `${nodeRef(from)} → ${destination}: not measured, the session table of its reflector is full`;
}

/** Lossy where packets were to arrive, and answers were to come back: what wants an explanation. */
export function lossyReaches(world: World): readonly Reach[] {
  return doubtfulReaches(world).filter((row) => !isFromUnrouted(world, row));
}

/** Lossy where packets were to arrive: what wants a second look, from another address of the sender if need be. */
export function doubtfulReaches(world: World): readonly Reach[] {
  return world.reach.filter(
    (row) => isLossy(row) && !isUnrouted(world, row) && !isUnanswerable(world, row) && !isOfSeveral(world, row),
  );
}

/**
 * The owner is of another network, to which the sender's addresses were never announced: it has no route for answers. Or the address was never
 * announced to the sender's network, and the sender has no route to it but a default one.
 */
function isUnanswerable(world: World, row: Reach): boolean {
  const { received, from, destination, sender } = row;
  if (isOfOneAsApart(world, row) || isTranslated(world, row) || keptByOthers(world, row) !== undefined) return true;
  const owners = (world.owners.get(destination) ?? []).map(({ node }) => node);
  const senders = sender === undefined ? undefined : [sender];
  const own = world.lookups.get(from)?.get(destination);
  // Where both ways are complete by the lookups, the lost probes are the only sign of a fault on them.
  const isComplete = isDelivered(world, from, destination) && owners.every((node) => isAnswered(world, node, row));
  const hasNoRoute = !isComplete && (own?.kind === 'none' || own?.matched === 'default');
  const isKept = (node: string) =>
    isKeptFrom(world, from, node, senders) || (hasNoRoute && isKeptFrom(world, node, from, [destination]));
  return received === 0 && owners.length > 0 && owners.every(isKept);
}

/** A network behind source address translation: what is on the other side knows it by other addresses. */
function isTranslated(world: World, { received, from, destination }: Reach): boolean {
  return received === 0 && isHiddenFrom(world, from, destination);
}

/** The sender has no route to the address, or its owner none back to the sender's: systems between them keep one of the two. */
function keptByOthers(world: World, row: Reach): Kept | undefined {
  const { received, from, destination } = row;
  if (received > 0) return undefined;
  const sender = senderOf(world, row);
  const owners = (world.owners.get(destination) ?? []).map(({ node }) => node);
  const back = owners.map((node) => (sender === undefined ? undefined : keptOnTheWay(world, node, sender)));
  return keptOnTheWay(world, from, destination) ?? (back.includes(undefined) ? undefined : back[0]);
}

const KEPT: Readonly<Record<Kept, string>> = {
  router:
    'the systems between pass on no route to one of the two addresses, which is of a router; what is sent to hosts behind that router, or behind others of its system, comes back',
  policy: 'policies of the systems between keep the two networks apart, and did as far as the agents remember',
};

function isOfOneAsApart(world: World, { received, from, destination }: Reach): boolean {
  const owners = world.owners.get(destination) ?? [];
  return (
    received === 0 && owners.length > 0 && owners.every(({ node }) => isApartInOneAs(world, node, from, destination))
  );
}

/**
 * Sent from an address that no other node has a route to but a default one, as of a router between networks of hosts in a static network: no
 * answer finds back, and none is owed, as to that address itself. Not where default routes lead back as well.
 */
export function isFromUnrouted(world: World, row: Reach): boolean {
  const used = senderOf(world, row);
  if (row.received > 0 || used === undefined) return false;
  const owner = ownerOf(world, row.destination)?.node;
  if (owner !== undefined && (isAnswered(world, owner, row) || hadWayBack(world, owner, used))) return false;
  const others = [...world.lookups].flatMap(([node, answers]) => {
    const answer = answers.get(used);
    return node === row.from || answer === undefined ? [] : [answer];
  });
  return others.length > 0 && others.every(({ kind, matched }) => kind !== 'unicast' || matched === 'default');
}

/**
 * An address that its owner alone knows of, now and as far as the nodes remember, as on a network for itself: that others do not reach it is
 * how it is meant. What a head puts into SRv6 is its customers', and judged by the probes along that segment list.
 */
function isUnrouted(world: World, { received, from, destination }: Reach): boolean {
  const own = world.lookups.get(from)?.get(destination);
  const owners = (world.owners.get(destination) ?? []).map(({ node }) => node);
  if (received > 0 || owners.length === 0) return false;
  if ((own?.segments?.length ?? 0) > 0) return true;
  if (wasRouted(world, destination)) return false;
  if (isLonely(world, destination) || isOfAreaAlone(world, from, destination)) return true;
  if (own === undefined) return false;
  // Hosts that were heard there are owed a route, whichever route of IPv6 it is that leads elsewhere.
  const isOwed = destination.includes(':') && isInhabited(world, destination) && !isBetweenNodes(world, destination);
  return ![...world.lookups].some(([node, answers]) => {
    const answer = answers.get(destination);
    const steered = (answer?.segments?.length ?? 0) > 0;
    const isDefault = answer?.matched === 'default' && !isOwed;
    return !owners.includes(node) && answer?.kind === 'unicast' && !isDefault && !steered;
  });
}

/**
 * An address that no host is behind: of a link of two addresses, or of a virtual interface, as of a bridge without ports, where none was ever
 * heard. And wherever a node looked it up, packets for it end at a node without a route, or come to it by what may be a default route: IPv6 lookups do
 * not tell.
 */
function isLonely(world: World, destination: string): boolean {
  const owners = world.owners.get(destination) ?? [];
  const isEmpty = owners.every((end) => {
    const { kind, addresses = [] } = interfaceOf(world, end) ?? {};
    const own = parsePrefix(addresses.find((entry) => entry.startsWith(`${destination}/`)) ?? '');
    const isOfTwo = own !== undefined && own.prefixBits === (own.family === 4 ? 31 : 127);
    if (isOfTwo) return !hostsHeard(world, end.node, end.ifname) || isBetweenNodes(world, destination);
    return (
      (kind === 'bridge' || kind === 'other') &&
      linkOn(world, end).length === 0 &&
      !hostsHeard(world, end.node, end.ifname)
    );
  });
  const others = [...world.lookups].filter(
    ([node, answers]) => answers.has(destination) && !owners.some((owner) => owner.node === node),
  );
  const ends = others.map(([node, answers]) => {
    const { kind, matched } = answers.get(destination)!;
    const mayBeDefault =
      kind === 'unicast' && (matched === 'default' || (matched === undefined && destination.includes(':')));
    const endings = walk(world, node, destination).endings.map((ending) => ending.kind);
    return endings.every((end) => end === 'none' || (end === 'delivered' && mayBeDefault)) ? endings : undefined;
  });
  return isEmpty && !ends.includes(undefined) && ends.some((each) => each!.includes('none'));
}

/** An address that several nodes have, and that some node got answers from: which of them answers, routing decides. */
function isOfSeveral({ owners, reach }: World, { destination }: Pick<Reach, 'destination'>): boolean {
  const nodes = new Set((owners.get(destination) ?? []).map(({ node }) => node));
  return nodes.size > 1 && reach.some((row) => row.destination === destination && row.received > 0);
}

function whyExcused(world: World, row: Reach): string {
  if (isOfSeveral(world, row)) return 'several nodes have it, and others are answered';
  if (isUnrouted(world, row)) {
    if (isOfAreaAlone(world, row.from, row.destination)) return 'it is known inside its IS-IS area alone';
    const isSteered = [...world.lookups.values()].some(
      (answers) => (answers.get(row.destination)?.segments?.length ?? 0) > 0,
    );
    return isSteered ? 'beside SRv6 no route leads there' : 'no other node has a route there, but a default one';
  }
  if (isOfOneAsApart(world, row))
    return 'both are of one AS that only others join: BGP lets neither learn the routes of the other';
  const kept = keptByOthers(world, row);
  if (kept !== undefined) return KEPT[kept];
  if (isTranslated(world, row))
    return `${nodeRef(row.from)} has no route there and needs none: the address is behind source address translation`;
  return isFromUnrouted(world, row)
    ? `no other node has a route to ${senderOf(world, row)}, from which it was probed`
    : 'it is of another network: one of the two does not announce its own address to the other';
}

function soundLine(from: string, rows: readonly Reach[]): string {
  const [sent, received] = [sum(rows, 'sent'), sum(rows, 'received')];
  const rest = sent === received ? '' : `; ${sent - received} lost is a stray, not seen again`;
  return `${nodeRef(from)}: ${received} of ${sent} probes to ${rows.length} addresses of others came back${rest}`;
}

function otherSenderLine({ from, destination, sender, unanswered }: Reach): readonly string[] {
  if (unanswered === undefined) return [];
  const first = unanswered.sender ?? 'its loopback';
  return [
    `${nodeRef(from)} → ${destination}: probed from ${sender}; no answer came back to ${first}, to which no route leads from there`,
  ];
}

function takenLine({ from, destination, sent, received }: Reach, { rules, isCounted }: Taken): string {
  const by = [...new Set(rules.map(({ node, acl }) => `${acl} of ${nodeRef(node)}`))].join(' and ');
  const how = isCounted
    ? 'dropped the rest, and takes only what is for its own node'
    : `may have dropped the rest: it ${rules.some(({ packets = 0 }) => packets > 0) ? 'counted fewer packets before the second look' : 'has no counter'}, limits only what is for its own node, and did so for as long as the agents remember; no link or node of the way is seen to lose packets`;
  return `${nodeRef(from)} → ${destination}: ${received} of ${sent} probes came back; ${by} ${how}`;
}

/** As the proof says what is lacking. */
export function lossLine(world: World, row: Reach): string {
  const { from, destination, sent, received, again } = row;
  const owner = ownerOf(world, destination)?.node;
  const to = owner === undefined ? destination : `${destination} of ${nodeRef(owner)}`;
  const way = walk(world, from, destination);
  const over = way.nodes.filter((node) => node !== from && node !== owner).map(nodeRef);
  const by = over.length === 0 ? '' : ` over ${over.join(', ')}`;
  const twice = again === undefined ? '; not looked at again' : '';
  return `${nodeRef(from)} → ${to}${by}: ${sent - received} of ${sent} probes from end to end did not come back${twice}`;
}

function sum(rows: readonly Reach[], name: 'sent' | 'received'): number {
  return rows.reduce((total, row) => total + row[name], 0);
}
