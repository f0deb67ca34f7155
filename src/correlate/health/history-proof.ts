// Whether it is proven that nothing was wrong in the time that was asked about: every node and every link of the scope was watched for
// all of it, and the watch saw nothing that is not explained. Else what was not watched, by name. What lasted for less than the longest pause
// between two readings of a node's state may not have been seen, and the proof says how long that was.
import type { Verdict } from '#model/finding.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { ageWords, reachWords } from '#model/settings/change-words.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import { momentsLeft } from '../history/moments.ts';
import { unexplainedDhcp } from '../history/past-dhcp.ts';
import { looksOf } from '../history/past-hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { longestPauseMs } from '../network/remembered.ts';
import { linkOn, type View, type World } from '../network/world.ts';
import { damageAt, type Watch, watchesOf } from '../observe/monitor-rounds.ts';
import { hypothesisOf } from '../text/hypothesis.ts';
import { explainedLosses, isOfDays, LIMITS_OF_DAYS, type Maintained, unprovenDays } from './days-proof.ts';

/** A watch of a link that pauses for longer misses what is that short: rounds are two seconds, nodes tell them a round late. */
const GAP_MS = 8_000;
/** Nodes keep rounds for so long. */
const ROUNDS_MS = 300_000;
/** A shorter memory proves nothing of the past. */
const WORTH_MS = 60_000;
/** Events are of samples that are two seconds apart. */
const LEAST_PAUSE_MS = 2_000;
/** Lost probes of one link that may be strays. */
const STRAYS = 1;
/** Nodes rest for twenty seconds at most: one that read no whole state for longer did not watch itself. */
const LONGEST_PAUSE_MS = 45_000;

/** `doubts`: what may have been wrong, as it is not known what a node was like at that time; each is withheld. */
export function provenPast(
  verdict: Verdict,
  world: World,
  isMaintained: Maintained = () => false,
  doubts: readonly Proposal[] = [],
): Verdict {
  if (verdict.kind !== 'healthy' || world.sinceMs === undefined) return verdict;
  const sinceMs = askedMs(world, world.sinceMs);
  const isDays = isOfDays(world, ROUNDS_MS);
  const unproven = isDays
    ? [...silentIn(world), ...unprovenDays(world, sinceMs, isMaintained)]
    : unwatched(world, sinceMs);
  const missing = [...unproven, ...doubts.map(doubtLine)];
  if (missing.length === 0) {
    const explained = isDays ? explainedLosses(world, sinceMs, isMaintained) : 0;
    const noticed = `noticed nothing${explained === 0 ? '' : ` but lost neighbours at a reboot, restart, commit or maintenance (${explained} times)`}`;
    const watched = `nodes watched their links, and their hosts where they have any, for all of the ${isDays ? 'last ' : ''}${ageWords(sinceMs)} and ${noticed}; ${isDays ? LIMITS_OF_DAYS : limitsOfProof(world, sinceMs)}`;
    return { kind: 'healthy', reasons: [watched, ...unseenMoments(world), ...verdict.reasons] };
  }
  const start = 'nothing is wrong now, and nothing was in what the nodes remember; ';
  return {
    kind: 'inconclusive',
    reasons: missing.map((each, index) => `${index === 0 ? start : ''}not known: ${each}`),
  };
}

function doubtLine(proposal: Proposal): string {
  return `whether there was ${hypothesisOf(proposal)}: ${proposal.withheld}`;
}

/** What is not watched, and is said with every proof. */
function limitsOfProof({ views }: World, sinceMs: number): string {
  const all = [...views.values()].map(({ node, state }) => ({ node, pauseMs: longestPauseMs(state, sinceMs) }));
  const untold = all.filter(({ pauseMs }) => pauseMs === undefined).map(({ node }) => nodeRef(node));
  const longestMs = Math.max(LEAST_PAUSE_MS, ...all.map(({ pauseMs = 0 }) => pauseMs));
  const others =
    untold.length === 0 ? '' : `, or a few seconds more at ${untold.join(', ')}, whose agents do not tell it`;
  const short = untold.length === all.length ? 'a few seconds' : `${ageWords(longestMs)}${others}`;
  return `not watched: how much links can carry, addresses that no host asked for, and what lasted less than ${short}`;
}

/** Earlier states of nodes are looked at again, of many the latest. */
function unseenMoments(world: World): readonly string[] {
  const left = momentsLeft(world);
  return left === 0
    ? []
    : [`not tested: what nodes were like at ${left} earlier times, as only the latest are looked at again`];
}

