// What FRR's log says of neighbours, as a closed list of message shapes: the kind, the interface or address that it is about, how often and how
// long ago. Matched on the node itself: no text of a log ever leaves it. A line without a readable time of its own counts for nothing. Pure.
import * as z from 'zod';
import { isIpAddress } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import { count, text, type Wire } from '../wire/fields.ts';

/** Shapes of FRR 8.4. The one group is what a line is about. */
const SHAPES = {
  'bgp-open-refused': /\bBGP: .*BGP OPEN receipt failed for peer: ([0-9A-Fa-f.:]+)$/,
  'bgp-max-prefix': /\bBGP: .*%MAXPFXEXCEED: No\. of [\w ]+ prefix received from ([0-9A-Fa-f.:]+)/,
  'ospf-hello-interval': /\bOSPF: .*\[Hello:RECV\]: HelloInterval mismatch on ([\w.@-]+)/,
  'ospf-dead-interval': /\bOSPF: .*\[Hello:RECV\]: RouterDeadInterval mismatch on ([\w.@-]+)/,
  'ospf-network-mask': /\bOSPF: .*\[Hello:RECV\]: NetworkMask mismatch on ([\w.@-]+)/,
  'ospf-area': /\bOSPF: .*interface ([\w.@-]+)\S*: ospf_read invalid Area ID /,
  'ospf-authentication':
    /\bOSPF: .*interface ([\w.@-]+)\S*: (?:auth-type mismatch|(?:Simple|MD5) auth failed|ospf_check_md5)/,
  'bgp-families':
    /\bBGP: .*\] ([0-9A-Fa-f.:]+) \[Error\] Configured AFI\/SAFIs do not overlap with received MP capabilities$/,
  'ospf-mtu': /\bOSPF: .*Packet\[DD\]: Neighbor ([0-9.]+) MTU \d+ is larger than /,
  'isis-area': /\bISIS: .*ISIS-Adj \(\S+\): Area mismatch, level \d IIH on ([\w.@-]+)/,
  'isis-level': /\bISIS: .*ISIS-Adj \(\S+\): Interface level mismatch, ([\w.@-]+)/,
  'isis-cleared': /\bISIS: .*%ADJCHANGE: Adjacency to \S+ \(([\w.@-]+)\) for .* to Down, clear user request$/,
  'bgp-cleared': /\bBGP: .*%ADJCHANGE: neighbor ([0-9A-Fa-f.:]+)\S* in vrf \S+ Down User reset$/,
  'isis-own-id': /\bISIS: .*ISIS-Adj \(\S+\): Received IIH with own sysid on ([\w.@-]+)/,
} as const satisfies Record<string, RegExp>;

export type LogSignKind = keyof typeof SHAPES;
export const LOG_SIGN_KINDS = Object.keys(SHAPES) as readonly LogSignKind[];

export type LogSign = Wire<typeof logSign>;
export const logSign = z.object({
  kind: z.enum(LOG_SIGN_KINDS),
  /** Interface, or address of the neighbour. */
  about: text,
  count,
  /** By the node's own clock. */
  lastAgoMs: count,
});

/** About a neighbour's address; the others about an interface of the node. */
const BY_ADDRESS: ReadonlySet<LogSignKind> = new Set([
  'bgp-open-refused',
  'bgp-max-prefix',
  'bgp-families',
  'bgp-cleared',
  'ospf-mtu',
]);
/** What an operator did is remembered as long as the losses that it made. */
const BY_HAND: ReadonlySet<LogSignKind> = new Set(['isis-cleared', 'bgp-cleared']);
const IFNAME = /^[\w.@-]{1,15}$/;
/** `2026/01/31 23:59:59`, in the node's own time zone, with or without a fraction. */
const TIME = /^(\d{4})\/(\d{2})\/(\d{2}) (\d{2}):(\d{2}):(\d{2})(?:\.\d{1,6})? /;

/** Of the last minutes alone, `nowMs` being the node's own clock. */
export function logSignsOf(lines: readonly string[], nowMs: number): readonly LogSign[] {
  const found = new Map<string, LogSign>();
  for (const line of lines) {
    if (line.length > MODEL_LIMITS.logSignChars) continue;
    const agoMs = agoOf(line, nowMs);
    if (agoMs === undefined || agoMs > MODEL_LIMITS.resetSignMs) continue;
    for (const kind of LOG_SIGN_KINDS) {
      const about = SHAPES[kind].exec(line)?.[1];
      if (agoMs > MODEL_LIMITS.logSignMs && !BY_HAND.has(kind)) continue;
      if (about === undefined || !(BY_ADDRESS.has(kind) ? isIpAddress(about) : IFNAME.test(about))) continue;
      const known = found.get(`${kind} ${about}`);
      const lastAgoMs = Math.min(known?.lastAgoMs ?? agoMs, agoMs);
      found.set(`${kind} ${about}`, { kind, about, count: (known?.count ?? 0) + 1, lastAgoMs });
    }
  }
  // Of more than an answer holds, those that were written last.
  const signs = [...found.values()];
  return signs.length <= LIMITS.logSigns
    ? signs
    : signs.toSorted((one, other) => one.lastAgoMs - other.lastAgoMs).slice(0, LIMITS.logSigns);
}

/** Undefined for what is not of FRR's log, or of the future. */
function agoOf(line: string, nowMs: number): number | undefined {
  const [, year, month, day, hour, minute, second] = TIME.exec(line)?.map(Number) ?? [];
  if (second === undefined) return undefined;
  const agoMs = nowMs - new Date(year!, month! - 1, day!, hour!, minute!, second).getTime();
  // Whole seconds, and clocks that were set meanwhile.
  return agoMs < -MODEL_LIMITS.logSignSlackMs ? undefined : Math.max(0, Math.round(agoMs));
}
