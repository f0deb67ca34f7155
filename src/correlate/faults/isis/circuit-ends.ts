// Links whose IS-IS adjacency is not up at both ends, with what each end's circuit is configured to do.
import type { LinkEnd } from '#model/names.ts';
import type { IsisCircuit } from '#model/router/control-plane.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { routedEnds } from '../../network/routed-ends.ts';
import { circuitOf, type World } from '../../network/world.ts';
import { isisSymptom } from '../../symptoms/adjacency.ts';

export type CircuitEnd = { readonly end: LinkEnd; readonly circuit: IsisCircuit | undefined };

export type BrokenAdjacency = { readonly symptom: Symptom; readonly ends: readonly [CircuitEnd, CircuitEnd] };

export function brokenAdjacencies(file: CaseFile): readonly BrokenAdjacency[] {
  return isisSymptom.of(file).flatMap((symptom) => {
    if (symptom.link === undefined) return [];
    const [from, to] = routedEnds(file.world, symptom.link);
    const endAt = (end: LinkEnd): CircuitEnd => ({ end, circuit: circuitOf(file.world, end) });
    return [{ symptom, ends: [endAt(from), endAt(to)] as const }];
  });
}

/** Active circuits of all nodes, but for the ends of the link in question. */
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
