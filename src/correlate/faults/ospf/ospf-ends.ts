// Links whose OSPF adjacency is not full, with what each end runs there, and the shape of a fault in which the two ends differ. The end
// that differs from the other interfaces of the network is named; where those do not decide, neither is.
import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd, nodeResource } from '#model/names.ts';
import type { OspfInterface } from '#model/router/control-plane.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation, type FaultCard, type FaultDefinition } from '../../engine/fault-definition.ts';
import { majority, shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { routedEnds } from '../../network/routed-ends.ts';
import type { World } from '../../network/world.ts';
import { ospfSymptom } from '../../symptoms/adjacency.ts';

export type OspfEnd = { readonly end: LinkEnd; readonly row: OspfInterface | undefined };

type BrokenAdjacency = { readonly symptom: Symptom; readonly ends: readonly [OspfEnd, OspfEnd] };

export function brokenAdjacencies(file: CaseFile): readonly BrokenAdjacency[] {
  return ospfSymptom.of(file).flatMap((symptom) => {
    if (symptom.link === undefined) return [];
    const endAt = (end: LinkEnd): OspfEnd => ({ end, row: ospfOn(file.world, end) });
    const [from, to] = routedEnds(file.world, symptom.link);
    return [{ symptom, ends: [endAt(from), endAt(to)] as const }];
  });
}

export function ospfOn(world: World, { node, ifname }: LinkEnd): OspfInterface | undefined {
  return world.views.get(node)?.state.ospf?.find((entry) => entry.ifname === ifname);
}

type OspfMismatch = Omit<FaultCard, 'accuses'> & {
  property(row: OspfInterface): string;
  /** Lines that make an interface like the other end. */
  lines(other: OspfInterface): readonly string[];
};

/** `other` is the end that the named one should be like, where the network decides it. */
type Detail = {
  readonly what: string;
  readonly here: string;
  readonly usual?: string;
  readonly node: string;
  readonly interface: string;
  readonly other?: { readonly node: string; readonly ifname: string };
};

export function defineOspfMismatch(fault: OspfMismatch): FaultDefinition {
  const { property, lines, ...card } = fault;
  return defineCause<Detail>({
    ...card,
    accuses: true,
    explain: (file) => {
      const usual = majority(
        [...file.world.views.values()].flatMap(({ state }) =>
          (state.ospf ?? []).filter((row) => !row.passive).map(property),
        ),
      );
      return brokenAdjacencies(file).flatMap((broken) => explanations(broken, fault, usual));
    },
    describe: ({ what }) => what,
    remedy: ({ node, interface: ifname, other }, { world }) => {
      const model = other === undefined ? undefined : ospfOn(world, other);
      const summary = `make ${nodeRef(node)} ${ifname} agree with the other end`;
      return { node, summary, ...(model === undefined ? {} : likeOther(world, { node, ifname }, lines(model))) };
    },
  });
}

function explanations(
  { symptom, ends }: BrokenAdjacency,
  { resource, property }: OspfMismatch,
  usual: string | undefined,
): readonly Explanation<Detail>[] {
  const [one, other] = ends.map(({ row }) => (row === undefined ? undefined : property(row)));
  if (one === undefined || other === undefined || one === other) return [];
  const both = [
    { end: ends[0].end, here: one, opposite: ends[1].end },
    { end: ends[1].end, here: other, opposite: ends[0].end },
  ];
  const odd = both.filter(({ here }) => here !== usual);
  const isDecided = odd.length === 1;
  return (isDecided ? odd : both).map(({ end, here, opposite }) => ({
    resource: resource === 'node' ? nodeResource(end.node) : interfaceResource(end),
    explains: [shareOf(symptom)],
    evidence: symptom.source,
    ...(isDecided ? {} : { withheld: 'the two ends differ, and nothing says which is right' }),
    detail: {
      what: symptom.text,
      here,
      ...(usual === undefined ? {} : { usual }),
      ...{ node: end.node, interface: end.ifname },
      ...(isDecided ? { other: opposite } : {}),
    },
  }));
}

function likeOther(world: World, end: LinkEnd, lines: readonly string[]): Pick<Remedy, 'change'> {
  return lines.length === 0 ? {} : frrChange(world, end.node, onInterface(end.ifname, ...lines));
}
