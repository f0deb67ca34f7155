// Filters of traffic control that take packets away before the packet filter sees them (ingress) or after it has let them go (egress), in the
// words of packet filter rules: they drop, police, or redirect to where nothing is. Asked for only on interfaces that have a hook for them. What a
// filter matches beyond the words of a rule is marked as more; a policer is marked so too, as it takes some of like packets. Pure parser.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LAUNCHER } from '#base/launcher.ts';
import type { Qdisc } from '#model/router/control-plane.ts';
import type { FilterMatch, FilterRule, InterfaceState } from '#model/router/router-port.ts';
import { ROUTER_LIMITS } from '../../../limits.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { counterOf, rowsOf, textOf } from './ip-command.ts';

/** Queueing disciplines that queue nothing: they are the hooks of filters. */
const HOOKS: Readonly<Record<string, readonly ('ingress' | 'egress')[]>> = {
  clsact: ['ingress', 'egress'],
  ingress: ['ingress'],
};
const NETWORKS: Readonly<Record<string, string>> = { ip: 'ip', ipv6: 'ip6', arp: 'arp' };
/** Keys of `flower`, and the fields of a rule. */
const KEYS: Readonly<Record<string, FilterMatch['field']>> = {
  ...{ ip_proto: 'protocol', src_ip: 'source', dst_ip: 'destination' },
  ...{ src_port: 'source-port', dst_port: 'destination-port' },
};
const PROTOCOLS: Readonly<Record<string, string>> = { icmpv6: 'ipv6-icmp' };

type Place = { readonly ifname: string; readonly hook: 'ingress' | 'egress'; readonly dropped: string };
type Ports = readonly Pick<InterfaceState, 'name' | 'operUp' | 'kind'>[];

/** One process, and none where no interface has such a hook. `dummies` are interfaces behind which nothing is. `unread`: why not all was read. */
export async function readTcFilters(
  qdiscs: readonly Qdisc[],
  ports: Ports,
  dummies: readonly string[],
  signal?: AbortSignal,
): Promise<{ readonly rules: readonly FilterRule[]; readonly unread?: string }> {
  const all = qdiscs.flatMap(({ ifname, kind, drops }) =>
    (HOOKS[kind] ?? []).map((hook): Place => ({ ifname, hook, dropped: drops })),
  );
  const places = all.slice(0, DRIVER_LIMITS.tcHooks);
  if (places.length === 0) return { rules: [] };
  const input = places.map(({ ifname, hook }) => `filter show dev ${ifname} ${hook}\n`).join('');
  const { stdout, exitCode } = await LAUNCHER.run('tc', ['-s', '-j', '-force', '-batch', '-'], {
    timeoutMs: ROUTER_LIMITS.helperReadMs,
    maxOutputBytes: DRIVER_LIMITS.kernelReadBytes,
    input,
    ...(signal === undefined ? {} : { signal }),
  });
  signal?.throwIfAborted();
  const rules = parseTcFilters(places, stdout, ports, dummies);
  if (rules === undefined)
    return {
      rules: [],
      unread: `expected tc to list the filters of ${places.length} hooks, got exit code ${exitCode}`,
    };
  return all.length === places.length
    ? { rules }
    : { rules, unread: `filters of ${places.length} of ${all.length} hooks were read` };
}

/** `stdout` has one array on a line for each place; undefined where it has not. */
export function parseTcFilters(
  places: readonly Place[],
  stdout: string,
  ports: Ports,
  dummies: readonly string[],
): readonly FilterRule[] | undefined {
  const lists = stdout.split('\n').filter((line) => line.startsWith('['));
  if (lists.length !== places.length) return undefined;
  const leadsNowhere = (ifname: string) => {
    const port = ports.find(({ name }) => name === ifname);
    return port === undefined || !port.operUp || port.kind === 'loopback' || dummies.includes(ifname);
  };
  return places.flatMap((place, index) => {
    const rules = rowsOf(lists[index]!).flatMap((row, number) => {
      const options = objectOf(row['options']);
      // The head of a list of filters, and a table of u32, take nothing.
      if (Object.keys(options).length === 0 || options['ht_divisor'] !== undefined) return [];
      const taken = takenBy(options, place, leadsNowhere);
      return taken === undefined ? sparing(place, number + 1, row) : ruleOf(place, number + 1, row, taken);
    });
    // A rule that lets packets go on matters only where a later one drops packets.
    return rules.slice(0, rules.findLastIndex(({ verdict }) => verdict === 'drop') + 1);
  });
}

