// Facts from inside one node: filter rules whose counters moved, and counters of the IP layer that count drops.

import { nodeResource } from '#model/names.ts';
import { type KnownRule, liveSettingOf } from '#model/router/live-setting.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import type { Fact, FilterHits } from '../engine/facts.ts';
import { letsSome } from '../packet-filter/missed-services.ts';
import { counterDelta } from './wire.ts';

/** RFC 4293 and RFC 4113 counters (as `/proc/net/snmp6` names them) that rise when the node itself drops a packet. */
const DROP_COUNTERS = [
  'Ip6InDiscards',
  'Ip6InHdrErrors',
  'Ip6InAddrErrors',
  'Ip6InNoRoutes',
  'Ip6InTruncatedPkts',
  'Ip6OutDiscards',
  'Ip6OutNoRoutes',
  'Udp6InErrors',
  'Udp6RcvbufErrors',
  'Udp6InCsumErrors',
  'Icmp6InCsumErrors',
  'IpExtInCsumErrors',
  'UdpInCsumErrors',
  'TcpInCsumErrors',
  'IcmpInCsumErrors',
] as const;

/** Longest name of a rule that is repeated in a finding: the rest of it is the device's own business. */
const ACL_NAME_CHARS = 64;

/** One fact for each group of dropping rules (same ACL, hook, interfaces and demands) that dropped in the window or cannot say. */
export function filterFacts(
  node: string,
  before: NodeState,
  after: NodeState,
  source: readonly string[],
): readonly Fact[] {
  const groups = new Map<string, FilterHits>();
  const earlier = new Map(before.filters.map((rule) => [ruleKey(rule), rule]));
  for (const rule of after.filters) {
    if (rule.verdict !== 'drop' && rule.verdict !== 'reject') continue;
    const packets =
      rule.packets === undefined ? undefined : counterDelta(earlier.get(ruleKey(rule))?.packets ?? '0', rule.packets);
    if (packets === 0) continue;
    const hits = {
      node,
      acl: aclName(rule),
      hook: rule.hook,
      inInterfaces: rule.inInterfaces,
      outInterfaces: rule.outInterfaces,
      packets,
      family: rule.family,
      ...(rule.matches === undefined ? {} : { matches: rule.matches, matchesRest: rule.matchesRest === true }),
      ...(letsSome(after.filters, rule) ? { lets: true as const } : {}),
    };
    const key = JSON.stringify({ ...hits, packets: packets === undefined });
    const known = groups.get(key);
    const place = `${rule.family} ${rule.table} ${rule.chain} handle ${rule.handle}`;
    groups.set(key, {
      ...hits,
      ...unreadOf(known?.unread, rule.unread),
      rules: [...(known?.rules ?? []), place],
      places: [...(known?.places ?? []), ...placesOf(rule)],
      ...(packets === undefined ? {} : { packets: packets + (known?.packets ?? 0) }),
    });
  }
  return [...groups.values()].map((value) => ({
    subject: nodeResource(node),
    predicate: 'filter-hits',
    value,
    source,
    window: 'before..after',
  }));
}

function unreadOf(...all: readonly FilterRule['unread'][]): Pick<FilterHits, 'unread'> {
  const unread = [...new Set(all.flatMap((each) => each ?? []))];
  return unread.length === 0 ? {} : { unread };
}

function placesOf({ family, table, chain, handle, ruleSha256 = '' }: FilterRule): readonly KnownRule[] {
  const setting = liveSettingOf({ kind: 'nft-delete-rule', family, table, chain, handle: Number(handle), ruleSha256 });
  if (setting?.kind !== 'nft-delete-rule') return [];
  const { kind: _, ...known } = setting;
  return [known];
}

/** One fact for each drop counter that moved. Counters that stood still, however large, say nothing. */
export function nodeErrorFacts(
  node: string,
  before: NodeState,
  after: NodeState,
  source: readonly string[],
): readonly Fact[] {
  return DROP_COUNTERS.flatMap((counter): readonly Fact[] => {
    const packets = counterDelta(before.nodeCounters[counter], after.nodeCounters[counter]);
    if (packets === undefined || packets === 0) return [];
    return [
      {
        subject: nodeResource(node),
        predicate: 'node-errors',
        value: { node, counter, packets },
        source,
        window: 'before..after',
      },
    ];
  });
}

function ruleKey(rule: FilterRule): string {
  return JSON.stringify([rule.family, rule.table, rule.chain, rule.handle]);
}

function aclName(rule: FilterRule): string {
  const name = (rule.acl ?? rule.chain).replace(/[^\x20-\x7e]/g, '').trim();
  return (name === '' ? `rule ${rule.handle}` : name).slice(0, ACL_NAME_CHARS);
}
