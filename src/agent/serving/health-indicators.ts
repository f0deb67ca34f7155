// Indicators for the health gate in a node's own state: adjacencies, routing sessions and links that are up, each with the time after which
// a dead one would go down. Marks what the configuration has switched off. Nothing counts as alive because a report lacks it.
import { type OspfInterface, ospfName, ospfRows } from '#model/router/control-plane.ts';
import type { Adjacency, NodeState } from '#model/router/router-port.ts';

export type Indicator = {
  /** Remaining hold time; the default of IS-IS (RFC 1195) if the node reports none. */
  readonly leftSeconds?: number;
  /** Age of the neighbour's last packet. */
  readonly heardAgoMs?: number;
  /** Its presence is proof: the reporting party answered just now. */
  readonly isProof?: true;
  /** Switched off by configuration, which a change may intend. */
  readonly isOff?: true;
};

export type Indicators = ReadonlyMap<string, Indicator>;

/** A BGP session's hold time (RFC 4271 §10), and OSPF's dead interval (RFC 2328 §C.3), if the node reports none. */
const BGP_HOLD_SECONDS = 180;
const OSPF_DEAD_SECONDS = 40;
/** More than the detection time of BFD with any timers that are in use. */
const BFD_SECONDS = 5;

/** A device may report a link down some seconds after the change. */
const LINK_SECONDS = 5;

/** Parts of the state that are needed to tell which sessions are up. */
const NEEDED = ['adjacencies', 'daemons', 'bgp', 'bfd', 'ospf', 'ospf6'];

export function unseenIn({ missing }: NodeState): string | undefined {
  const parts = missing.filter(({ part }) => NEEDED.includes(part));
  return parts.length === 0 ? undefined : parts.map(({ part, reason }) => `${part}: ${reason}`).join('; ');
}

export function indicatorsOf(node: string, state: NodeState): Indicators {
  return new Map([
    ...state.adjacencies.filter(({ state: is }) => is === 'up').map((entry) => adjacencyIndicator(node, entry)),
    ...bgpIndicators(state),
    ...(state.bfd ?? []).flatMap(bfdIndicator),
    ...ospfRows(state).flatMap(ospfIndicators),
    ...linkIndicators(state),
  ]);
}

export function adjacencyIndicator(node: string, adjacency: Adjacency): [string, Indicator] {
  const { hostname, systemId, ifname, holdSeconds } = adjacency;
  const key = `${node} sees ${hostname ?? systemId} on ${ifname}`;
  return [key, holdSeconds === undefined ? {} : { leftSeconds: holdSeconds }];
}

/** A session of the baseline that is gone from a complete state because the configuration no longer has it. */
export function isConfiguredAway(key: string, state: NodeState): boolean {
  if (unseenIn(state) !== undefined) return false;
  const peer = /^BGP with (.*)$/.exec(key)?.[1];
  return peer !== undefined && !(state.bgp?.sessions ?? []).some((session) => session.peer === peer);
}

function bgpIndicators({ bgp }: NodeState): [string, Indicator][] {
  return (bgp?.sessions ?? []).flatMap(({ peer, state, shutdown, heardAgoMs }): [string, Indicator][] => {
    const key = `BGP with ${peer}`;
    if (shutdown) return [[key, { isOff: true }]];
    if (state !== 'Established') return [];
    return [[key, { leftSeconds: BGP_HOLD_SECONDS, ...(heardAgoMs === undefined ? {} : { heardAgoMs }) }]];
  });
}

function bfdIndicator({ peer, status }: NonNullable<NodeState['bfd']>[number]): [string, Indicator][] {
  const key = `BFD with ${peer}`;
  if (status === 'shutdown') return [[key, { isOff: true }]];
  return status === 'up' ? [[key, { leftSeconds: BFD_SECONDS }]] : [];
}

function ospfIndicators(row: OspfInterface): [string, Indicator][] {
  const { ifname, deadMs, neighbours } = row;
  const leftSeconds = deadMs === undefined ? OSPF_DEAD_SECONDS : deadMs / 1_000;
  const full = neighbours.filter(({ state }) => state === 'Full');
  return full.map(({ routerId }) => [`${ospfName(row)} with ${routerId} on ${ifname}`, { leftSeconds }]);
}

/** Links, for devices that report no neighbours; on others the neighbour proves more than the link. */
function linkIndicators({ inventory }: NodeState): [string, Indicator][] {
  if (inventory.driver !== 'netconf') return [];
  return inventory.interfaces
    .filter(({ kind }) => kind !== 'loopback')
    .flatMap(({ name, adminUp, operUp }): [string, Indicator][] => {
      if (!adminUp) return [[`${name} is up`, { isOff: true }]];
      return operUp ? [[`${name} is up`, { leftSeconds: LINK_SECONDS }]] : [];
    });
}
