// daemon_restarts: a routing daemon of a node ends and is started again, and again. The node remembers each start; between two of them it may look
// well to every question. Two restarts are an upgrade or an operator at work, and what has stopped is over: neither is told.
import { nodeResource } from '#model/names.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { type Detection, defineFault, type Share } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { View } from '../../network/world.ts';
import { protocolsAt } from '../../symptoms/consequences.ts';
import { daemonSymptom } from '../../symptoms/dead-daemons.ts';
import { restartedSymptom } from '../../symptoms/recovered.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';
import { SPOKEN } from './daemon-outage.ts';

/** `starts`: of the daemon that was started most often; `firstAgoMs` and `lastAgoMs` are of its first and its last start. */
type Detail = {
  readonly node: string;
  readonly daemons: readonly string[];
  readonly starts: number;
  readonly firstAgoMs: number;
  readonly lastAgoMs: number;
};

/** Of starts that belong to one run. FRR's own watchfrr waits ten minutes at most before it starts a daemon again (`--max-restart-interval`). */
const WITHIN_MS = 600_000;
/** An upgrade stops and starts all daemons once, a reload that fails once more. */
const LEAST_STARTS = 3;
/** Goes on unless it has been quiet for twice its longest pause, and for this long. */
const QUIET_MS = 60_000;

export const daemonRestarts = defineFault<Detail>({
  id: 'daemon_restarts',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'a routing daemon of a node has ended and was started again three times or more, and has not stopped doing so',
  detect: ({ world, past }) => (past === undefined ? [...world.views.values()].flatMap(detected) : []),
  describe: ({ node, daemons, starts, firstAgoMs, lastAgoMs }) =>
    `${nodeRef(node)}: ${daemons.join(', ')} ended and started again ${starts} times within ${seconds(firstAgoMs)}, last ${seconds(lastAgoMs)} ago`,
  remedy: ({ node, daemons }) => ({
    node,
    summary: `find out why ${daemons.join(', ')} on ${nodeRef(node)} end${daemons.length === 1 ? 's' : ''} again and again`,
    command: 'journalctl -u frr --since -15min',
    decide: 'what ends it: a crash (its log and core file say where), too little memory, or a program that kills it',
  }),
  score: 5,
  consequences: ({ detail }, file) => consequencesOf(file, detail),
});

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

function detected({ node, state, sources }: View): readonly Detection<Detail>[] {
  const restarting = [...startsOf(state)].filter(([, ages]) => ages.length >= LEAST_STARTS && goesOn(ages));
  const [most] = restarting.map(([, ages]) => ages).sort((one, other) => other.length - one.length);
  if (most === undefined) return [];
  const detail = {
    ...{ node, daemons: restarting.map(([name]) => name).sort(), starts: most.length },
    ...{ firstAgoMs: most.at(-1)!, lastAgoMs: most[0]! },
  };
  return [{ resource: nodeResource(node), evidence: sources, nodes: [node], detail }];
}

/** Ages of the starts of each daemon, youngest first. A start is seen as a younger process, or as one that answers again. */
function startsOf({ history }: NodeState): ReadonlyMap<string, readonly number[]> {
  const starts = (history?.settings ?? []).filter(
    ({ kind, setting, was, is, agoMs }) =>
      kind === 'daemon' &&
      setting === undefined &&
      agoMs <= WITHIN_MS &&
      (is === 'restarted' || (was === 'not answering' && is === 'running')),
  );
  const ages = Map.groupBy(starts, ({ subject }) => subject);
  return new Map([...ages].map(([name, rows]) => [name, rows.map(({ agoMs }) => agoMs).sort((a, b) => a - b)]));
}

function goesOn(ages: readonly number[]): boolean {
  const pauses = ages.slice(1).map((age, index) => age - ages[index]!);
  return ages[0]! <= Math.max(QUIET_MS, 2 * Math.max(...pauses));
}

/** What neighbours lose with those daemons, and routes that come and go with them. */
function consequencesOf(file: CaseFile, { node, daemons }: Detail): readonly Share[] {
  const isMine = (dead: readonly string[]) => dead.every((name) => daemons.includes(name));
  const own = [...daemonSymptom.of(file), ...restartedSymptom.of(file)].filter(
    ({ nodes, detail }) => nodes.includes(node) && isMine(detail.dead),
  );
  const kinds = [...new Set(daemons.flatMap((name) => SPOKEN[name] ?? []))];
  const routes = routeSymptom
    .of(file)
    .filter(({ detail: { how, owner, at } }) => how === 'none' && (owner === node || at === node));
  const reach = reachSymptom.of(file).filter(({ way }) => way?.nodes.includes(node) === true);
  const all = [...own, ...protocolsAt(file, node, kinds), ...routes, ...reach];
  return [...new Map(all.map((symptom) => [symptom.id, symptom])).values()].map(shareOf);
}
