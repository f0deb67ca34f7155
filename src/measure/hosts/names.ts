// The calls about name servers. Hosts that were heard to ask an address that no host was seen to get names from: their router, and the one
// that the address is attached to, try whether a server answers there. And a name server that was slow at the first look is timed,
// with echoes beside it, by its own router. Only where a name server is known; pure.
import type { PlannedCall } from '#model/call.ts';
import { coversHost } from '#model/hosts/host-places.ts';
import { isNameServer, isSlowAnswer, nameServersIn } from '#model/hosts/name-servers.ts';
import type { ServiceProbe } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { ServiceTried } from '../doubts.ts';
import type { States } from '../states.ts';
import { defineServiceProbes, serviceProbeCalls } from './service-probe.ts';

export const nameServers = defineServiceProbes({
  first: ({ states }) => planAskedNames(states),
  confirmation: ({ states }, { serviceProbes }) => planNameTimes(states, serviceProbes),
});

export function planAskedNames(states: States): readonly PlannedCall[] {
  if (nameServersIn(states.values()).length === 0) return [];
  const wanted = new Map<string, Set<string>>();
  for (const [node, state] of states) {
    const asked = (state.history?.heard ?? []).filter(({ what }) => what === 'dns-query').map(({ to }) => to);
    for (const address of asked.filter((each) => !isNameServer(states.values(), each))) {
      const near = [...states].filter(([, other]) => isAttached(other, address)).map(([other]) => other);
      if (near.length === 0) continue;
      for (const from of [node, ...near]) wanted.set(from, (wanted.get(from) ?? new Set()).add(address));
    }
  }
  return [...wanted].flatMap(([node, addresses]) =>
    serviceProbeCalls(node, 'asked-names', [...addresses].sort().map(dnsProbe)),
  );
}

/** Name servers of a router's own networks that did not answer it at once and did not refuse. */
export function planNameTimes(states: States, serviceProbes: readonly ServiceTried[]): readonly PlannedCall[] {
  return [...states].flatMap(([node, state]) => {
    const slow = nameServersIn([state]).filter((address) => {
      const tries = serviceProbes.filter(
        (each) => each.from === node && each.destination === address && each.port === 53,
      );
      return isAttached(state, address) && tries.length > 0 && tries.every(isSlowAnswer);
    });
    const timed = slow.map((address) => ({ ...dnsProbe(address), timed: true }));
    return serviceProbeCalls(node, 'name-times', timed, 'confirmation');
  });
}

function dnsProbe(destination: string): ServiceProbe {
  return { destination, service: 'udp', port: 53 };
}

/** In a network for more than two. */
function isAttached({ inventory }: NodeState, address: string): boolean {
  return inventory.interfaces.some(
    (entry) => entry.kind !== 'loopback' && entry.addresses.some((own) => coversHost(own, address)),
  );
}
