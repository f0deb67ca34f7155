// session_flap: a BGP session or an IS-IS adjacency over one link is lost again and again and comes back each time, while the carrier of the link stands and no
// probe over it is lost. What the question finds at its moment may be well. Both ends remember it; why, their states do not say. Lost with its daemon or with
// packets it is the consequence of another fault; by an operator's hand, as the states, the memory or the logs of its ends say, a remark.
import type { LinkEnd } from '#model/names.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { type Fact, factsOf } from '../../engine/facts.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { isLoss } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { longestPauseMs, UNTOLD_PAUSE_MS } from '../../network/remembered.ts';
import { peerEnd, sourcesOf, type World, type WorldLink } from '../../network/world.ts';
import { unsettledRoutes } from '../../symptoms/consequences.ts';
import { goesOn } from '../nodes/daemon-restarts.ts';

type Detail = {
  readonly node: string;
  readonly ends: readonly string[];
  readonly protocol: 'BGP' | 'IS-IS';
  readonly losses: number;
  readonly firstAgoMs: number;
  readonly lastAgoMs: number;
  /** In FRR's words, where it says why. */
  readonly reason?: string;
};

/** Of losses that belong together. */
const WITHIN_MS = 600_000;
const LEAST_LOSSES = 3;

export const sessionFlap = defineFault<Detail>({
  id: 'session_flap',
  resource: 'link',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a BGP session or an IS-IS adjacency over a link is lost again and again, and comes back, while the link itself is well',
  detect: ({ world, facts, past }) =>
    past === undefined ? world.links.flatMap((link) => detected(world, facts, link)) : [],
  describe: (detail) => sentence(detail),
  remedy: ({ node, protocol, ends }) => ({
    node,
    summary: `find out why ${protocol} between ${ends.map(nodeRef).join(' and ')} keeps going down`,
    decide:
      'whether an operator or a program clears it (a log says so with `log-adjacency-changes` and `bgp log-neighbor-changes` alone), hold times are too short for these routers, a daemon is starved of processor time, or a filter or a rate limit drops hellos now and then',
  }),
  score: 2,
  consequences: ({ link }, file) =>
    link === undefined
      ? []
      : [
          ...file.symptoms
            .filter((each) => each.link?.key === link.key && ['isis', 'bgp', 'bfd'].includes(each.kind))
            .map(shareOf),
          ...unsettledRoutes(file, [link.from, link.to]),
        ],
});

function sentence({ ends, protocol, losses, firstAgoMs, lastAgoMs, reason }: Detail): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${protocol} ${ends.map(nodeRef).join(' – ')} was lost ${losses} times in the last ${ageWords(firstAgoMs)}, last ${ageWords(lastAgoMs)} ago, and came back each time before${why}`;
}

function detected(world: World, facts: readonly Fact[], link: WorldLink): readonly Detection<Detail>[] {
  const ends = [link.from, link.to] as const;
  if (losesPackets(facts, link)) return [];
  return (['BGP', 'IS-IS'] as const).flatMap((protocol): readonly Detection<Detail>[] => {
    if (ends.some((end) => isDisturbed(world, end, protocol))) return [];
    const told = [lossesAt(world, protocol, link.from, link.to), lossesAt(world, protocol, link.to, link.from)];
    const [fewer, more] = told.map((ages) => ages.length).sort((one, other) => one - other);
    // Each end sees what the other does: one that saw none contradicts it.
    if (more! < LEAST_LOSSES || (fewer === 0 && ends.every(({ node }) => world.views.has(node)))) return [];
    const ages = told.find((each) => each.length === more)!;
    if (!goesOn(ages) || ends.some(({ node }) => !hasRun(world, node, protocol, ages.at(-1)!))) return [];
    const reasons =
      protocol === 'BGP' ? [reasonAt(world, link.from, link.to), reasonAt(world, link.to, link.from)] : [];
    if (reasons.some((reason) => reason !== undefined && AT_LIMIT.test(reason))) return [];
    const [reason] = reasons.filter((each) => each !== undefined);
    const nodes = ends.map(({ node }) => node).sort();
    const detail = {
      ...{ node: nodes[0]!, ends: nodes, protocol, losses: ages.length, firstAgoMs: ages.at(-1)!, lastAgoMs: ages[0]! },
      ...(reason === undefined ? {} : { reason }),
    };
    const found = {
      ...{ resource: link.key, key: protocol, nodes, link, detail },
      evidence: [...sourcesOf(world, ...nodes), ...nodes.flatMap((node) => world.logs.get(node)?.source ?? [])],
    };
    const byHand = BY_HAND.test(reasons.join()) ? 'by its last reset' : operatorsOwn(world, protocol, link, ages);
    if (byHand !== undefined)
      return [{ ...found, remark: `${sentence(detail)}; this was an operator's doing, ${byHand}` }];
    return [{ ...found, confidence: 'likely' }];
  });
}

