// Symptoms of MAC addresses that one end alone can tell of, because the other does not answer: a host on a link claims the MAC
// address that this node itself has there. Named when a neighbour is heard on the link, so that both ends are known.
import { interfaceResource, nodeKey } from '#model/names.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { linkOn, type World } from '../../network/world.ts';

export function ownMacElsewhere(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state, sources }) =>
    state.inventory.interfaces.flatMap((entry): readonly Symptom[] => {
      const heard = state.neighbours.find((each) => each.ifname === entry.name);
      const peer = world.nodes.find((each) => nodeKey(each) === nodeKey(heard?.systemName ?? ''));
      const port = heard?.portId;
      // Where both ends tell, they are compared.
      if (peer === undefined || port === undefined || linkOn(world, { node, ifname: entry.name }).length > 0) return [];
      const own = entry.addresses.map((address) => address.split('/')[0]!);
      const claimed = [state, world.views.get(node)?.before]
        .flatMap((each) => each?.neighbourTable ?? [])
        .find(
          (row) =>
            row.ifname === entry.name &&
            row.mac !== undefined &&
            row.mac.toLowerCase() === entry.mac?.toLowerCase() &&
            !/PERMANENT|NOARP/.test(row.state) &&
            !own.includes(row.address),
        );
      if (claimed === undefined) return [];
      const ends = [interfaceResource({ node, ifname: entry.name }), interfaceResource({ node: peer, ifname: port })];
      return [
        {
          id: `duplicate:${ends[0]}`,
          kind: 'duplicate',
          subject: ends[0]!,
          text: `${mark(node)} ${entry.name}: ${claimed.address} of ${mark(peer)} ${port} has the MAC address ${claimed.mac} of ${mark(node)} itself`,
          source: sources,
          nodes: [node, peer],
          detail: { mac: claimed.mac!, owners: ends, node, ifname: entry.name },
        },
      ];
    }),
  );
}
