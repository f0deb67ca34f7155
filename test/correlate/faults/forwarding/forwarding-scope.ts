// The row r1 – r2 – r3 of scope-scene.ts with how each kernel forwards, and with what the lookups matched: for tests of forwarding settings.
import type { ForwardingState, PolicyRule } from '#model/router/forwarding.ts';
import type { InputRoute, NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { named, type Scene, stateOf } from '../../scope-scene.ts';

type Node = 'r1' | 'r2' | 'r3';

/** All interfaces of a node that are no loopback forward, and nothing is unusual. */
export function forwardingOf(state: NodeState, change: Partial<ForwardingState> = {}): ForwardingState {
  const interfaces = state.inventory.interfaces
    .filter(({ kind }) => kind !== 'loopback')
    .map(({ name: ifname }) => ({ ifname, ipv4: true, reversePath: 'off' as const }));
  return { ipv4: true, ipv6: true, interfaces, policyRules: [], ...change };
}

/** IPv4 off as `net.ipv4.ip_forward=0` does it: on every interface. */
export const ipv4Off = (state: NodeState): ForwardingState =>
  forwardingOf(state, {
    ipv4: false,
    interfaces: forwardingOf(state).interfaces.map((row) => ({ ...row, ipv4: false })),
  });

/** A route for the whole network of hosts, as a protocol makes it. */
export const networkRoute = (destination: string, ifname: string, change: Partial<RouteAnswer> = {}): RouteAnswer => ({
  ...{ destination, kind: 'unicast', ifname, protocol: 'isis', matched: destination.replace(/\.1$/, '.0/24') },
  ...change,
});

/** Of r2, whose neighbours both have hosts. */
export const R2_LOOKUPS = [networkRoute('198.19.1.1', 'eth1'), networkRoute('198.19.3.1', 'eth2')];

export function withForwarding(
  forwarding: Partial<Record<Node, (state: NodeState, phase: 'before' | 'after') => NodeState['forwarding']>>,
  rest: Scene = {},
): Scene {
  const states: Record<string, (state: NodeState, phase: 'before' | 'after') => NodeState> = {};
  for (const node of ['r1', 'r2', 'r3'] as const)
    states[node] = (state, phase) => {
      const changed = rest.states?.[node]?.(state, phase) ?? state;
      const { forwarding: _, ...without } = changed;
      const now = (forwarding[node] ?? forwardingOf)(changed, phase);
      return now === undefined ? without : { ...without, forwarding: now };
    };
  return { lookups: { r2: R2_LOOKUPS, ...rest.lookups }, ...rest, states };
}

export const found = (...args: Parameters<typeof withForwarding>): readonly string[] => named(withForwarding(...args));

export const rule = (change: Partial<PolicyRule>): PolicyRule => ({
  ...{ family: 'ipv4', priority: 100, action: 'table', table: 100 },
  ...change,
});

/** r1 looks up the others' addresses; `input` is what its kernel answers for packets of its own host, or nothing. */
export function inputsAtR1(input: (destination: string) => Partial<InputRoute> | undefined): readonly RouteAnswer[] {
  return ['198.19.255.2', '198.19.255.3', '198.19.3.1'].map((destination): RouteAnswer => {
    const said = input(destination);
    const own = { destination, kind: 'unicast' as const, ifname: 'eth2', protocol: 'isis' };
    if (said === undefined) return own;
    return { ...own, inputs: [{ ifname: 'eth3', source: '198.19.1.10', kind: 'unicast', ...said }] };
  });
}

export { stateOf };
