// Counters of the IP layer from /proc/net/snmp6 and /proc/net/snmp, by their RFC 4293 names, and from
// /proc/net/netstat: pure parsers, and the reads.
import { kernelTable } from '#base/kernel-file.ts';
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

/** Segments that TCP refused for their signature or for the hops that they had made (RFC 2385, RFC 5082). */
const REFUSED_SEGMENTS = /^TcpExt(?:TCPMD5(?:NotFound|Unexpected|Failure)|TCPMinTTLDrop)$/;

/** Both IP families' counters; of the old family only those that speak of damage and drops. */
export async function readNodeCounters(): Promise<NodeCounters> {
  const [snmp6, snmp, netstat] = ['snmp6', 'snmp', 'netstat'].map((name) => kernelTable(`/proc/net/${name}`));
  const wanted =
    /^(?:Ip(?:Ext)?|Udp|Tcp|Icmp)(?:InCsumErrors|InHdrErrors|InErrors|InDiscards|OutDiscards|InReceives|ForwDatagrams|InErrs|FragFails|RetransSegs)$|^TcpExtIPReversePathFilter$/;
  const old = { ...parseSnmp(snmp!), ...parseSnmp(netstat!) };
  return {
    ...parseSnmp6(snmp6!),
    ...Object.fromEntries(Object.entries(old).filter(([name]) => wanted.test(name) || REFUSED_SEGMENTS.test(name))),
  };
}
