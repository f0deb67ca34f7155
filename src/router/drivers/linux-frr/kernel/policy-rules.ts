// The rules by which the kernel chooses a routing table (ip-rule(8)), over rtnetlink: starts no program and needs no privilege. Leaves out the
// three that every kernel has, and what VRFs add by themselves. Total: what does not fit into its length is passed over.
import { formatIpv6 } from '#base/ipv6-text.ts';
import type { PolicyRule } from '#model/router/forwarding.ts';
import { isInterfaceName } from '#model/wire/fields.ts';
import { type Libc, usable } from '../../../native/libc.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

/** linux/rtnetlink.h and linux/fib_rules.h. */
const RTM_NEWRULE = 32;
const RTM_GETRULE = 34;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const NLM_F_REQUEST_DUMP = 0x301;
const NLMSG_BYTES = 16;
const HEADER_BYTES = 12;
const INVERT = 0x2;
const ATTRIBUTE_TYPE = 0x3fff;
const FAMILY = { ipv4: 2, ipv6: 10 } as const;
const FRA = { dst: 1, src: 2, iifname: 3, priority: 6, table: 15, l3mdev: 19 } as const;
/** Attributes that demand nothing of a packet: flow class, the two suppressors (all ones unless set), the rule's author. */
const UNDEMANDING = new Set([8, 11, 13, 14, 21]);
const SUPPRESSORS = new Set([13, 14]);
const ACTIONS: Readonly<Record<number, PolicyRule['action']>> = {
  1: 'table',
  6: 'blackhole',
  7: 'unreachable',
  8: 'prohibit',
};
/** Priorities of the rules that every kernel has, each with its own table. */
const OF_KERNEL: ReadonlyMap<number, number> = new Map([
  [0, 255],
  [32_766, 254],
  [32_767, 253],
]);

/** Undefined where the kernel does not tell, or there are more than are passed on. */
export function readPolicyRules(libc: Pick<Libc, 'openNetlink'>): readonly PolicyRule[] | undefined {
  const socket = usable(libc.openNetlink(0));
  if (socket === undefined) return undefined;
  try {
    const found: PolicyRule[] = [];
    const into = Buffer.allocUnsafe(DRIVER_LIMITS.netlinkBytes);
    for (const family of ['ipv4', 'ipv6'] as const) {
      if (!socket.send(ruleDumpRequest(family))) return undefined;
      let isEnded = false;
      while (!isEnded) {
        const bytes = socket.receive(into);
        if (typeof bytes !== 'number' || found.length > DRIVER_LIMITS.policyRules) return undefined;
        const { rules, ended } = parsePolicyRules(into.subarray(0, bytes), family);
        found.push(...rules);
        isEnded = ended;
      }
    }
    return found.length > DRIVER_LIMITS.policyRules ? undefined : found;
  } finally {
    socket.close();
  }
}

export function ruleDumpRequest(family: PolicyRule['family']): Buffer {
  const request = Buffer.alloc(NLMSG_BYTES + HEADER_BYTES);
  request.writeUInt32LE(request.length, 0);
  request.writeUInt16LE(RTM_GETRULE, 4);
  request.writeUInt16LE(NLM_F_REQUEST_DUMP, 6);
  request.writeUInt32LE(1, 8);
  request[NLMSG_BYTES] = FAMILY[family];
  return request;
}

/** The rules of one datagram of a dump, and whether the dump ends in it. */
export function parsePolicyRules(
  datagram: Buffer,
  family: PolicyRule['family'],
): { readonly rules: readonly PolicyRule[]; readonly ended: boolean } {
  const rules: PolicyRule[] = [];
  for (let at = 0; at + NLMSG_BYTES <= datagram.length; ) {
    const bytes = datagram.readUInt32LE(at);
    if (bytes < NLMSG_BYTES || at + bytes > datagram.length) break;
    const type = datagram.readUInt16LE(at + 4);
    if (type === NLMSG_DONE || type === NLMSG_ERROR) return { rules, ended: true };
    if (type === RTM_NEWRULE) {
      const rule = ruleOf(datagram.subarray(at + NLMSG_BYTES, at + bytes), family);
      if (rule !== undefined) rules.push(rule);
    }
    at += (bytes + 3) & ~3;
  }
  return { rules, ended: datagram.length === 0 };
}

function ruleOf(body: Buffer, family: PolicyRule['family']): PolicyRule | undefined {
  if (body.length < HEADER_BYTES || body[0] !== FAMILY[family]) return undefined;
  const found = new Map<number, Buffer>();
  for (let at = HEADER_BYTES; at + 4 <= body.length; ) {
    const bytes = body.readUInt16LE(at);
    if (bytes < 4 || at + bytes > body.length) return undefined;
    found.set(body.readUInt16LE(at + 2) & ATTRIBUTE_TYPE, body.subarray(at + 4, at + bytes));
    at += (bytes + 3) & ~3;
  }
  if (found.has(FRA.l3mdev)) return undefined;
  const [priority, table] = [numberOf(found.get(FRA.priority)) ?? 0, numberOf(found.get(FRA.table)) ?? body[4]!];
  const action = ACTIONS[body[7]!] ?? 'other';
  const [to, from] = [prefixOf(found.get(FRA.dst), body[1]!), prefixOf(found.get(FRA.src), body[2]!)];
  const iif = nameOf(found.get(FRA.iifname));
  const isNegated = (body.readUInt32LE(8) & INVERT) !== 0;
  const isPlain = to === undefined && from === undefined && iif === undefined && !isNegated;
  const demandsMore = body[3] !== 0 || [...found].some(([type, value]) => isDemand(type, value));
  if (isPlain && !demandsMore && action === 'table' && OF_KERNEL.get(priority) === table) return undefined;
  return {
    ...{ family, priority, action },
    ...(action === 'table' ? { table } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(iif === undefined ? {} : { iif }),
    ...(isNegated ? { negated: true as const } : {}),
    ...(demandsMore ? { rest: true as const } : {}),
  };
}

/** A mark, a protocol, a port, an outgoing interface, or anything that a later kernel has. */
function isDemand(type: number, value: Buffer): boolean {
  if (type === FRA.dst || type === FRA.src || type === FRA.iifname || type === FRA.priority || type === FRA.table)
    return false;
  if (SUPPRESSORS.has(type)) return numberOf(value) !== 0xffff_ffff;
  return !UNDEMANDING.has(type);
}

function numberOf(value: Buffer | undefined): number | undefined {
  return value?.length === 4 ? value.readUInt32LE(0) : undefined;
}

function nameOf(value: Buffer | undefined): string | undefined {
  const name = value?.toString('latin1').replace(/\0.*$/s, '');
  return name !== undefined && isInterfaceName(name) ? name : undefined;
}

function prefixOf(value: Buffer | undefined, bits: number): string | undefined {
  if (value === undefined || (value.length !== 4 && value.length !== 16)) return undefined;
  if (value.length === 4) return `${value.join('.')}/${bits}`;
  return `${formatIpv6(value, 0)}/${bits}`;
}
