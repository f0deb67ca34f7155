// daemon_restarts: a routing daemon of a node ends and is started again, and again. The node remembers each start; between two of them it may look
// well to every question. Memory does not tell a crash from an operator's command: likely, unless a neighbour lost something with it. Two restarts, and
// those of all daemons of a node at one moment, are an operator at work or an upgrade; what has been well since is a remark.
import { nodeResource } from '#model/names.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { isLostWith, lossesIn } from '../../network/lost-neighbours.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { isOneMoment } from '../../network/remembered.ts';
import { sourcesOf, type View, type World } from '../../network/world.ts';
import { lostWithDaemons } from './lost-with-daemons.ts';

/** `starts`: of the daemon that was started most often; `firstAgoMs` and `lastAgoMs` are of its first and its last start. */
type Detail = {
  readonly node: string;
  readonly daemons: readonly string[];
  readonly starts: number;
  readonly firstAgoMs: number;
  readonly lastAgoMs: number;
};

/** Of starts that belong to one run. FRR's own watchfrr waits ten minutes at most before it starts a daemon again (`--max-restart-interval`). */
export const WITHIN_MS = 600_000;
/** An upgrade stops and starts all daemons once, a reload that fails once more. */
const LEAST_STARTS = 3;
/** Goes on unless it has been quiet for longer than its longest pause, and for this long. */
const QUIET_MS = 60_000;
/** Of two pauses that are one as long as the other. It does not follow how seldom a node is read: what has stopped would be accused for longer. */
const SAMPLE_MS = 10_000;
/** A neighbour notices after its hold time. */
const NOTICED_MS = 60_000;

export const daemonRestarts = defineFault<Detail>({
  id: 'daemon_restarts',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a routing daemon of a node has ended and was started again three times or more, and has not stopped doing so',
  detect: ({ world, past }) =>
    past === undefined ? [...world.views.values()].flatMap((view) => detected(world, view)) : [],
  describe: (detail) => sentence(detail),
  remedy: ({ node, daemons }) => ({
    node,
    summary: `find out why ${daemons.join(', ')} on ${nodeRef(node)} keep${daemons.length === 1 ? 's' : ''} ending`,
    command: 'journalctl -u frr --since -15min',
    decide: 'what ends it: a crash (its log and core file say where), too little memory, or a program that kills it',
  }),
  score: 5,
  // Restarts that are over explain nothing of now.
  consequences: ({ detail, remark }, file) =>
    remark === undefined ? lostWithDaemons(file, detail.node, detail.daemons) : [],
});

function sentence({ node, daemons, starts, firstAgoMs, lastAgoMs }: Detail): string {
  return `${nodeRef(node)}: ${daemons.join(', ')} ended and started again ${starts} times in the last ${ageWords(firstAgoMs)}, last ${ageWords(lastAgoMs)} ago`;
}

function detected(world: World, { node, state, sources }: View): readonly Detection<Detail>[] {
  const starts = startsOf(state);
  const restarting = [...starts].filter(([, ages]) => ages.length >= LEAST_STARTS);
  const going = restarting.filter(([name, ages]) => isDead(state, name) || goesOn(ages));
  const told = going.length > 0 ? going : restarting;
  const [most] = told.map(([, ages]) => ages).sort((one, other) => other.length - one.length);
  if (most === undefined) return [];
  const detail = {
    ...{ node, daemons: told.map(([name]) => name).sort(), starts: most.length },
    ...{ firstAgoMs: most.at(-1)!, lastAgoMs: most[0]! },
  };
  const found = { resource: nodeResource(node), nodes: [node], detail };
  if (going.length === 0) return [{ ...found, evidence: sources, remark: `${sentence(detail)}, and has run since` }];
  const noticed = noticedBy(world, node, new Map(told));
  const confidence = noticed.length > 0 ? 'certain' : 'likely';
  return [{ ...found, confidence, evidence: [...sources, ...sourcesOf(world, ...noticed)] }];
}

/** Neighbours that lost what these daemons speak with one of their starts. */
function noticedBy(world: World, node: string, starts: ReadonlyMap<string, readonly number[]>): readonly string[] {
  const isWith = (kind: HistoryEvent['kind'], agoMs: number) =>
    [...starts].some(
      ([name, ages]) => isLostWith(name, kind) && ages.some((age) => Math.abs(age - agoMs) <= NOTICED_MS),
    );
  const lost = lossesIn(world).filter(({ kind, far, agoMs }) => far.includes(node) && isWith(kind, agoMs));
  return [...new Set(lost.map((loss) => loss.node))];
}

export function isDead({ daemons = [] }: NodeState, name: string): boolean {
  return daemons.some((daemon) => daemon.name === name && !daemon.alive);
}

/**
 * Ages of the starts of each daemon, youngest first, without those of all daemons at one moment. A start is seen as a younger process, or as one that
 * answers again.
 */
function startsOf({ history, daemons = [] }: NodeState): ReadonlyMap<string, readonly number[]> {
  const starts = (history?.settings ?? []).filter(
    ({ kind, setting, was, is, agoMs }) =>
      kind === 'daemon' &&
      setting === undefined &&
      agoMs <= WITHIN_MS &&
      (is === 'restarted' || (was === 'not answering' && is === 'running')),
  );
  // As one command starts them again.
  const isOfAll = (start: SettingChange) =>
    daemons.length > 1 &&
    daemons.every(({ name }) => starts.some((other) => other.subject === name && isOneMoment(other, start)));
  const ages = Map.groupBy(
    starts.filter((start) => !isOfAll(start)),
    ({ subject }) => subject,
  );
  return new Map([...ages].map(([name, rows]) => [name, rows.map(({ agoMs }) => agoMs).sort((a, b) => a - b)]));
}

/** `ages`: of its starts, youngest first. */
export function goesOn(ages: readonly number[]): boolean {
  const pauses = ages.slice(1).map((age, index) => age - ages[index]!);
  return ages[0]! <= Math.max(QUIET_MS, Math.max(...pauses) + SAMPLE_MS);
}
