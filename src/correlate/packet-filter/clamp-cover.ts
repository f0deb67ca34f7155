// Whether rules that are there now limit the segments of the same TCP packets over one interface as a rule that is gone did, of which a memory
// keeps the words alone. In doubt they do: a rule that only may be missing is not told.

import { SEGMENT_SIZE, writesSegmentSize } from '#model/router/filter-rewrites.ts';
import { FORWARDING_HOOKS } from '#model/router/packet-match.ts';
import type { FilterMatch, FilterRule, InterfaceState, NodeState } from '#model/router/router-port.ts';
import { filterMatchWords, filterSubject } from '#model/settings/filter-settings.ts';

/** `words` as `filterWords` of model/settings/filter-settings.ts has them; `from` and `to` are the interfaces in them. */
export type LostClamp = {
  readonly subject: string;
  readonly words: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
};

type Family = 'ip' | 'ip6';

/** Octets of both headers without options (RFC 791 §3.1, RFC 8200 §3, RFC 9293 §3.1): what is left of a packet is the segment. */
const HEADERS: Readonly<Record<Family, number>> = { ip: 40, ip6: 60 };

/** Words that did not fit end with a checksum of all of them. */
const CUT = /… \([0-9a-f]+\)$/;

export function lostClamp(subject: string, words: string): LostClamp | undefined {
  if (!words.startsWith(`${SEGMENT_SIZE} = `)) return undefined;
  const named = (side: string) => [...words.matchAll(new RegExp(`, ${side} ([^\\s,]+)`, 'g'))].map(([, name]) => name!);
  return { subject, words, from: named('from'), to: named('to') };
}

/** Interfaces by which packets are forwarded: no port of a bridge or bond, no VRF, none that no packet ever came in by, as a dummy. */
export function forwardingPorts({ inventory: { interfaces } }: NodeState): readonly InterfaceState[] {
  const vrfs = new Set(interfaces.flatMap(({ master }) => (master?.kind === 'vrf' ? [master.name] : [])));
  return interfaces.filter(({ name, kind, adminUp, operUp, master, counters }) => {
    if (kind === 'loopback' || vrfs.has(name) || !adminUp || !operUp) return false;
    if (kind === 'other' && counters.rxPackets === '0') return false;
    return master?.kind !== 'bridge' && master?.kind !== 'bond';
  });
}

/**
 * Some of the packets that it took over the interface are limited by no rule of now; `ports` are all that the node forwards by. A rule that was
 * loaded again has another handle.
 */
export function isUncovered(
  { filters, missing }: NodeState,
  ports: readonly InterfaceState[],
  lost: LostClamp,
  port: InterfaceState,
): boolean {
  if (missing.some(({ part }) => part === 'filters')) return false;
  const clamps = filters.filter((rule) => writesSegmentSize(rule) && isInPlace(rule, lost));
  const { from, to } = lost;
  const isOf = (names: readonly string[]) => names.length === 0 || names.includes(port.name);
  return familiesOf(lost).some((family) => {
    const now = clamps.filter(
      (rule) => isOfFamily(rule, family) && isWide(rule, lost, family) && isSmall(rule, lost, family, port),
    );
    const leaving = { own: 'outInterfaces', far: 'inInterfaces', ends: endsOf(from, ports, port) } as const;
    const entering = { own: 'inInterfaces', far: 'outInterfaces', ends: endsOf(to, ports, port) } as const;
    return (isOf(to) && leavesSome(now, port, leaving)) || (isOf(from) && leavesSome(now, port, entering));
  });
}

function isOfFamily({ family }: FilterRule, wanted: Family): boolean {
  return family === wanted || family === 'inet';
}

/** What a node forwards passes it, or all that passed the lost one: its base chain is the same. */
function isInPlace(rule: FilterRule, { subject }: LostClamp): boolean {
  return FORWARDING_HOOKS.has(rule.hook) || (rule.path.length === 1 && filterSubject(rule) === subject);
}

function familiesOf({ subject, words }: LostClamp): readonly Family[] {
  const named = (['ip', 'ip6'] as const).filter(
    (family) => subject.split(' ')[0] === family || hasWords(words, `network ${family}`),
  );
  return named.length > 0 ? named : ['ip', 'ip6'];
}

function hasWords(words: string, part: string): boolean {
  return `${words}, `.includes(`, ${part}, `);
}

/** It demands no more of a TCP packet of the family than the lost one did, as far as the words of that one are known. */
function isWide({ matches = [] }: FilterRule, { words }: LostClamp, family: Family): boolean {
  const isMet = ({ field, values, negated }: FilterMatch) =>
    negated !== true &&
    ((field === 'protocol' && values.includes('tcp')) || (field === 'network' && values.includes(family)));
  return CUT.test(words) || matches.every((match) => isMet(match) || hasWords(words, filterMatchWords(match)));
}

/** Its segments are no larger than those of the lost one, or suit the interface. */
function isSmall(
  { rewrites = [] }: FilterRule,
  { words }: LostClamp,
  family: Family,
  { mtu }: InterfaceState,
): boolean {
  const most = Math.max(sizeIn(words) ?? 0, mtu - HEADERS[family]);
  return rewrites.some((text) => text.startsWith(SEGMENT_SIZE) && (sizeIn(text) ?? 0) <= most);
}

/** Undefined for the size of the route, and for what the node does not tell. */
function sizeIn(words: string): number | undefined {
  const [, size] = /^tcp option maxseg size = (\d+)/.exec(words) ?? [];
  return size === undefined ? undefined : Number(size);
}

/** An interface by all the names that a filter may know it by: the kernel has packets of a VRF pass by the name of the port, of the VRF, or both. */
type End = readonly string[];

function endOf({ name, master }: InterfaceState): End {
  return master?.kind === 'vrf' ? [name, master.name] : [name];
}

/** Where packets that pass the interface come from or go to: what goes back by the same one meets no second size. */
function endsOf(names: readonly string[], ports: readonly InterfaceState[], port: InterfaceState): readonly End[] {
  if (names.length > 0) return names.filter((name) => name !== port.name).map((name) => [name]);
  const others = ports.filter(({ name }) => name !== port.name);
  return others.length > 0 ? others.map(endOf) : [[]];
}

type Direction = {
  readonly own: 'inInterfaces' | 'outInterfaces';
  readonly far: 'inInterfaces' | 'outInterfaces';
  readonly ends: readonly End[];
};

function leavesSome(now: readonly FilterRule[], port: InterfaceState, { own, far, ends }: Direction): boolean {
  const here = endOf(port);
  const near = now.filter((rule) => rule[own].length === 0 || here.some((name) => rule[own].includes(name)));
  if (near.some((rule) => rule[far].length === 0)) return false;
  const taken = new Set(near.flatMap((rule) => rule[far]));
  return ends.some((end) => !end.some((name) => taken.has(name)));
}