/** At its limit of prefixes, which has a name of its own. */
const AT_LIMIT = /number of prefixes|prefix count/i;
/** Words of FRR for a session that ended because of a command, or with its interface. */
const BY_HAND =
  /user|admin|config|delete|add member|policy|interface|shutdown|clear|hard reset|address family|chang|turned on or off|vrf/i;
/** A change makes a neighbour lose a session or adjacency by its hold time at the latest. */
const AFTER_CHANGE_MS = 30_000;
/** Of the times of one event, as two nodes tell it. */
const SAMPLE_MS = 10_000;

/** By what it is known that too few losses remain beside those that an operator made. */
function operatorsOwn(
  world: World,
  protocol: Detail['protocol'],
  { from, to }: WorldLink,
  ages: readonly number[],
): string | undefined {
  const ways = [
    [from, to],
    [to, from],
  ] as const;
  const set = ways.flatMap(([near, far]) => (isSetOtherwise(world, protocol, near, far) ? [near.node] : []));
  if (set.length > 0) return `since its settings were changed on ${set.map(nodeRef).join(' and ')} in that time`;
  const cleared = ways.map(([near, far]) => clearedAt(world, protocol, near, far));
  const states = [from, to].flatMap(({ node }) => world.views.get(node)?.state ?? []);
  const commits = states.flatMap(({ history }) => history?.commits ?? []);
  // A loss is as old as the reading that showed it, or older by up to the pause before.
  const seenLateMs = Math.max(SAMPLE_MS, ...states.map((state) => longestPauseMs(state, WITHIN_MS) ?? UNTOLD_PAUSE_MS));
  const left = ages.filter(
    (ageMs) =>
      !commits.some(({ agoMs }) => agoMs >= ageMs - SAMPLE_MS && agoMs <= ageMs + AFTER_CHANGE_MS + seenLateMs),
  );
  if (left.length - cleared[0]! - cleared[1]! >= LEAST_LOSSES) return undefined;
  if (left.length < ages.length) return `after changes of the configuration through Parley`;
  const logs = ways.flatMap(([{ node }], index) => (cleared[index]! > 0 ? [nodeRef(node)] : []));
  return logs.length === 0 ? undefined : `by the log of ${logs.join(' and ')}`;
}

/** How often the log of the near end says that an operator cleared it. */
function clearedAt(world: World, protocol: Detail['protocol'], near: LinkEnd, far: LinkEnd): number {
  const mine = (world.logs.get(near.node)?.signs ?? []).filter(({ kind, about }) =>
    protocol === 'BGP'
      ? kind === 'bgp-cleared' && isWith(world, near, about, far)
      : kind === 'isis-cleared' && about === near.ifname,
  );
  return mine.reduce((sum, { count }) => sum + count, 0);
}

