// Which packets of a probe run pass a place, and whether a filter rule there can match them. Excludes only what the rule's own
// words exclude: what it does not say, or says in words that are not understood, may match.
import { mayTake, type Packet } from '#model/router/packet-match.ts';
import type { FilterHits, ProbeLoss } from '../engine/facts.ts';

/** Of the probes that a rule is said to drop, its counter must show this share (stray losses may come on top). */
export const COVERED = 0.9;
/** A counter that moved by at most this much more than the probes lost has dropped little else. */
export const SHARP = 1.3;

/** UDP port of the reflector. */
export const PROBE_PORT = 9_515;

/** What a probe is to a filter at either end, in both families. */
export const PROBE_PACKETS = (['ip', 'ip6'] as const).flatMap((network): readonly Packet[] => [
  { network, protocol: 'udp', destinationPort: PROBE_PORT },
  { network, protocol: 'udp', sourcePort: PROBE_PORT },
]);

/** Where a rule meets the probes: the interface by which they leave or enter its node, and the ends of their way. */
export type Meeting = {
  readonly from: string;
  readonly to: string;
  readonly ifname: string;
  readonly leaving: boolean;
};

/** True when one of the probe's packets that travel from `from` to `to` can come to this rule and match it. */
export function canMatch(hits: FilterHits, probe: ProbeLoss, at: Meeting): boolean {
  if (!reaches(hits, probe, at)) return false;
  const demands = hits.matches ?? [];
  const elsewhere = demands.some(
    ({ field, values, negated }) =>
      negated === true &&
      (field === 'out' || field === 'in') &&
      (field === 'out') === at.leaving &&
      values.includes(at.ifname),
  );
  return !elsewhere && packetsOf(hits, probe, at).some((packet) => mayTake(hits, packet));
}

/** Packets of one run are all alike: a rule that says everything it demands drops all of them or none. */
export function dropsAllOrNone({ matches, matchesRest }: Pick<FilterHits, 'matches' | 'matchesRest'>): boolean {
  return matches !== undefined && matchesRest === false && sampledShare({ matches }) === undefined;
}

/** The share of like packets that a rule takes, when it says so and demands nothing that cannot be read. */
export function sampledShare({
  matches,
  matchesRest,
}: Pick<FilterHits, 'matches' | 'matchesRest'>): number | undefined {
  const [taken, of] =
    matches
      ?.find(({ field }) => field === 'sample')
      ?.values[0]?.split('/')
      .map(Number) ?? [];
  return matchesRest === true || taken === undefined || of === undefined || !(of > 0) ? undefined : taken / of;
}

/** A node forwards what is under way, and sends or takes in what begins or ends there. */
function reaches({ node, hook }: FilterHits, probe: ProbeLoss, { from, to }: Meeting): boolean {
  if (hook === 'forward') return node !== from && node !== to;
  if (hook === 'output') return node === from;
  // With nf_hooks_lwtunnel a node takes in every packet for one of its SIDs, also on the way.
  return hook !== 'input' || node === to || (probe.probe?.segments.length ?? 1) > 0;
}

function packetsOf(
  { node, hook }: FilterHits,
  { probe, measuredBy }: ProbeLoss,
  { from, to }: Meeting,
): readonly Packet[] {
  const [head, tail] = [listOf(probe?.source), listOf(probe?.destination)];
  if (from !== measuredBy) return [{ ...UDP, sources: tail, destinations: head, sourcePort: PROBE_PORT }];
  const inner = { ...UDP, sources: head, destinations: tail, destinationPort: PROBE_PORT };
  const outer = {
    network: 'ip6' as const,
    protocol: 'ipv6',
    nextHeader: 'ipv6-route',
    extensions: ['rt', 'srh'],
    sources: head,
    destinations: probe?.segments ?? [],
  };
  if (probe === undefined) return [outer, inner];
  if (probe.segments.length === 0) return [inner];
  return hook === 'input' && node === to ? [outer, inner] : [outer];
}

const UDP = { network: 'ip6', protocol: 'udp', nextHeader: 'udp', extensions: [] } as const;

function listOf(address: string | undefined): readonly string[] {
  return address === undefined ? [] : [address];
}
