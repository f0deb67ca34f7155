// Ports and what they belong to: of a port of a bridge or a bond, addresses, protocols and probes are on the bridge or the bond. Of a VRF they stay
// on the port. What a node does not tell is not guessed here.
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import type { InterfaceState, NodeState } from '../router/router-port.ts';

/** The interface that speaks for a port: the bridge over the bond that it belongs to, else the port itself. */
export function speakerOf({ inventory }: Pick<NodeState, 'inventory'>, ifname: string): string {
  let name = ifname;
  for (let level = 0; level < MODEL_LIMITS.masterLevels; level += 1) {
    const master = joined(inventory.interfaces.find((entry) => entry.name === name));
    if (master === undefined) return name;
    name = master;
  }
  return name;
}

/** Ports of each bridge and bond by its name, those below a bond that is a port of a bridge among them. */
export function portsByMaster(state: Pick<NodeState, 'inventory'>): ReadonlyMap<string, readonly InterfaceState[]> {
  const entries = state.inventory.interfaces.slice(0, LIMITS.nodeInterfaces);
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const found = new Map<string, InterfaceState[]>();
  for (const entry of entries) {
    let master = joined(entry);
    for (let level = 0; master !== undefined && level < MODEL_LIMITS.masterLevels; level += 1) {
      const ports = found.get(master) ?? [];
      if (!ports.includes(entry)) ports.push(entry);
      found.set(master, ports);
      master = joined(byName.get(master));
    }
  }
  return found;
}

/** Frames that arrive at the port go on to others: it belongs to a bridge that has more ports. */
export function isSwitched({ inventory }: Pick<NodeState, 'inventory'>, ifname: string): boolean {
  const bridge = bridgeOf(inventory.interfaces, ifname);
  return bridge !== undefined && inventory.interfaces.filter(({ master }) => master?.name === bridge).length > 1;
}

function bridgeOf(entries: readonly InterfaceState[], ifname: string): string | undefined {
  let name = ifname;
  for (let level = 0; level < MODEL_LIMITS.masterLevels; level += 1) {
    const entry = entries.find((each) => each.name === name);
    const master = joined(entry);
    if (master === undefined || entry?.master?.kind === 'bridge') return master;
    name = master;
  }
  return undefined;
}

/** The bridge or bond that an interface is a port of. */
function joined(entry: InterfaceState | undefined): string | undefined {
  const { master } = entry ?? {};
  return master?.kind === 'bridge' || master?.kind === 'bond' ? master.name : undefined;
}
