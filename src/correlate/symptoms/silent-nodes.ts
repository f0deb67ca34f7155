// Nodes that gave no state and that every neighbour lost. Which neighbour heard a node last, and whether it still does, distinguishes a dead
// agent from a dead device: a node that a neighbour still hears is no symptom. A neighbour lost it with the carrier, or, where a switch lies
// between the two or the node shut its ports, with a session over a port that is up, and to whose far end no echo is answered.
import { covers } from '#base/ip.ts';
import type { Outcome } from '#model/call.ts';
import { interfaceResource, type LinkEnd, nodeKey, nodeResource, type ResourceId } from '#model/names.ts';
import { ospfRows } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { type Fact, type FactWith, factsOf } from '../engine/facts.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { sourcesOf, type World } from '../network/world.ts';

/** Interfaces of neighbours that had heard the node and lost it; `carriers`: those of them that are up still. */
export type SilentNodeDetail = { readonly witnesses: readonly ResourceId[]; readonly carriers?: readonly LinkEnd[] };

/** A session ends by its hold time after the cable was moved (of BGP 180 s at most by default, RFC 4271 §10), and LLDP speaks every 30 s. */
const OUTLIVES_MS = 240_000;

export const silentNodeSymptom = defineSymptom<SilentNodeDetail>('silent');

export function silentNodes(world: World, facts: readonly Fact[], outcomes: readonly Outcome[]): readonly Symptom[] {
  return world.nodes
    .filter((node) => !world.views.has(node) && outcomes.some((outcome) => outcome.node === node))
    .flatMap((node) => {
      const witnesses = witnessesOf(world, facts, node);
      const lost = witnesses.filter(({ hears }) => !hears);
      if (witnesses.length === 0 || lost.length < witnesses.length) return [];
      const why =
        outcomes.find((outcome) => outcome.node === node && outcome.status !== 'answered')?.reason ?? 'no answer';
      const ends = lost.map((each) => `${nodeRef(each.node)} ${each.ifname}`).join(', ');
      const carriers = lost.filter(({ up }) => up).map(({ node: near, ifname }) => ({ node: near, ifname }));
      const still =
        carriers.length === 0
          ? ''
          : `, ${carriers.length === lost.length ? 'all' : carriers.length} of them with a carrier`;
      const neighbours = [...new Set(lost.map((each) => each.node))];
      return [
        silentNodeSymptom.raise({
          id: `silent:${node}`,
          subject: nodeResource(node),
          text: `${nodeRef(node)} does not answer (${why}), and ${ends} lost it${still}`,
          source: [...sourcesOf(world, ...neighbours), ...lost.flatMap(({ up, source }) => (up ? source : []))],
          nodes: [node, ...neighbours],
          detail: { witnesses: lost.map(interfaceResource), ...(carriers.length === 0 ? {} : { carriers }) },
        }),
      ];
    });
}

/** Interfaces on which neighbours heard the node last, whether they are up, and whether anything of the node still comes in there. */
function witnessesOf(world: World, facts: readonly Fact[], node: string) {
  return [...world.views.values()].flatMap(({ node: witness, state }) =>
    (state.history?.lastHeard ?? [])
      .filter((entry) => nodeKey(entry.name) === nodeKey(node))
      .map(({ ifname }) => {
        const end = { node: witness, ifname };
        const up = state.inventory.interfaces.some((each) => each.name === ifname && each.operUp);
        const echoes = factsOf({ facts }, 'silent-echoes').filter(({ value }) => isEnd(value.near, end));
        return {
          ...end,
          up,
          source: echoes.flatMap(({ source }) => source),
          hears:
            up && (isCrossed(facts, end) || isHeardElsewhere(world, end, node) || !wentSilent(state, ifname, echoes)),
        };
      }),
  );
}

/** Probes that this end sent through the node, or that came through it, arrived: it forwards. */
function isCrossed(facts: readonly Fact[], end: LinkEnd): boolean {
  return factsOf({ facts }, 'non-reporting-transit').some(
    ({ value: { from, to, sent, lost } }) => lost < sent && (isEnd(from.near, end) || isEnd(to.near, end)),
  );
}

/**
 * LLDP hears the node there by another port than before, since it was lost: a frame that it sent after its cables were moved. What a dead node sent last
 * stays as it was, and a port that was moved to before says nothing of it.
 */
function isHeardElsewhere({ views }: World, { node: witness, ifname }: LinkEnd, node: string): boolean {
  const { neighbours = [], history } = views.get(witness)?.state ?? {};
  const entry = neighbours.find((each) => each.ifname === ifname && nodeKey(each.systemName ?? '') === nodeKey(node));
  const moved = history?.settings?.find(
    ({ kind, subject, setting }) => kind === 'neighbour' && subject === ifname && setting === 'lldp',
  );
  if (entry === undefined || moved?.was === undefined || moved.is !== `${entry.systemName} ${entry.portId}`)
    return false;
  const lost = (history?.events ?? []).flatMap(({ kind, up, agoMs }) => (kind !== 'carrier' && !up ? [agoMs] : []));
  return lost.length > 0 && moved.agoMs <= Math.min(...lost) + OUTLIVES_MS;
}

function isEnd(one: LinkEnd, other: LinkEnd): boolean {
  return one.node === other.node && one.ifname === other.ifname;
}

/** A session over the port ended and none is left, and the far end answers no echo. */
function wentSilent(state: NodeState, ifname: string, echoes: readonly FactWith<'silent-echoes'>[]): boolean {
  const own = state.inventory.interfaces.find(({ name }) => name === ifname)?.addresses ?? [];
  // An adjacency is `eth1 0000.0000.0003`, a session the address of its peer.
  const isHere = (subject: string) => subject.split(' ')[0] === ifname || own.some((prefix) => covers(prefix, subject));
  const ended = (state.history?.events ?? []).some(
    ({ kind, subject, up }) => kind !== 'carrier' && !up && isHere(subject),
  );
  const stands =
    state.adjacencies.some((each) => each.ifname === ifname && each.state === 'up') ||
    ospfRows(state).some((each) => each.ifname === ifname && each.neighbours.length > 0) ||
    state.bgp?.sessions.some(({ peer, state: is }) => /^established$/i.test(is) && isHere(peer)) === true;
  return ended && !stands && echoes.length > 0 && echoes.every(({ value }) => value.sent > 0 && value.received === 0);
}
