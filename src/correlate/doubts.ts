// What a round of measurements leaves in doubt: symptoms, losses and trains of a case, as the planners of the next round read them
// (measure/doubts.ts). Judges nothing.
import type { Doubts } from '#measure/doubts.ts';
import { filteredServices } from '#measure/hosts/filtered-services.ts';
import { hostScan } from '#measure/hosts/host-scan.ts';
import { rangeAround } from '#measure/lengths.ts';
import { linkProbes } from '#measure/links/link-probes.ts';
import { srv6Probes } from '#measure/links/srv6-probes.ts';
import { readingsOf } from '#measure/measurement.ts';
import { dscpProbes } from '#measure/nodes/dscp-probes.ts';
import { sourcesOf, usualSource } from '#measure/probe-sources.ts';
import { scopeLinks } from '#measure/scope-links.ts';
import type { States } from '#measure/states.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Link } from '#model/links/links.ts';
import { asTold } from '#model/links/relayed.ts';
import { linkResource } from '#model/names.ts';
import type { FarEnd } from '#model/purpose.ts';
import { type CaseFile, factsOf } from './engine/facts.ts';
import { lossSymptomsOf } from './engine/loss-symptom.ts';
import type { SharedSymptomKind } from './engine/symptom.ts';
import { sessionFlap } from './faults/sessions/session-flap.ts';
import { limitedFullSize } from './health/proof-full-size.ts';
import { doubtfulNetworks } from './health/proof-networks.ts';
import { doubtfulReaches, isFromUnrouted } from './health/proof-reach.ts';
import { echoesOver, walk } from './network/forwarding.ts';
import { attachedTo } from './network/hosts.ts';
import { hadWayBack } from './network/lost-routes.ts';
import { withOwedReaches } from './network/owed.ts';
import { ownerOf, type Reach, type View, type World } from './network/world.ts';
import { toBeProven } from './observe/linkless.ts';
import { isNewInTheWay } from './packet-filter/dropping-rules.ts';
import { doubtfulTrains } from './symptoms/links/bottleneck.ts';
import { linksThatLoseLarge } from './symptoms/links/large-probes.ts';
import { isOfAll } from './symptoms/links/length-loss.ts';
import { nonReportingSymptom } from './symptoms/links/non-reporting.ts';
import { slowLinkSymptom } from './symptoms/links/slow-link.ts';
import { routeSymptom } from './symptoms/routes.ts';

/** Symptoms whose reason the logs of both ends may contain. */
const ROUTING: readonly SharedSymptomKind[] = ['isis', 'ospf', 'bgp'];

/** `answers` are those of the last round; `file` is made of all so far. */
export function doubtsOf(file: CaseFile, states: States, answers: readonly Evidence[]): Doubts {
  const measured = answers.map(asTold);
  const { world, symptoms } = file;
  const slow = new Set(slowLinkSymptom.of(file).flatMap(({ link }) => (link ? keyOf(link.link) : [])));
  const links = scopeLinks(states);
  const linksOf = byKey(world, links);
  const owed = file.path.length > 0 ? withOwedReaches(world) : world;
  const isLossyPath = file.path.length > 0 && lossSymptomsOf(file).length > 0;
  const limited = limitedFullSize(file);
  const reaches = doubtfulReaches(owed)
    // What a lossy path lost of these is its loss.
    .filter(({ received }) => !isLossyPath || received === 0)
    .flatMap((row) => lookedAtAgain(world, states, row));
  return {
    ...lossesIn(links, measured),
    echoesLost: world.links.filter((link) => echoesOver(world, link).lost > 0).map(({ link }) => link),
    classes: [...classesIn(file, linksOf), ...largeIn(file, linksOf), ...fullAlong(file, linksOf)],
    lengths: lengthsIn(file, linksOf),
    slow: links.filter((link) => slow.has(keyOf(link))),
    narrow: narrowIn(file, linksOf),
    reaches,
    muteHosts: muteHostsIn(world, states),
    limited,
    // Where a limiter took what the path seems to lose, what came later may have passed.
    networks: isLossyPath && limited.length === 0 ? [] : doubtfulNetworks(world, file.facts),
    unseen: toBeProven(world),
    through: passedBy(world, reaches),
    scans: readingsOf(hostScan, measured).flatMap(({ node, value }) => value.map((port) => ({ ...port, node }))),
    tries: readingsOf(filteredServices, measured).flatMap(({ node, value }) =>
      value.map((result) => ({ ...result, from: node })),
    ),
    dhcp: world.dhcp,
    serviceProbes: world.serviceProbes,
    nonReporting: new Set(nonReportingSymptom.of(file).map(({ detail }) => detail.router)),
    routingEnds: [
      ...symptoms.flatMap(({ kind, nodes }) => (ROUTING.some((each) => each === kind) ? nodes : [])),
      ...sessionFlap.symptoms.of(file).flatMap(({ nodes }) => nodes),
    ],
    routes: symptoms.some(routeSymptom.is),
    ...filteredAlong(file),
  };
}

