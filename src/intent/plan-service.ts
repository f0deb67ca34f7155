// The calls for a service that the operator names: tried from the asked node and from the router that the host is attached to, so
// that a host which refuses is told from a network that does not carry. Pure; empty when nobody of the scope is attached to it.
import { covers } from '#base/ip.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Intent } from '#model/intent.ts';
import type { NodeState } from '#model/router-port.ts';
import type { Knock } from '#model/stations.ts';
import { KNOCK_TOOL, knockCall } from './plan-stations.ts';

type States = ReadonlyMap<string, NodeState>;

export function planService(
  { service, destination, path }: Intent,
  states: States,
  home: string,
): readonly PlannedCall[] {
  if (service === undefined || destination === undefined || destination.includes(':')) return [];
  const address = destination.split('/')[0]!;
  const knock: Knock = {
    destination: address,
    service: service.name === 'dns' ? 'udp' : 'tcp',
    port: service.port,
    ...(service.record === undefined ? {} : { record: service.record }),
  };
  const attached = [...states].filter(([, state]) => isAttached(state, address)).map(([node]) => node);
  const asker = [...states.keys()].find(
    (node) => path.length > 0 && node.toLowerCase().replace(/[-_]/g, '') === path[0]!.key,
  );
  return [...new Set([asker ?? home, ...attached])]
    .filter((node) => states.has(node))
    .map((node) => ({
      ...knockCall(node, [knock, { destination: address, service: 'echo' }]),
      id: `probe/${node}/${KNOCK_TOOL}/asked`,
    }));
}

function isAttached({ inventory }: NodeState, address: string): boolean {
  return inventory.interfaces.some(
    (entry) => entry.kind !== 'loopback' && entry.addresses.some((own) => !own.endsWith('/0') && covers(own, address)),
  );
}
