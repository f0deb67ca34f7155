// Names that a server on a router's port gave the router an address for, as long as it watched, and does not know any more when the router
// asks again; or that it gave another and denied the same one later. Without the second answer nobody is blamed: what is remembered is what
// was. A name that others were given, and the router never, nobody can judge: it keeps the server from being well.

import { nodeResource } from '#model/names.ts';
import type { LostName } from '#model/router/host-history.ts';
import type { Proof } from '../../engine/facts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import type { ServiceProbeSeen, View, World } from '../../network/world.ts';

export function recordSymptoms(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap((view) =>
    ((view.before ?? view.state).history?.watchedHosts?.names ?? []).flatMap((row) => {
      if (world.service?.address === row.address && world.service.record === row.name) return [];
      const tries = triesOf(world, view, row);
      return row.othersOnly !== true && isDenied(tries)
        ? [
            lostName(
              view,
              row,
              tries.map(({ source }) => source),
            ),
          ]
        : [];
    }),
  );
}

/** A server that gave others a name, and not its router, which asked more than once; nobody was given it since, as far as was heard. */
export function recordProof(world: World): Proof {
  const lacking = [...world.views.values()].flatMap((view) =>
    (view.before?.history?.watchedHosts?.names ?? []).flatMap((row) => {
      const still = (view.after ?? view.state).history?.watchedHosts?.names.some(
        (each) => each.othersOnly === true && each.address === row.address && each.name === row.name,
      );
      return row.othersOnly === true && still === true && isDenied(triesOf(world, view, row))
        ? [
            `DNS at ${row.address} behind ${mark(view.node)}: gave others ${row.name} ${Math.round(row.okAgoMs / 1_000)} s ago and does not give it to its router; whether it still gives it to others was not seen`,
          ]
        : [];
    }),
  );
  return { proven: [], lacking };
}

function triesOf(world: World, { node }: View, { address, name }: LostName): readonly ServiceProbeSeen[] {
  return world.serviceProbes.filter(
    (serviceProbe) =>
      serviceProbe.from === node && serviceProbe.destination === address && serviceProbe.record === name,
  );
}

function isDenied(tries: readonly ServiceProbeSeen[]): boolean {
  return tries.length > 0 && tries.every((serviceProbe) => serviceProbe.open && serviceProbe.found === false);
}

/** As the symptom of a name that the operator asks about. */
export function lostName(
  view: View,
  { ifname, address, name, okAgoMs }: LostName,
  sources: readonly string[],
): Symptom {
  const { node } = view;
  return {
    id: `name:${name}/${address}`,
    kind: 'service',
    subject: nodeResource(node),
    text: `DNS at ${address} behind ${mark(node)}: answers, and does not know ${name}, which it knew ${Math.round(okAgoMs / 1_000)} s ago`,
    source: [...sources, ...view.sources],
    nodes: [node],
    detail: { how: 'no-record', name: 'dns', address, port: 53, node, ifname, seen: true, record: name },
  };
}
