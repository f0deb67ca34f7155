// A node that loses what it forwards for no known reason: probes through it are lost, those over its links are not, and packets from end to end
// that it should forward die as well, in the second look too. Exactly one such node must be left, and no filter of it that may take our probes.
import { nodeResource } from '#model/names.ts';
import { mayTake } from '#model/router/packet-match.ts';
import { type CaseFile, factsOf } from '../../engine/facts.ts';
import { isLoss } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import { walk } from '../../network/forwarding.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { linksAt, ownEnd, type Reach, type World } from '../../network/world.ts';
import { PROBE_PACKETS } from '../../packet-filter/probe-packets.ts';
import { transitSymptom } from '../../symptoms/lossy-transit.ts';
import { isLossy, reachSymptom } from '../../symptoms/unanswered-echoes.ts';
import { differingState } from './differing-state.ts';
import type { UnexplainedPlace } from './place.ts';

/** Lost ways that a finding names. */
const NAMED = 6;

export function lostInNodes(file: CaseFile): readonly UnexplainedPlace[] {
  const [only, ...others] = transitSymptom.of(file);
  if (only === undefined || others.length > 0) return [];
  const { node, ways } = only.detail;
  const lost = file.world.reach.filter((row) => isLostThrough(file.world, row, node));
  if (lost.length === 0 || mayFilter(file, node)) return [];
  const total = reachSymptom
    .of(file)
    .filter(({ way, nodes }) => way?.nodes.includes(node) === true && !nodes.includes(node));
  return [
    {
      resource: nodeResource(node),
      explains: [only, ...total].map(shareOf),
      evidence: [...new Set([...only.source, ...lost.map(({ source }) => source)])],
      detail: {
        node,
        where: `in ${nodeRef(node)}, which was to forward them`,
        packets: 'UDP over IPv6, and echoes',
        lost: [...ways],
        also: lost.slice(0, NAMED).map(lostWords),
        counters: [`over the links of ${nodeRef(node)} to the same neighbours none were lost`],
        differs: differingState(
          file,
          linksAt(file.world, node).map((link) => ownEnd(link, node)),
        ),
      },
    },
  ];
}

/** IPv6, as the probes through the node are: lost in the second look, and the node may have forwarded it there or its answer back. */
function isLostThrough(world: World, row: Reach, node: string): boolean {
  const { from, destination, again } = row;
  if (!destination.includes(':') || again === undefined || !isLossy(row)) return false;
  if (!isLoss(again.sent, again.sent - again.received)) return false;
  const owners = (world.owners.get(destination) ?? []).map((end) => end.node);
  return from !== node && !owners.includes(node) && walk(world, from, destination).nodes.includes(node);
}

function lostWords({ from, destination, again }: Reach): string {
  return `${nodeRef(from)} → ${destination}: ${again!.sent - again!.received} of ${again!.sent} did not come back`;
}

/** A rule that took packets, or has no counter, and may take probes: it has a name of its own, or is a policy against them. */
function mayFilter(file: CaseFile, node: string): boolean {
  return factsOf(file, 'filter-hits').some(
    ({ value }) => value.node === node && value.packets !== 0 && PROBE_PACKETS.some((packet) => mayTake(value, packet)),
  );
}