/** What such a filter takes does not come to those after it; what its actions do to it is known where it passes. */
function sparing({ ifname, hook }: Place, number: number, row: JsonObject): FilterRule {
  const [{ matches, rest }, chain] = [matchesOf(row), `${ifname} ${hook}`];
  const actions = listOf(objectOf(row['options'])['actions']).filter(isJsonObject);
  const isPass = actions.length > 0 && actions.every((action) => PASSES.has(typeOf(action)));
  return {
    ...{ family: 'netdev', table: 'tc', chain, path: [chain], hook, handle: number },
    ...(isPass ? { verdict: 'accept' } : { verdict: 'other', ends: 'unknown' }),
    outInterfaces: hook === 'egress' ? [ifname] : [],
    inInterfaces: hook === 'ingress' ? [ifname] : [],
    matches,
    matchesRest: rest,
  };
}

const PASSES: ReadonlySet<string | undefined> = new Set(['pass', 'ok']);

function typeOf(action: JsonObject): string | undefined {
  return textOf(action['kind']) === 'gact' ? textOf(objectOf(action['control_action'])['type']) : undefined;
}

type Taken = { readonly packets: string; readonly what: string; readonly some?: true };

/** How many packets it took away; undefined where it lets all of them go on. */
function takenBy(
  options: JsonObject,
  { dropped }: Place,
  leadsNowhere: (ifname: string) => boolean,
): Taken | undefined {
  for (const action of listOf(options['actions']).filter(isJsonObject)) {
    const [kind, stats] = [textOf(action['kind']), objectOf(action['stats'])];
    const does = textOf(objectOf(action['control_action'])['type']);
    if (kind === 'gact' && does === 'drop') return { packets: counterOf(stats['drops']), what: 'drop' };
    if (kind === 'police') return { packets: counterOf(stats['drops']), what: 'police', some: true };
    const to = textOf(action['to_dev']);
    if (kind === 'mirred' && action['mirred_action'] === 'redirect' && to !== undefined && leadsNowhere(to))
      return { packets: counterOf(stats['packets']), what: `redirect to ${to}` };
  }
  // Such a program decides by itself, and only the hook counts what it drops.
  return options['direct-action'] === true ? { packets: dropped, what: 'bpf', some: true } : undefined;
}

function ruleOf({ ifname, hook }: Place, number: number, row: JsonObject, taken: Taken): FilterRule {
  const { matches, rest } = matchesOf(row);
  const chain = `${ifname} ${hook}`;
  return {
    ...{ family: 'netdev', table: 'tc', chain, path: [chain], hook, handle: number, verdict: 'drop' },
    outInterfaces: hook === 'egress' ? [ifname] : [],
    inInterfaces: hook === 'ingress' ? [ifname] : [],
    matches,
    matchesRest: rest || taken.some === true,
    packets: taken.packets,
    comment: taken.what,
    acl: `tc filter ${number} of ${chain}`,
  };
}

function matchesOf(row: JsonObject): { readonly matches: readonly FilterMatch[]; readonly rest: boolean } {
  const network = NETWORKS[textOf(row['protocol']) ?? ''];
  const first: readonly FilterMatch[] = network === undefined ? [] : [{ field: 'network', values: [network] }];
  const isKnown = network !== undefined || row['protocol'] === 'all';
  if (row['kind'] === 'matchall') return { matches: first, rest: !isKnown };
  if (row['kind'] !== 'flower') return { matches: first, rest: true };
  const keys = Object.entries(objectOf(objectOf(row['options'])['keys'])).filter(([key]) => key !== 'eth_type');
  const matches = keys.flatMap(([key, value]): readonly FilterMatch[] => {
    const field = KEYS[key];
    const said = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
    return field === undefined || said === undefined ? [] : [{ field, values: [PROTOCOLS[said] ?? said] }];
  });
  return { matches: [...first, ...matches], rest: !isKnown || matches.length < keys.length };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
