// The shape of a fault of one IS-IS circuit: the two ends of a link have another value of one property. The end that differs from the
// other circuits of the network is named; where those do not decide, no end is.
import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import type { IsisCircuit } from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation, type FaultCard, type FaultDefinition } from '../../engine/fault-definition.ts';
import { majority, shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { circuitOf, type World } from '../../network/world.ts';
import { activeCircuits, type BrokenAdjacency, brokenAdjacencies } from './circuit-ends.ts';

type CircuitMismatch<Value extends string> = Omit<FaultCard, 'resource' | 'accuses' | 'labels'> & {
  property(circuit: IsisCircuit): Value;
  words(value: Value): string;
  /** What makes the odd end like the other, or why that is not known. */
  change(world: World, end: LinkEnd, wanted: Value): Pick<Remedy, 'change' | 'decide'>;
};

/** `other` is the end that the named one should be like, where the network decides it. */
type Detail = {
  readonly what: string;
  readonly here: string;
  readonly there: string;
  readonly interface: string;
  readonly node: string;
  readonly other?: { readonly node: string; readonly ifname: string };
};

export function defineCircuitMismatch<Value extends string>(fault: CircuitMismatch<Value>): FaultDefinition {
  const { property, words, change, ...card } = fault;
  return defineCause<Detail>({
    ...card,
    resource: 'interface',
    accuses: true,
    labels: { nika: null, netOpsBench: null },
    explain: (file) => brokenAdjacencies(file).flatMap((broken) => explanations(file, broken, fault)),
    describe: ({ what }) => what,
    remedy: ({ node, interface: ifname, there, other }, { world }) => {
      const model = other === undefined ? undefined : circuitOf(world, other);
      return {
        node,
        summary: `make ${nodeRef(node)} ${ifname} agree with the other end: ${there}`,
        ...(model === undefined ? {} : change(world, { node, ifname }, property(model))),
      };
    },
  });
}

function explanations<Value extends string>(
  { world }: CaseFile,
  { symptom, ends }: BrokenAdjacency,
  { property, words }: Pick<CircuitMismatch<Value>, 'property' | 'words'>,
): readonly Explanation<Detail>[] {
  const [one, other] = ends.map(({ circuit }) => (circuit === undefined ? undefined : property(circuit)));
  if (one === undefined || other === undefined || one === other) return [];
  const usual = majority(
    activeCircuits(
      world,
      ends.map(({ end }) => end),
    ).map(({ circuit }) => property(circuit)),
  );
  const both = [
    { end: ends[0].end, here: one, there: other, opposite: ends[1].end },
    { end: ends[1].end, here: other, there: one, opposite: ends[0].end },
  ];
  const odd = both.filter(({ here }) => here !== usual);
  const isDecided = odd.length === 1;
  const why = `the two ends differ (${words(one)}, ${words(other)}), and nothing says which is right`;
  return (isDecided ? odd : both).map(({ end, here, there, opposite }) => ({
    resource: interfaceResource(end),
    explains: [shareOf(symptom)],
    evidence: symptom.source,
    ...(isDecided ? {} : { withheld: why }),
    detail: {
      what: symptom.text,
      here: words(here),
      there: words(there),
      interface: end.ifname,
      node: end.node,
      ...(isDecided ? { other: opposite } : {}),
    },
  }));
}