function filteredAlong({ path, world }: CaseFile): Pick<Doubts, 'filtered'> {
  const isInTheWay = ({ node, state }: View) => state.filters.some((rule) => isNewInTheWay(world, node, rule));
  if (path.length === 0 || ![...world.views.values()].some(isInTheWay)) return {};
  return { filtered: new Map([...world.views].map(([node, { state }]) => [node, state])) };
}

/** Nothing, where no answer can find back to any address of the sender. */
function lookedAtAgain(world: World, states: States, row: Reach): Doubts['reaches'] {
  const again = withSender(world, states, row);
  return again.sender === undefined && isFromUnrouted(world, row) ? [] : [again];
}

function withSender(world: World, states: States, row: Reach): Doubts['reaches'][number] {
  const { from, destination, received } = row;
  const owner = received > 0 ? undefined : ownerOf(world, destination)?.node;
  const sender = owner === undefined ? undefined : otherSender(world, states, row, owner);
  return { from, destination, ...(sender === undefined ? {} : { sender }) };
}

/**
 * Another own address of the sender to try from, where nothing leads back from the node that answers, or has the host that does, to the one that was
 * used, and something does, or may, to that one.
 */
function otherSender(
  world: World,
  states: States,
  { from, destination, sender }: Pick<Reach, 'from' | 'destination' | 'sender'>,
  owner: string,
): string | undefined {
  const state = states.get(from);
  if (state === undefined) return undefined;
  const family = destination.includes(':') ? 6 : 4;
  const used = sender ?? usualSource(state, family);
  const endings = (address: string) => walk(world, owner, address).endings.map(({ kind }) => kind);
  // What was answered before, and is not now, is a loss: another address would only hide it.
  if (used === undefined || hadWayBack(world, owner, used)) return undefined;
  if (endings(used).some((kind) => kind === 'delivered' || kind === 'unknown')) return undefined;
  const others = sourcesOf(states, from, family).filter((address) => address !== used);
  const isWhole = (address: string) => endings(address).every((kind) => kind === 'delivered');
  // A way that leaves the nodes that were asked may lead back all the same.
  const isOpen = (address: string) => endings(address).every((kind) => kind === 'delivered' || kind === 'unknown');
  return others.find(isWhole) ?? others.find(isOpen);
}

/** Of the host that the question is about no echo came back to these nodes. */
function muteHostsIn(world: World, states: States): NonNullable<Doubts['muteHosts']> {
  const { destination } = world;
  if (destination === undefined) return [];
  const router = attachedTo(world, destination)?.node;
  const echoes = world.serviceProbes.filter(
    (each) => each.destination === destination && each.service === 'echo' && each.via === undefined,
  );
  return [...Map.groupBy(echoes, ({ from }) => from)].flatMap(([from, mine]) => {
    const used = mine[0]?.sender;
    if (mine.some(({ answered }) => answered)) return [];
    const tried = { from, destination, ...(used === undefined ? {} : { sender: used }) };
    const sender = router === undefined || router === from ? undefined : otherSender(world, states, tried, router);
    return [
      { from, destination, ...(used === undefined ? {} : { used }), ...(sender === undefined ? {} : { sender }) },
    ];
  });
}

/** Nodes that are on the ways of lost probes from end to end and at neither end of them. */
function passedBy(world: World, reaches: Doubts['reaches']): readonly string[] {
  const counts = new Map<string, number>();
  for (const { from, destination } of reaches) {
    const owners = (world.owners.get(destination) ?? []).map(({ node }) => node);
    for (const node of walk(world, from, destination).nodes)
      if (node !== from && !owners.includes(node)) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([node]) => node);
}

/** Links that lost probes, the worst first. */
function lossesIn(all: readonly Link[], measured: readonly Evidence[]): Pick<Doubts, 'lossy' | 'dead'> {
  const worst = new Map<string, number>();
  const probes = [
    ...readingsOf(linkProbes, measured),
    ...readingsOf(srv6Probes, measured),
    ...readingsOf(dscpProbes, measured),
  ];
  for (const { purpose, value } of probes) {
    if (value.sent === 0 || value.received >= value.sent) continue;
    // That large probes alone are lost is a matter of sizes.
    if (purpose.kind === 'link-train' && value.received === 0) continue;
    worst.set(keyOf(purpose), Math.max(worst.get(keyOf(purpose)) ?? 0, 1 - value.received / value.sent));
  }
  const worstLoss = (link: Link) => worst.get(keyOf(link)) ?? 0;
  const links = all.filter((link) => worstLoss(link) > 0).sort((one, other) => worstLoss(other) - worstLoss(one));
  return { lossy: links.filter((link) => worstLoss(link) < 1), dead: links.filter((link) => worstLoss(link) === 1) };
}