/** Without a time in the question: as far back as every node in scope remembers and watched, where that is worth a proof. */
function askedMs(world: World, sinceMs: number): number {
  if (world.asFarAsKnown !== true) return sinceMs;
  const spans = [...world.views.values()].map(({ state }) =>
    Math.min(spanOf(state), ...(state.history?.watched ?? []).map(({ forMs }) => forMs)),
  );
  const rounds = watchesOf(world).map((watch) => Math.max(0, ...watch.rounds.map(({ agoMs }) => agoMs)));
  const recorded = [...world.views.values()].map(({ state: { history } }) => history?.spanMs ?? 0);
  const reaches = isOfDays(world, ROUNDS_MS) ? recorded : [...spans, ...rounds];
  const least = Math.min(...reaches) - GAP_MS;
  return least >= WORTH_MS ? least : sinceMs;
}

function silentIn(world: World): readonly string[] {
  return world.nodes
    .filter((node) => !world.views.has(node) && !world.agentless?.has(node))
    .map((node) => `${nodeRef(node)} did not answer`);
}

function unwatched(world: World, sinceMs: number): readonly string[] {
  const watches = watchesOf(world);
  return [
    ...silentIn(world),
    ...[...world.views.values()].flatMap((view) => unwatchedBy(world, view, sinceMs)),
    ...[...world.views.keys()].flatMap((node) => {
      const damaged = damageAt(world, node, sinceMs, 0) ?? 0;
      return damaged === 0
        ? []
        : [`${nodeRef(node)} noticed ${damaged} packets with a wrong checksum, over a link that is not known`];
    }),
    ...world.links.flatMap(({ key, from, to }) => {
      const mine = watches.filter(({ link }) => link.key === key);
      const name = `${nodeRef(from.node)} ${from.ifname} – ${nodeRef(to.node)} ${to.ifname}`;
      const why = mine.map((watch) => gapOf(watch, sinceMs));
      if (mine.length === 0) return [`neither end of ${name} probed it all the time`];
      return why.includes(undefined) ? [] : [`${name}: ${why[0]}`];
    }),
  ];
}

function unwatchedBy(world: World, view: View, sinceMs: number): readonly string[] {
  const { node, state } = view;
  const watched = state.history?.watched ?? [];
  const { hostsMs = 0, servicesMs = 0 } = state.history?.watchedHosts ?? {};
  const forMs = (what: string) =>
    Math.max(
      { hosts: hostsMs, services: servicesMs }[what] ?? 0,
      watched.find((each) => each.what === what)?.forMs ?? 0,
    );
  const remembers = spanOf(state);
  const pauseMs = longestPauseMs(state, sinceMs) ?? 0;
  const hosts = (state.history?.hosts ?? []).some(({ ifname }) => linkOn(world, { node, ifname }).length === 0);
  const services = (state.history?.services ?? []).length > 0;
  const wanted = ['links', ...(hosts ? ['hosts'] : []), ...(services ? ['services'] : [])];
  const short = wanted.filter((what) => forMs(what) < sinceMs);
  return [
    ...(remembers < sinceMs ? [`${nodeRef(node)} ${reachWords(remembers)}`] : []),
    ...(pauseMs > LONGEST_PAUSE_MS ? [`${nodeRef(node)} could not read its whole state for ${ageWords(pauseMs)}`] : []),
    ...(looksOf(view, sinceMs).length > 0
      ? [`${nodeRef(node)} saw hosts that were not as usual, and nothing says why`]
      : []),
    ...unexplainedDhcp(world, view, sinceMs),
    ...short.map((what) =>
      forMs(what) === 0
        ? `${nodeRef(node)} does not watch its ${what}`
        : `${nodeRef(node)} has been watching its ${what} for ${ageWords(forMs(what))}`,
    ),
  ];
}

/** How far back a node remembers its events and its states. */
function spanOf({ history }: NodeState): number {
  return Math.min(history?.spanMs ?? 0, history?.stateReadings?.reachMs ?? Number.POSITIVE_INFINITY);
}

/** Why the probes over a link do not prove that it was well all the time. */
function gapOf({ rounds }: Watch, sinceMs: number): string | undefined {
  const asked = rounds.filter(({ agoMs }) => agoMs <= sinceMs + GAP_MS);
  const ages = [sinceMs, ...asked.map(({ agoMs }) => Math.min(agoMs, sinceMs)), 0];
  const gap = Math.max(...ages.slice(1).map((agoMs, index) => ages[index]! - agoMs));
  if (gap > GAP_MS) return `not probed for ${ageWords(gap)}`;
  const inside = asked.filter(({ agoMs }) => agoMs <= sinceMs);
  const dark = inside.filter(({ usable }) => !usable).length;
  if (dark > 0) return `the probes tell nothing of ${dark * 2} s: the link, or a node, was out or too busy`;
  const lost = inside.reduce((total, { lostOut, lostBack }) => total + lostOut + lostBack, 0);
  const sent = inside.reduce((total, round) => total + round.sent, 0);
  return lost > STRAYS ? `${lost} of ${sent} probes lost, too few or too many at once to say why` : undefined;
}
