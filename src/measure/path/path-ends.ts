// Between which addresses plain probes of a whole path go: those that the nodes at its two ends have routes to, by their own lookups. A path
// that is steered by SIDs needs none. Pure.
import type { PlannedCall } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { callFor } from '../call.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { readingsOf } from '../measurement.ts';
import { pathLookups } from '../nodes/lookups.ts';
import { sourcesOf } from '../probe-sources.ts';
import { decapSid, endSid } from '../sids.ts';
import type { States } from '../states.ts';

/** Addresses of one end that the other looks up. */
const CANDIDATES = 8;

/** `nodes` in path order; nothing where one gave no state, or two neighbours have their link. */
export function planPathEnds(nodes: readonly string[], states: States): readonly PlannedCall[] {
  const [head, tail] = [nodes[0], nodes.at(-1)];
  if (nodes.length < 3 || head === undefined || tail === undefined || nodes.some((node) => !states.has(node)))
    return [];
  const isSteered = nodes
    .slice(1)
    .every((node) => (node === tail ? decapSid : endSid)(states.get(node)!) !== undefined);
  if (isSteered) return [];
  return [lookupsOf(head, candidatesOf(states, tail)), lookupsOf(tail, candidatesOf(states, head))].flat();
}

/** Source and destination of one family, IPv6 before IPv4, and routes of their own before default ones; undefined where there are none. */
export function pathEndsOf(
  nodes: readonly string[],
  states: States,
  evidence: readonly Evidence[],
): readonly [string, string] | undefined {
  const [head = '', tail = ''] = [nodes[0], nodes.at(-1)];
  const answers = new Map(
    readingsOf(pathLookups, evidence).flatMap(({ node, value }) =>
      value.map((answer) => [`${node} ${answer.destination}`, answer] as const),
    ),
  );
  for (const isRoute of [isOwnRoute, isAnyRoute])
    for (const family of [6, 4] as const) {
      const routed = (at: string, of: string) =>
        sourcesOf(states, of, family).find((address) => isRoute(answers.get(`${at} ${address}`)));
      const [source, destination] = [routed(tail, head), routed(head, tail)];
      if (source !== undefined && destination !== undefined) return [source, destination];
    }
  return undefined;
}

function candidatesOf(states: States, node: string): readonly string[] {
  return [...sourcesOf(states, node, 6), ...sourcesOf(states, node, 4)].slice(0, CANDIDATES);
}

function lookupsOf(node: string, destinations: readonly string[]): readonly PlannedCall[] {
  const [first] = destinations;
  if (first === undefined) return [];
  const purpose = { kind: 'path-lookup', destination: first } as const;
  return [callFor(node, purpose, { destinations: [...destinations] }, MEASURE_LIMITS.sweepCallMs)];
}

function isAnyRoute(answer: RouteAnswer | undefined): boolean {
  return answer?.kind === 'unicast';
}

function isOwnRoute(answer: RouteAnswer | undefined): boolean {
  return isAnyRoute(answer) && answer?.matched !== 'default';
}