/** Of the interface, or of this session. */
function isSetOtherwise(world: World, protocol: Detail['protocol'], near: LinkEnd, far: LinkEnd): boolean {
  const settings = world.views.get(near.node)?.state.history?.settings ?? [];
  return settings.some(
    ({ kind, subject, agoMs }) =>
      agoMs <= WITHIN_MS &&
      ((INTERFACE_KINDS.includes(kind) && subject === near.ifname) ||
        (protocol === 'BGP' && kind === 'session' && isWith(world, near, subject, far))),
  );
}

const INTERFACE_KINDS: readonly string[] = ['admin', 'mtu', 'address', 'metric'];

const SPEAKERS = { BGP: ['bgpd', 'zebra'], 'IS-IS': ['isisd', 'zebra'] } as const;

/** The daemons that speak it have been running since before the first loss. */
function hasRun(world: World, node: string, protocol: Detail['protocol'], firstAgoMs: number): boolean {
  const speakers: readonly string[] = SPEAKERS[protocol];
  const daemons = (world.views.get(node)?.state.daemons ?? []).filter(({ name }) => speakers.includes(name));
  return daemons.every(({ alive, upMs = firstAgoMs }) => alive && upMs >= firstAgoMs);
}

/** Ages of the losses that an end remembers, youngest first. */
function lossesAt(world: World, protocol: Detail['protocol'], near: LinkEnd, far: LinkEnd): readonly number[] {
  const isOver = ({ kind, subject }: HistoryEvent) =>
    protocol === 'BGP'
      ? kind === 'session' && isWith(world, near, subject, far)
      : kind === 'adjacency' && subject.split(' ')[0] === near.ifname;
  const lost = eventsAt(world, near).filter((event) => !event.up && isOver(event) && event.agoMs <= WITHIN_MS);
  // Of IPv4 and IPv6, and of both levels: what is lost at one moment is lost once.
  const subjects = Map.groupBy(lost, ({ subject }) => subject);
  const most = [...subjects.values()].reduce((best, each) => (each.length > best.length ? each : best), []);
  return most.map(({ agoMs }) => agoMs).sort((one, other) => one - other);
}

/** A session of the near node with this peer is with the far end. */
function isWith(world: World, near: LinkEnd, peer: string, far: LinkEnd): boolean {
  const end = peerEnd(world, near.node, peer);
  return end?.node === far.node && end.ifname === far.ifname;
}

function eventsAt(world: World, { node }: LinkEnd): readonly HistoryEvent[] {
  return world.views.get(node)?.state.history?.events ?? [];
}

/** Its carrier changed, or what speaks over it or the node was started again. */
function isDisturbed(world: World, end: LinkEnd, protocol: Detail['protocol']): boolean {
  const isCarrier = ({ kind, subject, agoMs }: HistoryEvent) =>
    kind === 'carrier' && subject === end.ifname && agoMs <= WITHIN_MS;
  const speakers: readonly string[] = [...SPEAKERS[protocol], 'bfdd'];
  const settings = world.views.get(end.node)?.state.history?.settings ?? [];
  const isStart = settings.some(
    ({ kind, subject, setting, agoMs }) =>
      agoMs <= WITHIN_MS &&
      (kind === 'reboot' || (kind === 'daemon' && setting === undefined && speakers.includes(subject))),
  );
  return isStart || eventsAt(world, end).some(isCarrier);
}

function losesPackets(facts: readonly Fact[], { key, from, to }: WorldLink): boolean {
  const nodes = [from.node, to.node];
  return factsOf({ facts }, 'probe-loss').some(
    ({ value }) =>
      isLoss(value.sent, value.lost) &&
      (value.link === key || (nodes.includes(value.from) && nodes.includes(value.to))),
  );
}

function reasonAt(world: World, near: LinkEnd, far: LinkEnd): string | undefined {
  const rows = world.views.get(near.node)?.state.bgp?.sessions ?? [];
  const row = rows.find(({ peer }) => isWith(world, near, peer, far));
  return row?.notification ?? row?.lastReset;
}
