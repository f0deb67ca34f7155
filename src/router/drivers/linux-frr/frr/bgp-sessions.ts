// The BGP sessions of a node, however many: a summary of each address family first, then what bgpd says of single neighbours, in bounded batches:
// those that are not up before all others, then those on the node's own links, then the youngest. Of the rest the summary speaks.
import { ParleyError } from '#base/error.ts';
import { covers } from '#base/ip.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { ROUTER_LIMITS } from '../../../limits.ts';
import type { FrrQuery } from '../../../protocol/read-operations.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { textOf } from '../kernel/ip-command.ts';
import { type BgpNeighbours, jsonOf, objectOf } from './daemons-json.ts';
import { type BgpConfig, parseBgpConfig } from './frr-config.ts';

/** By their names in an answer of bgpd. */
const FAMILIES = { ipv4Unicast: 'bgp-summary-ipv4', ipv6Unicast: 'bgp-summary-ipv6' } as const satisfies Record<
  string,
  FrrQuery
>;
/** Asked only where the configuration has the family, named as there: sessions of a range that have no other are in no other summary. */
const FURTHER: Readonly<Record<string, Readonly<Record<string, FrrQuery>>>> = {
  'l2vpn evpn': { l2VpnEvpn: 'bgp-summary-evpn' },
  'ipv4 vpn': { ipv4Vpn: 'bgp-summary-vpnv4' },
  'ipv6 vpn': { ipv6Vpn: 'bgp-summary-vpnv6' },
};

export type BgpAsk = {
  frr(query: FrrQuery): Promise<string>;
  /** What bgpd says of each of these, by peer; at most ROUTER_LIMITS.bgpNeighbours. */
  neighbours(peers: readonly string[]): Promise<JsonObject>;
};

/** What bgpd says of each neighbour of its default instance, the first of them where there are many; of none without one, of which it refuses a summary. */
export async function readTold(ask: BgpAsk): Promise<JsonObject> {
  const config = parseBgpConfig(await ask.frr('bgp-config'));
  if (config === undefined) return {};
  const { rows, whole } = await readRows(ask, config);
  if (whole) return Object.fromEntries(rows);
  const peers = [...new Set([...rows.keys(), ...config.peers])].slice(0, DRIVER_LIMITS.bgpNeighboursTold);
  return Object.fromEntries(await readDetails(ask, peers));
}

/** `whole`: all that bgpd says of every neighbour. So reads a helper of an earlier version, which an upgrade has not restarted yet: it knows no summary. */
async function readRows(
  ask: BgpAsk,
  config: Pick<BgpConfig, 'families'>,
): Promise<BgpNeighbours & { readonly whole?: true }> {
  try {
    return await readSummary(ask, config);
  } catch (error) {
    if (!(error instanceof ParleyError) || error.code !== 'caller/bad-argument') throw error;
    const told = Object.entries(objectOf(jsonOf(await ask.frr('bgp-neighbours'))));
    return {
      rows: new Map(told.filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))),
      whole: true,
    };
  }
}

/** A family that a session has no part in is not in its `addressFamilyInfo`. */
async function readSummary(ask: BgpAsk, config: Pick<BgpConfig, 'families'>): Promise<BgpNeighbours> {
  const rows = new Map<string, JsonObject>();
  let routerId: string | undefined;
  // One after the other: a daemon's queue of connections is short.
  const further = config.families.flatMap((name) => Object.entries(FURTHER[name] ?? {}));
  for (const [family, query] of [...Object.entries(FAMILIES), ...further]) {
    const told = summaryIn(jsonOf(await ask.frr(query)), family);
    routerId ??= textOf(told['routerId']);
    for (const [peer, row] of Object.entries(objectOf(told['peers']))) {
      if (!isJsonObject(row)) continue;
      const known = rows.get(peer);
      const families = { ...objectOf(known?.['addressFamilyInfo']), [family]: {} };
      rows.set(peer, { ...(known ?? rowOf(row)), addressFamilyInfo: families });
    }
  }
  return { rows, ...(routerId === undefined ? {} : { routerId }) };
}

/** `untold`: sessions that are not up, and of which only the summary was read. The neighbours of `config`: a summary leaves them out where no family is activated for them. */
export async function readNeighbours(
  ask: BgpAsk,
  config: Pick<BgpConfig, 'families' | 'peers'>,
  addresses: readonly string[],
): Promise<BgpNeighbours & { readonly untold: number }> {
  const { rows, routerId, whole } = await readRows(ask, config);
  if (whole) return { rows, untold: 0 };
  const peers = inOrder([...new Set([...rows.keys(), ...config.peers])], rows, addresses);
  const told = await readDetails(ask, peers.slice(0, DRIVER_LIMITS.bgpNeighbourDetails));
  const left = peers.slice(DRIVER_LIMITS.bgpNeighbourDetails);
  return {
    rows: new Map([...rows, ...told]),
    untold: left.filter((peer) => !isUp(rows.get(peer))).length,
    ...(routerId === undefined ? {} : { routerId }),
  };
}

/** Batch by batch, each of them one answer of the helper. */
async function readDetails(
  ask: Pick<BgpAsk, 'neighbours'>,
  peers: readonly string[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  for (let at = 0; at < peers.length; at += ROUTER_LIMITS.bgpNeighbours) {
    const told = await ask.neighbours(peers.slice(at, at + ROUTER_LIMITS.bgpNeighbours));
    for (const [peer, row] of Object.entries(told)) if (isJsonObject(row)) found.set(peer, row);
  }
  return found;
}

/** Those first of which most must be known. */
function inOrder(
  peers: readonly string[],
  rows: BgpNeighbours['rows'],
  addresses: readonly string[],
): readonly string[] {
  const rank = (peer: string) =>
    !isUp(rows.get(peer)) ? 0 : addresses.some((address) => covers(address, peer)) ? 1 : 2;
  const ageMs = (peer: string) => Number(rows.get(peer)?.['bgpTimerUpMsec'] ?? 0);
  const ranked = peers.map((peer) => ({ peer, rank: rank(peer), ageMs: ageMs(peer) }));
  return ranked.toSorted((one, other) => one.rank - other.rank || one.ageMs - other.ageMs).map(({ peer }) => peer);
}

function isUp(row: JsonObject | undefined): boolean {
  return row?.['bgpState'] === 'Established';
}

/** Of one family bgpd prints its summary itself, or below the family's name. */
function summaryIn(value: JsonValue | undefined, family: string): JsonObject {
  const told = objectOf(value);
  return told[family] === undefined ? told : objectOf(told[family]);
}

/** A row of a summary in the words of one of `show bgp neighbors json`. `Idle (Admin)` is a state and why. */
function rowOf(row: JsonObject): JsonObject {
  const { remoteAs, localAs, state, peerUptimeMsec, connectionsEstablished, connectionsDropped, desc } = row;
  const said = {
    ...{ remoteAs, localAs, connectionsEstablished, connectionsDropped, nbrDesc: desc },
    ...{ bgpState: textOf(state)?.split(' ')[0], bgpTimerUpMsec: peerUptimeMsec },
  };
  return Object.fromEntries(
    Object.entries(said).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
