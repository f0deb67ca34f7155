// What was not as it should be and is over: links that lost their carrier within the time that was asked about and are up again,
// and routing daemons that were started again while their agent watched.
// Read from the nodes' own rings of samples; each age is by the clock of the node that reports it.

import { type LinkEnd, nodeResource } from '#model/names.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { interfaceOf, sourcesOf, type View, type World, type WorldLink } from '../network/world.ts';

/** Ages of the first and of the last carrier change of the time that was asked about. */
export type RecoveredLinkDetail = { readonly changes: number; readonly agoMs: number; readonly fellAgoMs: number };
/** Daemons that were started again, and those that were not. */
export type RestartedDetail = {
  readonly dead: readonly string[];
  readonly alive: readonly string[];
  readonly agoMs: number;
};

export const recoveredLinkSymptom = defineSymptom<RecoveredLinkDetail>('past');
export const restartedSymptom = defineSymptom<RestartedDetail>('restarted');

/** Of the age of an event, by the clocks and samples of two nodes. */
const WATCHED_MS = 5_000;

export function pastSymptoms(world: World): readonly Symptom[] {
  const { sinceMs, untilMs = 0 } = world;
  if (sinceMs === undefined) return [];
  return [
    ...world.links.flatMap((link) => wasDown(world, link, { sinceMs, untilMs })),
    ...[...world.views.values()].flatMap((view) => restarted(view, sinceMs)),
  ];
}

type AskedTime = { readonly sinceMs: number; readonly untilMs: number };

function wasDown(world: World, link: WorldLink, { sinceMs, untilMs }: AskedTime): readonly Symptom[] {
  const ends = [link.from, link.to];
  if (!ends.every((end) => interfaceOf(world, end)?.operUp === true)) return [];
  const told = ends.map((end) => carrierWithin(world, end, { sinceMs, untilMs }));
  const changes = Math.max(...told.map((events) => events.reduce((sum, event) => sum + event.changes, 0)));
  if (changes < 2) return [];
  const ages = told.flat().map((event) => event.agoMs);
  const [agoMs, fellAgoMs] = [Math.max(untilMs, Math.min(...ages)), Math.max(...ages)];
  // An end that watched all the time and saw nothing contradicts the other.
  const watched = (end: LinkEnd) => (world.views.get(end.node)?.state.history?.spanMs ?? 0) > agoMs + WATCHED_MS;
  if (ends.some((end, index) => told[index]!.length === 0 && watched(end))) return [];
  const text = `${nodeRef(link.from.node)} ${link.from.ifname} – ${nodeRef(link.to.node)} ${link.to.ifname}: lost its carrier and is up again for ${ageWords(agoMs)}`;
  const nodes = [link.from.node, link.to.node];
  return [
    recoveredLinkSymptom.raise({
      id: `past:${link.key}`,
      ...{ subject: link.key, text, source: sourcesOf(world, ...nodes), nodes, link },
      detail: { changes, agoMs, fellAgoMs },
    }),
  ];
}

/** Oldest first; what came back only after the time that was asked about was down in it, and its coming back is told as well. */
function carrierWithin(
  world: World,
  { node, ifname }: LinkEnd,
  { sinceMs, untilMs }: AskedTime,
): readonly HistoryEvent[] {
  const mine = (world.views.get(node)?.state.history?.events ?? [])
    .filter(({ kind, subject, agoMs }) => kind === 'carrier' && subject === ifname && agoMs <= sinceMs)
    .toSorted((one, other) => other.agoMs - one.agoMs);
  const within = mine.filter(({ agoMs }) => agoMs >= untilMs);
  const back = within.at(-1)?.up === false ? mine.find(({ agoMs }) => agoMs < untilMs) : undefined;
  return back === undefined ? within : [...within, back];
}

/** Daemons that are younger than their agent's memory: it was not the node that started. */
function restarted({ node, state, sources }: View, sinceMs: number): readonly Symptom[] {
  const remembered = state.history?.spanMs ?? 0;
  const young = (state.daemons ?? []).filter(
    ({ alive, upMs }) => alive && upMs !== undefined && upMs <= sinceMs && upMs < remembered,
  );
  if (young.length === 0) return [];
  const names = young.map((daemon) => daemon.name);
  const others = (state.daemons ?? []).filter((daemon) => !young.includes(daemon)).map((daemon) => daemon.name);
  const agoMs = Math.min(...young.map((daemon) => daemon.upMs!));
  const text = `${nodeRef(node)}: ${names.join(', ')} started again ${ageWords(agoMs)} ago`;
  return [
    restartedSymptom.raise({
      id: `restarted:${node}`,
      ...{ subject: nodeResource(node), text, source: sources, nodes: [node] },
      detail: { dead: names, alive: others, agoMs },
    }),
  ];
}
