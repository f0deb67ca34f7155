// The links of the path with their confidence: which evidence confirms each from both ends, and what is wrong with it.
import type { LinkClaim, LinkConfidence, LinkSign } from '#model/links/link-indicators.ts';
import { type Link, linksBetween } from '#model/links/links.ts';
import { type LinkEnd, nodeKey } from '#model/names.ts';
import type { Adjacency, NodeState } from '#model/router/router-port.ts';
import { nodeRef } from './node-ref.ts';

/** Every link between consecutive nodes of the path, directed along it. Nodes without a state have no links here. */
export function pathLinks(path: readonly string[], states: ReadonlyMap<string, NodeState>): readonly Link[] {
  const known = path.flatMap((node) => {
    const state = states.get(node);
    return state === undefined ? [] : [{ node, state }];
  });
  return path.slice(1).flatMap((to, index) => {
    const from = path[index]!;
    const [one, other] = [states.get(from), states.get(to)];
    if (one === undefined || other === undefined) return [];
    return linksBetween({ node: from, state: one }, { node: to, state: other }, path, known);
  });
}

export type LinkFact = {
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  /** Confirmed from both ends, without a doubt, point to point. */
  readonly confirmed: boolean;
  readonly signs: readonly LinkSign[];
  readonly claims: readonly LinkClaim[];
  readonly confidence: LinkConfidence;
  /** Set when more than two may be on it: then the counters of two ends say nothing of what passes between them. */
  readonly shared?: string;
  /** Shut down at both ends: it is out of use. */
  readonly unused?: boolean;
  /** Why it is not confirmed, not up, or not adjacent: empty for a healthy link. */
  readonly symptoms: readonly string[];
  /** What is strange about it and forbids nothing. */
  readonly remarks: readonly string[];
};

/** What is known of a link's condition from both ends' latest states. */
export function linkFact(link: Link, states: ReadonlyMap<string, NodeState>): LinkFact {
  const [from, to] = [states.get(link.from.node)!, states.get(link.to.node)!];
  if (shutAtBothEnds(link, from, to)) {
    return { ...endsOf(link), ...saidOf(link), confirmed: false, symptoms: [], remarks: link.remarks, unused: true };
  }
  const symptoms = [
    ...link.doubts,
    ...endSymptoms(from, link.from.node, link.from.ifname),
    ...endSymptoms(to, link.to.node, link.to.ifname),
    ...adjacencySymptoms(link, from, to, [...states.values()]),
  ];
  return {
    ...endsOf(link),
    ...(link.pointToPoint
      ? {}
      : { shared: `${nodeRef(link.from.node)} ${link.from.ifname} is not a point-to-point link` }),
    confirmed: link.pointToPoint && link.doubts.length === 0,
    ...saidOf(link),
    symptoms,
    remarks: link.remarks,
  };
}

function saidOf({ signs, claims, confidence }: Link): Pick<LinkFact, 'signs' | 'claims' | 'confidence'> {
  return { signs, claims, confidence };
}

function endsOf({ from, to }: Link): Pick<LinkFact, 'from' | 'to'> {
  return { from, to };
}

/** An operator shut it down, at either end. */
function shutAtBothEnds({ from, to }: Pick<Link, 'from' | 'to'>, one: NodeState, other: NodeState): boolean {
  const ends = [
    one.inventory.interfaces.find((entry) => entry.name === from.ifname),
    other.inventory.interfaces.find((entry) => entry.name === to.ifname),
  ];
  return ends.every((end) => end !== undefined && !end.adminUp);
}

function endSymptoms(state: NodeState, node: string, ifname: string): readonly string[] {
  const found = state.inventory.interfaces.find((entry) => entry.name === ifname);
  if (found === undefined) return [`${nodeRef(node)} ${ifname} is gone`];
  if (!found.adminUp) return [`${nodeRef(node)} ${ifname} is shut down`];
  return found.operUp ? [] : [`${nodeRef(node)} ${ifname} is down`];
}

/** An adjacency that one end alone reports, or that is not up, is a symptom; so is none at all where the others have one. */
function adjacencySymptoms(link: Link, from: NodeState, to: NodeState, all: readonly NodeState[]): readonly string[] {
  const unread = [from, to].flatMap((state, index) =>
    state.missing
      .filter((entry) => /adjacenc|isis|is-is/i.test(entry.part))
      .map(
        (entry) => `IS-IS of ${nodeRef(index === 0 ? link.from.node : link.to.node)} could not be read (${entry.part})`,
      ),
  );
  if (unread.length > 0) return unread;
  const mine = adjacencyOn(from, link.from.ifname, link.to.node);
  const its = adjacencyOn(to, link.to.ifname, link.from.node);
  if (mine === undefined && its === undefined && all.every((state) => state.adjacencies.length === 0)) return [];
  if (!runsIsis(from, link.from.ifname) && !runsIsis(to, link.to.ifname)) return [];
  if (mine === 'up' && its === 'up') return [];
  const ends = `${nodeRef(link.from.node)} ${link.from.ifname} says ${mine ?? 'none'}, ${nodeRef(link.to.node)} ${link.to.ifname} says ${its ?? 'none'}`;
  return [`IS-IS adjacency: ${ends}`];
}

/** False only when the node says how IS-IS is configured, and that this interface has no part in it. */
function runsIsis(state: NodeState, ifname: string): boolean {
  if (state.daemons === undefined) return true;
  if (state.isis === undefined) return state.daemons.some(({ name }) => name === 'isisd');
  return state.isis.circuits.some((circuit) => circuit.ifname === ifname && !circuit.passive);
}

function adjacencyOn(state: NodeState, ifname: string, peer: string): Adjacency['state'] | undefined {
  const here = state.adjacencies.filter((entry) => entry.ifname === ifname);
  const named = here.find((entry) => entry.hostname !== undefined && nodeKey(entry.hostname) === nodeKey(peer));
  return (
    here.find((entry) => entry.state === 'up' && (named === undefined || entry.hostname === named.hostname))?.state ??
    (named ?? here[0])?.state
  );
}
