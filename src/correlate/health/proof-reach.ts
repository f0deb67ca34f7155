// Probes from end to end, over the nodes' own routing: what came back, and what did not and is no symptom of its own. A probe that
// a second look does not miss was a stray.

import type { Proof } from '../engine/facts.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import { walk } from '../network/forwarding.ts';
import { nodeRef } from '../network/node-ref.ts';
import { ownerOf, type Reach, type World } from '../network/world.ts';

export function reachProof(world: World): Proof {
  const lossy = world.reach.filter(isLossy);
  const unexcused = lossyReaches(world);
  const sound = Map.groupBy(
    world.reach.filter((row) => !lossy.includes(row)),
    ({ from }) => from,
  );
  const excused = lossy.filter((row) => !unexcused.includes(row));
  return {
    proven: [
      ...[...sound].map(([from, rows]) => soundLine(from, rows)),
      ...excused.map(
        ({ from, destination }) => `${nodeRef(from)} → ${destination}: no answer, and no route of its own leads there`,
      ),
    ],
    lacking: unexcused.map((row) => lossLine(world, row)),
  };
}

/** Lossy where packets were to arrive: what wants a second look, or an explanation. */
export function lossyReaches(world: World): readonly Reach[] {
  return world.reach.filter((row) => isLossy(row) && !isForNobody(world, row));
}

/** Lost more than a stray: at the second look when there was one, at all when there was none. */
export function isLossy({ sent, received, again }: Reach): boolean {
  if (received === 0 || again === undefined) return received < sent;
  return isLoss(again.sent, again.sent - again.received);
}

/**
 * An address that its owner alone knows of, as on a network for itself: that others do not reach it is how it is meant. What a head
 * puts into SRv6 is its customers', and judged by the probes along that segment list.
 */
function isForNobody(world: World, { received, from, destination }: Reach): boolean {
  const own = world.lookups.get(from)?.get(destination);
  const owners = (world.owners.get(destination) ?? []).map(({ node }) => node);
  if (received > 0 || own === undefined || owners.length === 0) return false;
  if ((own.segments?.length ?? 0) > 0) return true;
  return ![...world.lookups].some(([node, answers]) => {
    const answer = answers.get(destination);
    const steered = (answer?.segments?.length ?? 0) > 0;
    return !owners.includes(node) && answer?.kind === 'unicast' && answer.matched !== 'default' && !steered;
  });
}

function soundLine(from: string, rows: readonly Reach[]): string {
  const [sent, received] = [sum(rows, 'sent'), sum(rows, 'received')];
  const rest = sent === received ? '' : `; ${sent - received} lost is a stray, not seen again`;
  return `${nodeRef(from)}: ${received} of ${sent} probes to ${rows.length} addresses of others came back${rest}`;
}

/** As the proof says what is lacking. */
export function lossLine(world: World, row: Reach): string {
  const { from, destination, sent, received, again } = row;
  const owner = ownerOf(world, destination)?.node;
  const to = owner === undefined ? destination : `${destination} of ${nodeRef(owner)}`;
  const way = walk(world, from, destination);
  const over = way.nodes.filter((node) => node !== from && node !== owner).map(nodeRef);
  const by = over.length === 0 ? '' : ` over ${over.join(', ')}`;
  const twice = again === undefined ? '; not looked at again' : '';
  return `${nodeRef(from)} → ${to}${by}: ${sent - received} of ${sent} probes from end to end did not come back${twice}`;
}

function sum(rows: readonly Reach[], name: 'sent' | 'received'): number {
  return rows.reduce((total, row) => total + row[name], 0);
}
