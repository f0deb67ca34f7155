// What the IS-IS rules share: a link whose adjacency is not up at both ends, and what the two circuits are configured to do.
// The end that differs from how other circuits of the network are configured is the odd one; where that does not decide,
// nobody is named.

import type { Remedy } from '#model/finding.ts';
import { interfaceResource, type LinkEnd, nodeResource } from '#model/names.ts';
import type { IsisCircuit } from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { majority, newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { circuitOf, type World } from '../../network/world.ts';

export type CircuitEnd = { readonly end: LinkEnd; readonly circuit: IsisCircuit | undefined };

export function isisLinks(
  file: CaseFile,
): readonly { readonly symptom: Symptom; readonly ends: readonly [CircuitEnd, CircuitEnd] }[] {
  return symptomsOfKind(file, 'isis').flatMap((symptom) => {
    if (symptom.link === undefined) return [];
    const { from, to } = symptom.link;
    const ends = [from, to].map((end) => ({ end, circuit: circuitOf(file.world, end) })) as [CircuitEnd, CircuitEnd];
    return [{ symptom, ends }];
  });
}

/** Proposals for one property in which the two ends of a link differ. */
export function differing<T>(
  file: CaseFile,
  rule: FaultDefinition,
  property: (circuit: IsisCircuit) => T,
  words: (value: T) => string,
  /** What makes the odd end like the other, or why that cannot be told. */
  exact: (end: LinkEnd, wanted: T) => Pick<Remedy, 'change' | 'decide'>,
): readonly Proposal[] {
  return isisLinks(file).flatMap(({ symptom, ends }) => {
    const [one, other] = ends;
    if (one.circuit === undefined || other.circuit === undefined) return [];
    const values = [property(one.circuit), property(other.circuit)] as const;
    if (values[0] === values[1]) return [];
    const usual = majority(otherCircuits(file.world, [one.end, other.end]).map(property));
    const odd = [one, other].filter((_, index) => values[index] !== usual);
    const decided = odd.length === 1;
    return (decided ? odd : [one, other]).map(({ end, circuit }) =>
      newProposal(
        rule,
        rule.resource === 'node' ? nodeResource(end.node) : interfaceResource(end),
        [shareOf(symptom)],
        symptom.source,
        {
          details: {
            what: symptom.text,
            here: words(property(circuit!)),
            there: words(values[end === one.end ? 1 : 0]),
          },
          remedy: {
            node: end.node,
            summary: `make ${mark(end.node)} ${end.ifname} agree with the other end: ${words(values[end === one.end ? 1 : 0])}`,
            ...(decided ? exact(end, values[end === one.end ? 1 : 0]) : {}),
          },
          ...(decided
            ? {}
            : {
                withheld: `the two ends differ (${words(values[0])}, ${words(values[1])}), and nothing says which is right`,
              }),
        },
      ),
    );
  });
}

/** Active circuits of everybody, the two ends of the link in question left out. */
function otherCircuits(world: World, except: readonly LinkEnd[]): readonly IsisCircuit[] {
  return activeCircuits(world, except).map(({ circuit }) => circuit);
}

export function activeCircuits(
  world: World,
  except: readonly LinkEnd[],
): readonly { readonly end: LinkEnd; readonly circuit: IsisCircuit }[] {
  return [...world.views.values()].flatMap(({ node, state }) =>
    (state.isis?.circuits ?? [])
      .filter(
        (circuit) =>
          !circuit.passive &&
          circuit.ifname !== 'lo' &&
          !except.some((end) => end.node === node && end.ifname === circuit.ifname),
      )
      .map((circuit) => ({ end: { node, ifname: circuit.ifname }, circuit })),
  );
}
