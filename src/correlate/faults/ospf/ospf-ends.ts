// Links whose OSPF adjacency is not full, with what each end runs there, and the shape of a fault in which the two ends differ. The end
// that differs from the other interfaces of the network is named; where those do not decide, neither is.
import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd, nodeResource } from '#model/names.ts';
import { type OspfInterface, type OspfVersion, ospfRows } from '#model/router/control-plane.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation, type FaultCard, type FaultDefinition } from '../../engine/fault-definition.ts';
import { majority, shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { routedEnds } from '../../network/routed-ends.ts';
import type { World } from '../../network/world.ts';
import { ospfSymptom, versionMark, versionOf } from '../../symptoms/adjacency.ts';

export type OspfEnd = { readonly end: LinkEnd; readonly row: OspfInterface | undefined };

type BrokenAdjacency = {
  readonly symptom: Symptom;
  readonly version: OspfVersion;
  readonly ends: readonly [OspfEnd, OspfEnd];
};

export function brokenAdjacencies(file: CaseFile): readonly BrokenAdjacency[] {
  return ospfSymptom.of(file).flatMap((symptom) => {
    if (symptom.link === undefined) return [];
    const version = versionOf(symptom);
    const endAt = (end: LinkEnd): OspfEnd => ({ end, row: ospfOn(file.world, end, version) });
    const [from, to] = routedEnds(file.world, symptom.link);
    return [{ symptom, version, ends: [endAt(from), endAt(to)] as const }];
  });
}

export function ospfOn(world: World, { node, ifname }: LinkEnd, version: OspfVersion): OspfInterface | undefined {
  return ospfRows(world.views.get(node)?.state ?? {}, version).find((entry) => entry.ifname === ifname);
}

/** How statements of FRR below an interface begin. */
export const STATEMENTS = { 2: 'ip ospf', 3: 'ipv6 ospf6' } as const satisfies Readonly<Record<OspfVersion, string>>;

type OspfMismatch = Omit<FaultCard, 'accuses'> & {
  property(row: OspfInterface): string;
  /** Lines that make an interface like the other end; `words`: how statements of its version begin. */
  lines(other: OspfInterface, words: string): readonly string[];
};

/** `other` is the end that the named one should be like, where the network decides it; `version`: of OSPFv3. */
type Detail = {
  readonly version?: 3;
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
      const usual = (version: OspfVersion) =>
        majority(
          [...file.world.views.values()].flatMap(({ state }) =>
            ospfRows(state, version)
              .filter((row) => !row.passive)
              .map(property),
          ),
        );
      return brokenAdjacencies(file).flatMap((broken) => explanations(broken, fault, usual(broken.version)));
    },
    describe: ({ what }) => what,
    remedy: (detail, { world }) => {
      const { node, interface: ifname, other } = detail;
      const version = versionOf({ detail });
      const model = other === undefined ? undefined : ospfOn(world, other, version);
      const summary = `make ${nodeRef(node)} ${ifname} agree with the other end`;
      return {
        node,
        summary,
        ...(model === undefined ? {} : likeOther(world, { node, ifname }, lines(model, STATEMENTS[version]))),
      };
    },
  });
}

function explanations(
  { symptom, version, ends }: BrokenAdjacency,
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
      ...versionMark(version),
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
