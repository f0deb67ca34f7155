// Probes of full size along a path as proof of health. A few that were lost are a stray where echoes as long as its MTU over every hop came back;
// else the path is not healthy, whichever hop it is.
import { mtusAlong } from '#measure/path/full-size.ts';
import type { Outcome } from '#model/call.ts';
import type { LinkEnd, ResourceId } from '#model/names.ts';
import { isAboveRate } from '#model/router/packet-match.ts';
import { type CaseFile, type FactWith, factsOf, type Proof } from '../engine/facts.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { interfaceOf, linkOn, otherEnd, type World } from '../network/world.ts';
import { wiresOver } from '../observe/wire.ts';
import { type Attempt, sendersOf } from '../packet-filter/attempts.ts';
import { isLimitedAtOwner, takenAtTheirEnds } from '../packet-filter/own-traffic.ts';

type Seen = Pick<CaseFile, 'facts' | 'world'>;

/** What was planned and not answered is a fact of its own. */
export function fullSizeProof(file: Seen, outcomes: readonly Outcome[]): Proof {
  const rows = factsOf(file, 'full-size');
  const isSmall = ({ value }: FactWith<'full-size'>) => isStrayOf(file, value) || isSound(value);
  const open = rows
    .filter((row) => !isSmall(row))
    .map((row) => ({ row, again: [...againLine(file, row.value), ...asideLine(file, row.value)] }));
  const isPlanned = rows.length > 0 || outcomes.some(({ purpose }) => purpose.kind === 'path-full');
  const tested = rows.map(({ value }) => value.packetBytes);
  return {
    proven: [
      ...rows.filter(isSmall).map(({ value }) => lineOf(value, file)),
      ...open.flatMap(({ again }) => again),
      ...untested(file.world, isPlanned ? tested : undefined),
    ],
    lacking: open.flatMap(({ row, again }) => (again.length > 0 ? [] : [lineOf(row.value, file)])),
  };
}

/** `tested`: sizes of packets; undefined where no probe of full size was planned. */
function untested({ nodes, views }: World, tested: readonly number[] | undefined): readonly string[] {
  const path = nodes.flatMap((node) => {
    const view = views.get(node);
    return view === undefined ? [] : [{ node, state: view.before ?? view.state }];
  });
  const { least, most } = mtusAlong(path);
  if (tested === undefined)
    return least === 0 ? ['not tested: packets of full size, as the MTU of a hop is not known'] : [];
  const largest = Math.max(...tested);
  return tested.length === 0 || most <= largest
    ? []
    : [`not tested: packets of more than ${largest} octets, of which links of the path take up to ${most}`];
}

/** Ways along the path, from head to tail, where the node that full-size probes came to limits what is for itself, and some of them arrived. */
export function limitedFullSize({ world, facts }: Seen): readonly { readonly from: string; readonly to: string }[] {
  const ways = factsOf({ facts }, 'full-size').flatMap(({ value }) => {
    const { from, to, measuredBy, sent, lost } = value;
    const isPart = lost > 0 && lost < sent;
    if (!isPart || !attemptsOf({ world, facts }, value).some((attempt) => isLimitedAtOwner(world, attempt))) return [];
    return [measuredBy === from ? { from, to } : { from: to, to: from }];
  });
  return [...new Map(ways.map((way) => [`${way.from} ${way.to}`, way])).values()];
}

function attemptsOf({ world, facts }: Seen, { from, to, sent }: FullSize): readonly Attempt[] {
  const links = factsOf({ facts }, 'link').map(({ subject }) => subject as ResourceId);
  return ['0.0.0.0', '::'].flatMap((family) => {
    const [sources, [destination]] = [sendersOf(world, from, family), sendersOf(world, to, family)];
    if (destination === undefined) return [];
    return [{ way: { nodes: [from, to], links }, detail: { from, owner: to, destination, sources, sent } }];
  });
}

/**
 * The routes of a node of the path lead these probes off it, there or back, as where a network has two ways out: what became of them says nothing of the
 * path, whose hops carried probes as long each way.
 */
function asideLine(file: Seen, { from, to, packetBytes }: FullSize): readonly string[] {
  const { world, facts } = file;
  const links = factsOf(file, 'link');
  const hops = factsOf({ facts }, 'hop-full').filter(({ value }) => value.packetBytes === packetBytes);
  const isCarried = links.every(({ subject }) =>
    hops.some(({ value }) => value.link === subject && value.sent > 0 && value.lost === 0),
  );
  const aside = factsOf({ facts }, 'probe-loss').flatMap(({ value: { scope, probe, measuredBy } }) => {
    const isOf = scope === 'path' && [from, to].includes(measuredBy) && probe?.segments.length === 0;
    const path = measuredBy === world.nodes[0] ? world.nodes : world.nodes.toReversed();
    return isOf ? [leftPath(world, path, probe.destination) ?? leftPath(world, path.toReversed(), probe.source)] : [];
  });
  const left = aside.find((each) => each !== undefined);
  if (left === undefined || links.length === 0 || !isCarried || hops.some(({ value }) => value.lost > 0)) return [];
  return [
    `not tested: packets of ${packetBytes} octets from ${nodeRef(from)} to ${nodeRef(to)} by their own routes: ${nodeRef(left.node)} sends them off the path, over ${left.ifname}; each hop carries them`,
  ];
}

