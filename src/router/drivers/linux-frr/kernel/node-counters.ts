// Counters of the IP layer from /proc/net/snmp6 and /proc/net/snmp, by their RFC 4293 names. Pure parsers.
import type { NodeCounters } from '#model/router/router-port.ts';

/** `Ip6InReceives   52`, one a line. */
export function parseSnmp6(text: string): NodeCounters {
  return Object.fromEntries([...text.matchAll(/^(\w+)\s+(\d+)$/gm)].map((row) => [row[1]!, row[2]!]));
}

/** Pairs of lines, `Ip: Forwarding DefaultTTL …` and `Ip: 1 64 …`; names become `IpForwarding`. */
export function parseSnmp(text: string): NodeCounters {
  const lines = text.trim().split('\n');
  const counters: Record<string, string> = {};
  for (let index = 0; index + 1 < lines.length; index += 2) {
    const [layer = '', ...names] = lines[index]!.split(/\s+/);
    const values = lines[index + 1]!.split(/\s+/).slice(1);
    for (const [place, name] of names.entries()) counters[`${layer.replace(':', '')}${name}`] = values[place] ?? '0';
  }
  return counters;
}
