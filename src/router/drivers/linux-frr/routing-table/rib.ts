// Zebra's RIB against the kernel's FIB, for single destinations. Zebra keeps saying "installed" of a route that another program has
// replaced in the kernel, or that the kernel never took. A difference counts when two readings apart show it; what cannot be compared
// is no difference: routes of other tables, with encapsulation, queued, just installed, or held by the kernel itself.
import { covers } from '#base/ip.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { RibRoute, RouteAnswer } from '#model/router/router-port.ts';
import { jsonOf, objectOf } from '../frr/daemons-json.ts';
import { textOf } from '../kernel/ip-command.ts';

/** A lookup's answer with the row that the kernel gave for it; no row where the lookup found nothing to forward by. */
export type FibAnswer = { readonly answer: RouteAnswer; readonly row?: JsonObject };

type Hop = RibRoute['nextHops'][number];

/** Zebra's table of the main FIB (RT_TABLE_MAIN). */
const MAIN_TABLE = 254;
/** What zebra itself read from the kernel is no second statement. */
const OF_KERNEL = new Set(['kernel', 'connected', 'local', 'table']);
/** A route younger than this may still be on its way into the kernel. */
const SETTLED_SECONDS = 3;

/**
 * The route that zebra has installed for one destination, from `show ip route ADDRESS json`; undefined when there is none, or none
 * that the kernel's answer can be compared with.
 */
export function parseRib(text: string): RibRoute | undefined {
  const rows = Object.values(objectOf(jsonOf(text))).flatMap((value) => (Array.isArray(value) ? value : []));
  const row = rows.filter((value) => isJsonObject(value)).find((value) => value['selected'] === true);
  const protocol = textOf(row?.['protocol']);
  const prefix = textOf(row?.['prefix']);
  if (row === undefined || protocol === undefined || prefix === undefined || OF_KERNEL.has(protocol)) return undefined;
  const isSettled = row['installed'] === true && row['queued'] !== true && ageOf(row['uptime']) >= SETTLED_SECONDS;
  if (!isSettled || row['table'] !== MAIN_TABLE || row['vrfName'] !== 'default') return undefined;
  const hops = Array.isArray(row['nexthops']) ? row['nexthops'].filter((hop) => isJsonObject(hop)) : [];
  // A recursive next hop is resolved by others in the same list; those are in the kernel.
  const used = hops.filter((hop) => hop['fib'] === true && hop['active'] === true && hop['recursive'] !== true);
  if (used.length === 0 || used.some(isEncapsulated)) return undefined;
  return { prefix, protocol, nextHops: used.map(ribHop) };
}

/** True when the kernel forwards by another way than zebra says it installed. */
export function isMismatch(rib: RibRoute, { answer, row }: FibAnswer): boolean {
  const discards = rib.nextHops.every((hop) => hop.discard === true);
  if (answer.kind === 'local') return false;
  if (answer.kind !== 'unicast') return !discards;
  if (row === undefined || answer.segments !== undefined || row['encap'] !== undefined) return false;
  // `ip rule` or a VRF led the lookup to a table that this route is not in.
  if (row['table'] !== undefined && row['table'] !== 'main') return false;
  // Another program's route for a part of the prefix: zebra was asked and said nothing of it.
  if (isPartOf(answer.matched, rib.prefix)) return false;
  const { hops, down } = kernelHops(row);
  if (hops.length === 0) return false;
  if (discards) return true;
  const installed = rib.nextHops.filter(({ ifname }) => ifname === undefined || !down.includes(ifname));
  // For IPv6 the kernel names the one next hop that it would take.
  const isWhole = !answer.destination.includes(':');
  const known = (hop: Hop, among: readonly Hop[]) => among.some((other) => isSame(hop, other));
  if (!hops.every((hop) => known(hop, installed))) return true;
  return isWhole && !installed.every((hop) => known(hop, hops));
}

function isPartOf(matched: string | undefined, prefix: string): boolean {
  return matched !== undefined && matched !== prefix && covers(prefix, matched);
}

/** Next hops of the kernel's row that it uses, and interfaces of those that it does not, because their link is down. */
function kernelHops(row: JsonObject): { readonly hops: readonly Hop[]; readonly down: readonly string[] } {
  const listed = Array.isArray(row['nexthops']) ? row['nexthops'].filter((hop) => isJsonObject(hop)) : [row];
  const isDown = (hop: JsonObject) => texts(hop['flags']).some((flag) => flag === 'dead' || flag === 'linkdown');
  const hops = listed
    .filter((hop) => !isDown(hop))
    .flatMap((hop) => {
      const [via, address, ifname] = [objectOf(hop['via']), textOf(hop['gateway']), textOf(hop['dev'])];
      const gateway = address ?? textOf(via['host']);
      if (gateway === undefined && ifname === undefined) return [];
      return [{ ...(gateway === undefined ? {} : { address: gateway }), ...(ifname === undefined ? {} : { ifname }) }];
    });
  return { hops, down: listed.filter(isDown).flatMap((hop) => textOf(hop['dev']) ?? []) };
}

/**
 * A route over an interface alone is the same next hop whichever of the two leaves the address out. Over an unnumbered link FRR may
 * install an IPv4 stand-in for the neighbour's link-local IPv6 address: then the interface alone is compared.
 */
function isSame(one: Hop, other: Hop): boolean {
  const isEqual = (left: string | undefined, right: string | undefined) =>
    left === undefined || right === undefined || left === right;
  const isOneFamily = one.address?.includes(':') === other.address?.includes(':');
  return isEqual(one.ifname, other.ifname) && (!isOneFamily || isEqual(one.address, other.address));
}

function ribHop(hop: JsonObject): Hop {
  const [address, ifname] = [textOf(hop['ip']), textOf(hop['interfaceName'])];
  if (hop['blackhole'] === true || hop['reject'] === true || hop['unreachable'] === true) return { discard: true };
  return { ...(address === undefined ? {} : { address }), ...(ifname === undefined ? {} : { ifname }) };
}

function isEncapsulated(hop: JsonObject): boolean {
  return ['seg6', 'seg6local', 'labels', 'srte', 'encap'].some((key) => hop[key] !== undefined);
}

/** `hh:mm:ss`; what is older is written with days and weeks. */
function ageOf(uptime: JsonValue | undefined): number {
  const parts = /^(\d\d):(\d\d):(\d\d)$/.exec(textOf(uptime) ?? '');
  if (parts === null) return textOf(uptime) === undefined ? 0 : Number.POSITIVE_INFINITY;
  return Number(parts[1]) * 3_600 + Number(parts[2]) * 60 + Number(parts[3]);
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