/** The first node of a path whose route to an address leads elsewhere than to the next one; undefined where none is known to. */
function leftPath(world: World, path: readonly string[], address: string | undefined): LinkEnd | undefined {
  for (const [index, node] of path.slice(0, -1).entries()) {
    const { kind, ifname, ifnames = [ifname] } = world.lookups.get(node)?.get(address ?? '') ?? {};
    if (kind !== 'unicast' || ifname === undefined) return undefined;
    const leads = ifnames.some((each) =>
      linkOn(world, { node, ifname: each ?? '' }).some((link) => otherEnd(link, node).node === path[index + 1]),
    );
    if (!leads) return { node, ifname };
  }
  return undefined;
}

/** Nothing where none arrived at first, no limiter that they came to counted as many, a link may have lost packets, or some were lost again. */
function againLine(file: Seen, first: FullSize): readonly string[] {
  const { world, facts } = file;
  const ends = [first.from, first.to];
  const again = factsOf(file, 'full-size-again')
    .map(({ value }) => value)
    .filter(
      ({ from, to, packetBytes }) => ends.includes(from) && ends.includes(to) && packetBytes === first.packetBytes,
    );
  const same = again.find(({ from }) => from === first.from);
  const took = attemptsOf(file, first)
    .map((attempt) => ({ attempt, lost: first.lost }))
    .flatMap((each) => takenAtTheirEnds(world, facts, [each]).get(each) ?? []);
  const rules = took.filter((rule) => rule.node === first.to && isAboveRate(rule));
  // Beside what else goes to that node the limiter may take one again.
  const isWhole = ({ sent, lost }: FullSize) => sent > 0 && lost <= 1;
  if (same === undefined || !again.every(isWhole) || rules.length === 0 || first.lost === first.sent) return [];
  if (!areWiresSound(file)) return [];
  const by = [...new Set(rules.map(({ node, acl }) => `${acl} of ${nodeRef(node)}`))].join(' and ');
  return [
    `${lineOf(same, file)} when they were sent again, half as fast; at first ${first.lost} were lost, and ${by} limits what is for that node`,
  ];
}

/** No hop lost full-size probes of its own, and by the counters of both ends no link that is up at both ends lost any packet. */
export function areWiresSound(file: Seen): boolean {
  const isUp = ({ value: { from, to } }: FactWith<'link'>) =>
    [from, to].every((end) => interfaceOf(file.world, end)?.operUp !== false);
  const links = factsOf(file, 'link').filter(isUp);
  const isWhole = ({ value: { from, to } }: FactWith<'link'>) =>
    [
      { one: from, other: to },
      { one: to, other: from },
    ].every(({ one, other }) =>
      wiresOver(file, { from: one, to: other }).some(({ value }) => value.comparable && value.lostAtLeast === 0),
    );
  return links.length > 0 && links.every(isWhole) && factsOf(file, 'hop-full').every(({ value }) => value.lost === 0);
}

type FullSize = FactWith<'full-size'>['value'];

function isSound({ sent, lost }: FullSize): boolean {
  return sent > 0 && lost === 0;
}

function isStrayOf(file: Pick<CaseFile, 'facts'>, { sent, lost }: FullSize): boolean {
  return sent > 0 && !isLoss(sent, lost) && areHopsSound(file);
}

/** Each hop carried echoes as long as its MTU, and lost none. */
function areHopsSound(file: Pick<CaseFile, 'facts'>): boolean {
  const hops = factsOf(file, 'link');
  return hops.length > 0 && hops.every(({ subject }) => lostOver(file, subject) === 0);
}

/** Of echoes as long as the MTU of a link; undefined where none was sent over it. */
function lostOver(file: Pick<CaseFile, 'facts'>, key: string): number | undefined {
  const isOver = ({ link, traffic }: FactWith<'link-class'>['value']) => link === key && traffic === 'large-icmp';
  const { sent, lost } = factsOf(file, 'link-class').find(({ value }) => isOver(value))?.value.again ?? {
    sent: 0,
    lost: 0,
  };
  return sent === 0 ? undefined : lost;
}

function lineOf(value: FullSize, file: Pick<CaseFile, 'facts'>): string {
  const { from, to, packetBytes, sent, lost, directionKnown } = value;
  const way = `${nodeRef(from)} → ${nodeRef(to)}`;
  if (sent === 0) return `${way}: no probe of ${packetBytes} octets left ${nodeRef(from)}`;
  const arrived = directionKnown ? 'arrived' : 'came back';
  const base = `${way}: ${sent - lost} of ${sent} probes of ${packetBytes} octets ${arrived}`;
  if (lost === 0) return base;
  if (!areHopsSound(file)) return base;
  return isLoss(sent, lost)
    ? `${base}, though echoes as long as its MTU over each hop did: where the others were lost is not known`
    : `${base}; the rest is a stray, as echoes as long as its MTU over each hop all came back`;
}
