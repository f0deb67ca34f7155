// Routing daemons of a node that no longer answer: dead ones, and those that hang, by two readings and by what neighbours lost.
import { type LinkEnd, nodeResource } from '#model/names.ts';
import { OSPF_DAEMONS, OSPF_VERSIONS, ospfRows } from '#model/router/control-plane.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { circuitOf, linksAt, otherEnd, type View, type World } from '../network/world.ts';
import { isUp, sessionsOf } from './sessions.ts';

/** Names of daemons. */
export type DaemonDetail = { readonly dead: readonly string[]; readonly alive: readonly string[] };

export const daemonSymptom = defineSymptom<DaemonDetail>('daemon');

export function deadDaemons(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap((view) => {
    const { node, state, sources } = view;
    const daemons = state.daemons ?? [];
    const hung = hungDaemons(world, view);
    const dead = daemons.filter(({ name, alive }) => !alive || hung.includes(name)).map(({ name }) => name);
    const alive = daemons.map(({ name }) => name).filter((name) => !dead.includes(name));
    if (dead.length === 0) return [];
    const hangs =
      hung.length === 0
        ? ''
        : ` (${hung.join(', ')} run${hung.length === 1 ? 's' : ''} and hang${hung.length === 1 ? 's' : ''})`;
    const text = `${nodeRef(node)}: ${dead.join(', ')} no longer answer${dead.length === 1 ? 's' : ''}${hangs}`;
    return [
      daemonSymptom.raise({
        id: `daemon:${node}`,
        ...{ subject: nodeResource(node), text, source: sources, nodes: [node], detail: { dead, alive } },
      }),
    ];
  });
}

/** Daemons that were silent in both readings. One that speaks to neighbours must have lost one, and zebra must not answer at all: else it may only be busy. */
function hungDaemons(world: World, view: View): readonly string[] {
  const { node, before, after } = view;
  const silent = [before, after].map((state) =>
    (state?.daemons ?? []).filter((daemon) => daemon.silent === true).map(({ name }) => name),
  );
  return silent[0]!.filter(
    (name) => silent[1]!.includes(name) && (name === 'zebra' ? isUnread(view) : isMissed(world, node, name)),
  );
}

/** The part of a state that zebra is asked for in every reading. */
const ASKED_OF_ZEBRA = 'routing-version';

/** Routes of a large table keep zebra busy for up to 9 s; the second reading waited for 3 s more than there are between the two. */
const BUSY_BETWEEN_MS = 7_000;

/** No neighbour knows of zebra: it gave no answer in either reading, and they are further apart than it is ever busy. */
function isUnread({ before, after }: View): boolean {
  const [start, end] = [before?.countersReadMs, after?.countersReadMs];
  const isLong = start !== undefined && end !== undefined && end - start >= BUSY_BETWEEN_MS;
  return isLong && [before, after].every((state) => state?.missing.some(({ part }) => part === ASKED_OF_ZEBRA));
}

/** A neighbour that answers has lost what the daemon speaks with it. */
function isMissed(world: World, node: string, daemon: string): boolean {
  const facing = linksAt(world, node).map((link) => otherEnd(link, node));
  const stateAt = (end: LinkEnd) => world.views.get(end.node)?.state;
  if (daemon === 'isisd')
    return facing.some((end) => {
      const circuit = circuitOf(world, end);
      const isUp = stateAt(end)?.adjacencies.some(({ ifname, state }) => ifname === end.ifname && state === 'up');
      return circuit !== undefined && !circuit.passive && isUp === false;
    });
  const version = OSPF_VERSIONS.find((each) => OSPF_DAEMONS[each] === daemon);
  if (version !== undefined)
    return facing.some((end) => {
      const row = ospfRows(stateAt(end) ?? {}, version).find(({ ifname }) => ifname === end.ifname);
      return row !== undefined && !row.passive && row.neighbours.length === 0;
    });
  return (
    daemon === 'bgpd' &&
    sessionsOf(world).some(({ near, far }) => far?.node === node && !isUp(near.row) && !near.row.shutdown)
  );
}
