// isis_neighbor_missing: IS-IS runs over a link at one end only: at the other it is not configured, or passive.
import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import type { IsisCircuit } from '#model/router/control-plane.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { circuitOf, type World } from '../../network/world.ts';
import { type BrokenAdjacency, brokenAdjacencies } from './circuit-ends.ts';

/** `other` is the end to be like; absent where that lacks it too. */
type Detail = {
  readonly what: string;
  readonly here: 'not configured' | 'passive';
  readonly node: string;
  readonly interface: string;
  readonly other?: { readonly node: string; readonly ifname: string };
};

export const isisNeighborMissing = defineCause<Detail>({
  id: 'isis_neighbor_missing',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'IS-IS is not active at one end of a link on which the other end runs it',
  exact: '`ip router isis …` as the other end runs it, where that has no password',
  explain: (file) => brokenAdjacencies(file).flatMap((broken) => explanations(file, broken)),
  describe: ({ what }) => what,
  remedy: ({ node, interface: ifname, other }, { world }) => ({
    node,
    summary: `enable IS-IS on ${nodeRef(node)} ${ifname}`,
    ...switchedOn(world, { node, ifname }, other),
  }),
});

function explanations(file: CaseFile, { symptom, ends }: BrokenAdjacency): readonly Explanation<Detail>[] {
  const without = ends.filter(
    ({ end, circuit }) =>
      (circuit === undefined || circuit.passive) && file.world.views.get(end.node)?.state.isis !== undefined,
  );
  return without.map(({ end, circuit }) => ({
    resource: interfaceResource(end),
    explains: [shareOf(symptom)],
    evidence: symptom.source,
    // Missed at both ends (a baseline knows that it was there): both are named.
    ...(without.length === 2 ? { together: symptom.id } : {}),
    // An operator made it passive, as is done at the border of a domain; there it is the other end that should be.
    confidence: circuit === undefined ? 'certain' : 'likely',
    detail: {
      what: symptom.text,
      here: circuit === undefined ? 'not configured' : 'passive',
      ...{ node: end.node, interface: end.ifname },
      ...(without.length === 2 ? {} : { other: ends.find((each) => each.end !== end)!.end }),
    },
  }));
}

/** As the other end runs it; what that end does not report, or where there is none, an operator must decide. */
function switchedOn(world: World, end: LinkEnd, opposite: LinkEnd | undefined): Pick<Remedy, 'change' | 'decide'> {
  const { node, ifname } = end;
  if (circuitOf(world, end) !== undefined) return frrChange(world, node, onInterface(ifname, 'no isis passive'));
  const isis = world.views.get(node)?.state.isis;
  const other = opposite === undefined ? undefined : circuitOf(world, opposite);
  if (other === undefined || isis?.tag === undefined)
    return { decide: 'how it ran: no end of the link runs it now, or the name of its process is not told' };
  if (other.password !== 'none') return { decide: 'the password: the other end has one, and no agent tells it' };
  return frrChange(world, node, onInterface(ifname, ...linesLike(other, isis.tag, isis.level)));
}

function linesLike(other: IsisCircuit, tag: string, level: string): readonly string[] {
  const type = { '1': 'level-1', '2': 'level-2-only', '1-2': 'level-1-2' }[other.level];
  return [
    ...(other.ipv4 ? [`ip router isis ${tag}`] : []),
    ...(other.ipv6 ? [`ipv6 router isis ${tag}`] : []),
    ...(other.level === level ? [] : [`isis circuit-type ${type}`]),
    ...(other.network === 'point-to-point' ? ['isis network point-to-point'] : []),
    ...(other.helloSeconds === undefined ? [] : [`isis hello-interval ${other.helloSeconds}`]),
    ...(other.metric === undefined ? [] : [`isis metric ${other.metric}`]),
  ];
}
