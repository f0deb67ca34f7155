// What nodes counted and logged of packets that they refused. Counters are those of a whole node: they support what the two ends' settings
// leave open, and name no end by themselves.
import type { LinkEnd } from '#model/names.ts';
import type { LogSignKind } from '#model/router/log-events.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { World } from '../../network/world.ts';

/** Segments whose signature was wrong (RFC 2385). */
const WRONG_SIGNATURE = 'TcpExtTCPMD5Failure';

/** Nodes that dropped segments for a wrong signature within the window, with how many. A count that stands still may be years old. */
export function wrongSignatures(world: World, nodes: readonly string[]): readonly string[] {
  return nodes.flatMap((node) => {
    const view = world.views.get(node);
    const [first, last] = [view?.before, view?.after].map((state) => state?.nodeCounters[WRONG_SIGNATURE]);
    if (first === undefined || last === undefined || BigInt(last) <= BigInt(first)) return [];
    return [`${nodeRef(node)} dropped ${BigInt(last) - BigInt(first)} segments with a wrong signature in the window`];
  });
}

/** Hellos of IS-IS that an end refused within the window. */
export function refusedHellos(world: World, { node, ifname }: LinkEnd): boolean {
  const view = world.views.get(node);
  const [first, last] = [view?.before, view?.after].map(
    (state) => state?.isis?.circuits.find((circuit) => circuit.ifname === ifname)?.rejects,
  );
  return first !== undefined && last !== undefined && BigInt(last) > BigInt(first);
}

/** The log of an end's node has this of its interface. */
export function hasLogged(world: World, kind: LogSignKind, { node, ifname }: LinkEnd): boolean {
  return world.logs.get(node)?.signs.some((sign) => sign.kind === kind && sign.about === ifname) === true;
}
