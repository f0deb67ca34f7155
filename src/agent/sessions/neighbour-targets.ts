// Where the agent of a node that this node hears itself answers: where a session with it stood before, over the link, whatever the routes are,
// and what it announced, as far as that leads to the link on which it is heard or where this node may dial. Only on an agent's port, and never
// to this node itself. Nothing that another node told: a peer that lies must not send this node's connections anywhere.
import type { Clock } from '#base/clock.ts';
import { covers, parsePrefix } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import { createOutage, type Log } from '#base/log.ts';
import { nodeKey } from '#model/names.ts';
import type { PeerHint, PeerRecord, PeerTable } from '#model/peer.ts';
import type { NodeState, RouterPort } from '#model/router/router-port.ts';
import type { PlainTarget } from '#mtls/dial-plain.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { MayDial } from './told-addresses.ts';

/** Best first; none where this node hears no such node. */
export type NeighbourTargets = (node: string, signal: AbortSignal) => Promise<readonly PlainTarget[]>;

export function createNeighbourTargets(parts: {
  readonly router: Pick<RouterPort, 'state'>;
  readonly peers: Pick<PeerTable, 'find'>;
  /** On which this node's own agent listens: agents of a domain share one. */
  readonly port: number;
  /** For announced addresses that are not on the link on which the node is heard. */
  readonly mayDial: MayDial;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
}): NeighbourTargets {
  const outage = createOutage({
    ...parts,
    broken: 'the neighbours of this node could not be read',
    back: 'the neighbours of this node can be read again',
  });
  let read: { readonly atMs: number; readonly state: Promise<NodeState | undefined> } | undefined;
  /** One reading serves all that is relayed within a short time. */
  const stateNow = () => {
    const nowMs = parts.clock.monotonicMs();
    if (read === undefined || nowMs - read.atMs > AGENT_LIMITS.neighbourStateMs) {
      const reading = parts.router.state(AbortSignal.timeout(AGENT_LIMITS.relayMs), 'all');
      const state = reading.then(
        (found) => {
          outage.worked();
          return found;
        },
        (error: unknown) => {
          outage.failed(error);
          return undefined;
        },
      );
      read = { atMs: nowMs, state };
    }
    return read.state;
  };
  return async (node, signal) => {
    const record = parts.peers.find(node);
    const state = await stateNow();
    signal.throwIfAborted();
    const proven = provenOf(record);
    // Without a state this node cannot tell its own addresses from others.
    if (state === undefined) return proven;
    const ports = [...new Set([...proven.map(({ port }) => port), parts.port])];
    const hints = (record?.hints ?? []).filter(({ source }) => source !== 'peer-exchange');
    const heard = await Promise.all(hints.map((hint) => heardOf(hint, { ...parts, node, state, ports })));
    signal.throwIfAborted();
    const overLinks = [...linkAddresses(state, node), ...linkLocalAddresses(state, node)];
    const all = [
      ...proven,
      ...overLinks.flatMap((address) => ports.map((port) => ({ address, port }))),
      ...heard.flat(),
    ].filter(({ address }) => !isOwn(state, address));
    return [...new Map(all.map((target) => [`${target.address} ${target.port}`, target])).values()];
  };
}

/** Where TLS proved that it was this node. */
function provenOf(record: PeerRecord | undefined): readonly PlainTarget[] {
  return [record?.verified, record?.remembered].flatMap((proven) =>
    proven === undefined ? [] : [{ address: proven.address, port: proven.port }],
  );
}

type Hearing = {
  readonly node: string;
  readonly state: NodeState;
  /** On which an agent is known to listen. */
  readonly ports: readonly number[];
  readonly mayDial: MayDial;
};

/** An LLDP frame or an IS-IS announcement is proved by no certificate: it chooses neither the port nor an address elsewhere. The operator's own configuration does. */
async function heardOf(hint: PeerHint, { node, state, ports, mayDial }: Hearing): Promise<readonly PlainTarget[]> {
  const { addresses, port, source } = hint;
  if (source === 'static') return addresses.map((address) => ({ address, port }));
  if (!ports.includes(port)) return [];
  const ifnames = portsTo(state, node);
  const onLinks = state.inventory.interfaces
    .filter(({ name, operUp }) => ifnames.has(name) && operUp)
    .flatMap((entry) => entry.addresses);
  const may = await Promise.all(
    addresses.map((address) => onLinks.some((prefix) => covers(prefix, address)) || mayDial(address)),
  );
  return addresses.filter((_, index) => may[index]).map((address) => ({ address, port }));
}

function isOwn({ inventory }: NodeState, address: string): boolean {
  const meant = parsePrefix(withoutZone(address));
  return inventory.interfaces.some(({ addresses }) =>
    addresses.some((each) => {
      const own = parsePrefix(each);
      return own !== undefined && own.family === meant?.family && own.value === meant.value;
    }),
  );
}

function withoutZone(address: string): string {
  return address.split('%')[0]!;
}

/** The far address of each two-address subnet on interfaces where LLDP sees, or last saw, this neighbour, and what the link's neighbours have. */
export function linkAddresses(state: NodeState, node: string): readonly string[] {
  const ifnames = portsTo(state, node);
  const known = (state.neighbourTable ?? []).filter((row) => ifnames.has(row.ifname)).map((row) => row.address);
  const computed = state.inventory.interfaces
    .filter((entry) => ifnames.has(entry.name) && entry.operUp)
    .flatMap((entry) => entry.addresses)
    .flatMap((address) => otherOfTwo(address) ?? []);
  const usable = [...computed, ...known].filter((address) => !LINK_LOCAL.test(address));
  return [...new Set(usable)].slice(0, LIMITS.hintAddresses);
}

const LINK_LOCAL = /^fe[89ab]/i;

/** With their zone: for links that have no other addresses. */
function linkLocalAddresses(state: NodeState, node: string): readonly string[] {
  const ifnames = portsTo(state, node);
  const rows = (state.neighbourTable ?? []).filter(
    ({ ifname, address }) => ifnames.has(ifname) && LINK_LOCAL.test(address),
  );
  return [...new Set(rows.map(({ address, ifname }) => `${address}%${ifname}`))].slice(0, LIMITS.hintAddresses);
}

function portsTo(state: NodeState, node: string): ReadonlySet<string> {
  const heard = [
    ...state.neighbours.map((entry) => ({ ifname: entry.ifname, name: entry.systemName ?? '' })),
    ...(state.history?.lastHeard ?? []),
  ];
  return new Set(heard.filter((entry) => nodeKey(entry.name) === nodeKey(node)).map((entry) => entry.ifname));
}

/** `198.18.0.1` of `198.18.0.0/31`, `fd00::` of `fd00::1/127`. */
function otherOfTwo(text: string): string | undefined {
  const prefix = parsePrefix(text);
  if (prefix === undefined) return undefined;
  const other = prefix.value ^ 1n;
  if (prefix.family === 4 && prefix.prefixBits === 31)
    return [24n, 16n, 8n, 0n].map((shift) => String((other >> shift) & 255n)).join('.');
  if (prefix.family !== 6 || prefix.prefixBits !== 127) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) => ((other >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  return groups.join(':');
}