/** Links of the scope by the key that they have in the world. */
type LinksOf = (key: string) => readonly Link[];

function byKey({ links }: World, scope: readonly Link[]): LinksOf {
  const scoped = new Map(scope.map((link) => [keyOf(link), link]));
  const found = Map.groupBy(links, ({ key }) => key as string);
  return (key) => (found.get(key) ?? []).flatMap((each) => scoped.get(keyOf(each.link)) ?? []);
}

/** Those that lost the most first. */
function classesIn(file: CaseFile, linksOf: LinksOf): Doubts['classes'] {
  return factsOf(file, 'link-class')
    .filter(({ value }) => value.lost > 0)
    .sort((one, other) => other.value.lost - one.value.lost)
    .flatMap(({ value: { link: key, traffic } }) => linksOf(key).map((link) => ({ link, traffic })));
}

/** Those that lost the most first. Where small probes are lost as well, the length does not matter. */
function lengthsIn(file: CaseFile, linksOf: LinksOf): NonNullable<Doubts['lengths']> {
  const runs = factsOf(file, 'link-lengths');
  const worstFirst = [...runs].sort((one, other) => other.value.lost.length - one.value.lost.length);
  return worstFirst.flatMap(({ value: { link: key, round, tested, lost, headerBytes } }) => {
    const world = file.world.links.find((each) => each.key === key);
    const range = round === 'first' ? rangeAround(tested, lost) : undefined;
    if (world === undefined || range === undefined || isOfAll(file.facts, world)) return [];
    const payloads = { least: range.least - headerBytes, most: range.most - headerBytes };
    return linksOf(key).map((link) => ({ link, ...payloads }));
  });
}

/** Links that lose large probes and no small ones: small and large echoes over them tell whether it is their size. */
function largeIn(file: CaseFile, linksOf: LinksOf): Doubts['classes'] {
  return linksThatLoseLarge(file.facts).flatMap(linksOf).flatMap(inEachSize);
}

/**
 * Every hop of a path that lost probes of full size, whichever they were lost at. Not one that lost small probes as well: that loss says where by
 * itself, and what a second look sends there would make its counters say less.
 */
function fullAlong(file: CaseFile, linksOf: LinksOf): Doubts['classes'] {
  if (!losesMoreAtFullSize(file)) return [];
  const lossy = lossSymptomsOf(file).filter(({ fact }) => fact.value.scope === 'segment');
  const isLossy = (from: string, to: string) =>
    lossy.some(({ fact: { value } }) => [value.from, value.to].sort().join(' ') === [from, to].sort().join(' '));
  return factsOf(file, 'link').flatMap(({ value: { from, to } }) =>
    isLossy(from.node, to.node) ? [] : linksOf(linkResource(from, to)).flatMap(inEachSize),
  );
}

/** Standard deviations, and strays beside them, by which full-size probes of a direction are lost more often than small ones. */
const DEVIATIONS = 3;
const STRAYS = 2;

/** Some were lost, and along a lossy path more than the loss of small ones takes: a second look costs the lossy hop's counters some of their certainty. */
function losesMoreAtFullSize(file: CaseFile): boolean {
  const small = factsOf(file, 'probe-loss').filter(({ value }) => value.scope === 'path');
  return factsOf(file, 'full-size').some(({ value: { from, to, sent, lost } }) => {
    const same = small.find(({ value }) => value.from === from && value.to === to)?.value;
    const share = same === undefined || same.sent === 0 ? 0 : same.lost / same.sent;
    const expected = sent * share;
    return lost > 0 && (share === 0 || lost > expected + DEVIATIONS * Math.sqrt(expected * (1 - share)) + STRAYS);
  });
}

function inEachSize(link: Link): Doubts['classes'] {
  return (['icmp', 'large-icmp'] as const).map((traffic) => ({ link, traffic }));
}

function narrowIn({ facts }: CaseFile, linksOf: LinksOf): Doubts['narrow'] {
  const { suspects, others } = doubtfulTrains(facts);
  return [...suspects, ...others.map((key) => [key, {}] as const)].flatMap(([key, passage]) =>
    linksOf(key).map((link) => ({ link, ...passage })),
  );
}

function keyOf({ from, to }: { readonly from: FarEnd; readonly to: FarEnd }): string {
  return [from, to]
    .map(({ node, ifname }) => `${node}:${ifname}`)
    .sort()
    .join(' ');
}
