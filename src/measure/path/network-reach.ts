// Whether what hosts behind one end of a path send gets to the networks behind the other, and is answered: probes from each end's own addresses on its
// networks of hosts to the addresses that the other end has on its own. A rule, a route or a policy may take what comes from one network and
// spare the loopbacks, from which all other probes along the path leave. Never in the name of a host. Pure; bounded in addresses and probes.
import type { PlannedCall } from '#model/call.ts';
import { callFor } from '../call.ts';
import { decodeReach } from '../decode/decode-measurements.ts';
import type { NetworkPair } from '../doubts.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { reachCall } from '../links/end-to-end.ts';
import { defineMeasurement } from '../measurement.ts';
import { sourcesOf } from '../probe-sources.ts';
import type { Scope } from '../scope.ts';
import { scopeLinks } from '../scope-links.ts';
import type { States } from '../states.ts';
import { HOST_NETWORKS, hostAddresses, REACH_PROBES } from './path-reach.ts';

/** Addresses of one end and family that are looked at again: as many as are looked at first. */
const AGAIN_SENDERS = 4;

export const networkReach = defineMeasurement({
  kinds: ['network-reach'],
  about: 'path',
  rounds: {
    first: planNetworkReach,
    // After the others: a limiter of one of the ends may let few packets of all pass.
    followUp: (_, { networks = [] }) => planAgain(networks),
  },
  read: decodeReach,
});

export function planNetworkReach({ nodes, states }: Scope): readonly PlannedCall[] {
  const [head, tail] = [nodes[0], nodes.at(-1)];
  if (head === undefined || tail === undefined || head === tail) return [];
  return [...probesOf(head, tail, states), ...probesOf(tail, head, states)];
}

function probesOf(from: string, to: string, states: States): readonly PlannedCall[] {
  const networks = networksBehind(states, from);
  const goals = networksBehind(states, to);
  return ([4, 6] as const).flatMap((family) => {
    const isOf = (address: string) => address.includes(':') === (family === 6);
    const usable = sourcesOf(states, from, family);
    const destinations = goals.filter(isOf).slice(0, HOST_NETWORKS);
    const senders = networks.filter((address) => usable.includes(address)).slice(0, HOST_NETWORKS);
    if (destinations.length === 0) return [];
    const timeoutMs = destinations.length * REACH_PROBES + MEASURE_LIMITS.measureCallMs;
    return senders.map((sender) =>
      callFor(
        from,
        { kind: 'network-reach', sender, round: 'first' },
        { destinations, count: REACH_PROBES, sources: [sender] },
        timeoutMs,
      ),
    );
  });
}

/** With many more probes, what lost some. */
function planAgain(pairs: readonly NetworkPair[]): readonly PlannedCall[] {
  const groups = Map.groupBy(pairs, ({ from, sender }) => `${from} ${sender}`);
  const placeOf = ([first]: readonly NetworkPair[]) => `${first!.from} ${first!.sender.includes(':')}`;
  return [...Map.groupBy([...groups.values()], placeOf).values()].flatMap((mine) =>
    mine.slice(0, AGAIN_SENDERS).map((rows) => {
      const { from, sender } = rows[0]!;
      const destinations = rows.map(({ destination }) => destination).slice(0, HOST_NETWORKS);
      return reachCall(from, { kind: 'network-reach', sender, round: 'confirmation' }, destinations, [sender]);
    }),
  );
}

/** Without those that are links between nodes of the path. */
function networksBehind(states: States, node: string): readonly string[] {
  const inner = new Set(
    scopeLinks(states).flatMap(({ from, to }) => [from, to].flatMap((end) => (end.node === node ? end.ifname : []))),
  );
  const ports = (states.get(node)?.inventory.interfaces ?? []).filter(({ name }) => !inner.has(name));
  const own = new Set(ports.flatMap(({ addresses }) => addresses.map((address) => address.split('/')[0]!)));
  return hostAddresses(states, node).filter((address) => own.has(address));
}
