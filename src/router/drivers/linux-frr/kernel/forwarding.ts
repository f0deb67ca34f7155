// How the kernel forwards: the settings of /proc/sys/net, the rules that choose a routing table, and how full the table of connections is.
// Starts no program and needs no privilege. Refuses to call forwarding off where the setting cannot be read.
import { setImmediate } from 'node:timers/promises';
import { ParleyError } from '#base/error.ts';
import { kernelValue } from '#base/kernel-file.ts';
import type { EcmpHash, ForwardingInterface, ForwardingState } from '#model/router/forwarding.ts';
import type { InterfaceState } from '#model/router/router-port.ts';
import { loadLibc } from '../../../native/libc.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { readPolicyRules } from './policy-rules.ts';

export type ReadSetting = (path: string) => string | undefined;

/** Of so many interfaces before others have their turn. */
const INTERFACES_AT_ONCE = 64;
const REVERSE_PATH = ['off', 'strict', 'loose'] as const;

/** Rejects with `node/kernel-unreadable` where the kernel does not say whether it forwards. */
export async function readForwarding(
  interfaces: readonly InterfaceState[],
  read: ReadSetting = kernelValue,
): Promise<ForwardingState> {
  const [ipv4, ipv6] = [read('/proc/sys/net/ipv4/ip_forward'), read('/proc/sys/net/ipv6/conf/all/forwarding')];
  if (ipv4 === undefined)
    throw new ParleyError('node/kernel-unreadable', 'expected to read net.ipv4.ip_forward, got no value');
  const names = forwardingNames(interfaces);
  const ofAll = (name: string) => Number(read(`/proc/sys/net/ipv4/conf/all/${name}`) ?? 0);
  const every = { reversePath: ofAll('rp_filter'), arpIgnore: ofAll('arp_ignore'), proxyArp: ofAll('proxy_arp') };
  const rows: ForwardingInterface[] = [];
  for (const name of names.slice(0, DRIVER_LIMITS.forwardingInterfaces)) {
    const row = interfaceOf(name, every, read);
    if (row !== undefined) rows.push(row);
    if (rows.length % INTERFACES_AT_ONCE === 0) await setImmediate();
  }
  const policyRules = readPolicyRules(await loadLibc());
  const [conntrack, tcpTracking] = [conntrackOf(read), tcpTrackingOf(read)];
  const [hash4, hash6] = [hashOf('ipv4', read), hashOf('ipv6', read)];
  return {
    ipv4: ipv4 !== '0',
    // A kernel without IPv6 has no such file, and nothing to forward.
    ipv6: ipv6 !== undefined && ipv6 !== '0',
    interfaces: rows,
    ...(policyRules === undefined ? {} : { policyRules }),
    ...(hash4 === undefined || hash6 === undefined ? {} : { ecmpHash: { ipv4: hash4, ipv6: hash6 } }),
    ...(conntrack === undefined ? {} : { conntrack }),
    ...(tcpTracking === undefined ? {} : { tcpTracking }),
  };
}

/** Interfaces whose settings matter; of many only the first are read. */
export function forwardingNames(interfaces: readonly InterfaceState[]): readonly string[] {
  return interfaces.filter(({ kind, operUp }) => kind !== 'loopback' && operUp).map(({ name }) => name);
}

/** What counts for all interfaces: of each setting the larger of the two holds (ip-sysctl: rp_filter, arp_ignore, proxy_arp). */
type OfAll = { readonly reversePath: number; readonly arpIgnore: number; readonly proxyArp: number };

/** `arp_ignore`: no answer for any address. */
const ANSWERS_NONE = 8;

/** Undefined for an interface that went meanwhile. */
function interfaceOf(ifname: string, every: OfAll, read: ReadSetting): ForwardingInterface | undefined {
  const [ipv4, ipv6] = [`/proc/sys/net/ipv4/conf/${ifname}`, `/proc/sys/net/ipv6/conf/${ifname}`];
  const forwarding = read(`${ipv4}/forwarding`);
  if (forwarding === undefined) return undefined;
  const reversePath = REVERSE_PATH[Math.max(every.reversePath, Number(read(`${ipv4}/rp_filter`) ?? 0))] ?? 'off';
  const arpIgnore = Math.max(every.arpIgnore, Number(read(`${ipv4}/arp_ignore`) ?? 0));
  return {
    ifname,
    ipv4: forwarding !== '0',
    reversePath,
    ...(arpIgnore >= ANSWERS_NONE ? { arpOff: true as const } : {}),
    ...(Math.max(every.proxyArp, Number(read(`${ipv4}/proxy_arp`) ?? 0)) > 0 ? { proxyArp: true as const } : {}),
    ...(read(`${ipv6}/disable_ipv6`) === '1' ? { ipv6Off: true as const } : {}),
    // Below zero it is ignored, at zero it is checked where it is there.
    ...(Number(read(`${ipv6}/seg6_require_hmac`) ?? 0) > 0 ? { srv6Hmac: true as const } : {}),
  };
}

/** Its own list of fields. */
const BY_FIELDS = 3;

function hashOf(family: 'ipv4' | 'ipv6', read: ReadSetting): EcmpHash | undefined {
  const [policy, fields] = ['policy', 'fields'].map((name) =>
    read(`/proc/sys/net/${family}/fib_multipath_hash_${name}`),
  );
  if (policy === undefined) return undefined;
  const isByFields = Number(policy) === BY_FIELDS && fields !== undefined;
  return { policy: Number(policy), ...(isByFields ? { fields: Number(fields) } : {}) };
}

function conntrackOf(read: ReadSetting): ForwardingState['conntrack'] {
  const [tracked, most] = ['count', 'max'].map((name) => read(`/proc/sys/net/netfilter/nf_conntrack_${name}`));
  const counters = read('/proc/net/stat/nf_conntrack') ?? '';
  const [dropped, failed] = [droppedConnections(counters), counterOf(counters, 'insert_failed')];
  if (tracked === undefined || most === undefined || dropped === undefined) return undefined;
  return {
    ...{ tracked: Number(tracked), most: Number(most), dropped: String(dropped) },
    ...(failed === undefined ? {} : { failed: String(failed) }),
  };
}

function tcpTrackingOf(read: ReadSetting): ForwardingState['tcpTracking'] {
  const [idle, loose] = ['timeout_established', 'loose'].map((name) =>
    read(`/proc/sys/net/netfilter/nf_conntrack_tcp_${name}`),
  );
  return idle === undefined || loose === undefined ? undefined : { idleSeconds: Number(idle), picksUp: loose !== '0' };
}

/** `drop` of every processor: packets for whose connection there was no room. Hexadecimal columns under their names. */
export function droppedConnections(text: string): bigint | undefined {
  return counterOf(text, 'drop');
}

function counterOf(text: string, name: string): bigint | undefined {
  const [head = '', ...rows] = text.split('\n');
  const column = head.trim().split(/\s+/).indexOf(name);
  if (column < 0) return undefined;
  return rows.reduce((sum, row) => sum + BigInt(`0x${row.trim().split(/\s+/)[column] ?? '0'}`), 0n);
}
