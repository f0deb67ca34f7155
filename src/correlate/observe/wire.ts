// `tx` at one end of a link against `rx` at the other, over one exchange. Honest about time: the two ends are read a little
// apart, so packets that passed between two reads count for and against. Subtracts no clock of one node from another's:
// each node's own monotonic clock only says how long that node's counters ran.
import type { LinkEnd } from '#model/names.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { type Fact, type FactWith, factsOf, type Wire } from '../engine/facts.ts';

/** One node's two readings, and how long the asker waited for each. */
export type Reading = {
  readonly before: NodeState;
  readonly after: NodeState;
  readonly beforeMs: number;
  readonly afterMs: number;
};

export type ProbePackets = {
  /** Probe packets that are known to have been sent, and to have arrived, inside both windows. */
  readonly probesSent: number;
  readonly probesArrived: number;
  /** Reflections of the whole path's probes that may have come this way as well, or another. */
  readonly probesPerhaps: number;
  /** Probes of the whole path, which routing sends this way or another. */
  readonly probesRouted?: number;
};

export type WireInput = ProbePackets & {
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  readonly sender: Reading;
  readonly receiver: Reading;
  /** Length of the probe phase as the asker saw it: no window is shorter. */
  readonly probeMs: number;
  /** Why the link itself cannot be trusted, if so. */
  readonly distrust?: string;
};

/** Packets of the exchange itself (requests, answers, acknowledgements) that may fall between two reads of one phase. */
const EXCHANGE_PACKETS = 32;

/** Compares one direction of one link. Total: whatever the counters say, the result says whether they can be compared. */
export function compareWire(input: WireInput): Wire {
  const { from, to, sender, receiver } = input;
  const tx = delta(sender, from.ifname, 'txPackets');
  const rx = delta(receiver, to.ifname, 'rxPackets');
  const units = offloads(sender, from.ifname).concat(offloads(receiver, to.ifname));
  const why =
    input.distrust ??
    (tx === undefined || rx === undefined ? 'a counter is missing or went backwards' : undefined) ??
    (unread(sender) || unread(receiver) ? 'the offloads of an end could not be read' : undefined) ??
    (units.length > 0 ? `the two ends count different units (${[...new Set(units)].join(', ')})` : undefined);
  const sent = tx ?? 0;
  const received = rx ?? 0;
  const raw = sent - received;
  const slack = slackOf(input, sent, received);
  const numbers = {
    txPackets: sent,
    rxPackets: received,
    estimate: raw + lengthCorrection(input, sent, received),
    lostAtLeast: Math.max(0, Math.floor(raw - slack)),
    lostAtMost: Math.max(0, Math.ceil(raw + slack)),
  };
  if (why !== undefined) return { from, to, comparable: false, why, ...numbers };
  if (raw + slack < 0)
    return { from, to, comparable: false, gained: true, why: 'more was received than sent', ...numbers };
  return { from, to, comparable: true, ...numbers };
}

/** What the counters of both ends say of this direction of a link. */
export function wiresOver(
  file: { readonly facts: readonly Fact[] },
  { from, to }: Pick<Wire, 'from' | 'to'>,
): readonly FactWith<'wire'>[] {
  return factsOf(file, 'wire').filter(
    ({ value }) => value.from.node === from.node && value.from.ifname === from.ifname && value.to.node === to.node,
  );
}

/** Packets that the counts lack as they are, and once the windows' lengths are taken into account: what only the lengths make up, was not seen. */
export function lackingPackets({ estimate, txPackets, rxPackets }: Wire): number {
  return Math.min(estimate, txPackets - rxPackets);
}

/** Share of a link's packets that its counters may prove lost before the link is called unhealthy: a stray is not a fault. */
const STRAY_SHARE = 0.001;
const STRAY_PACKETS = 2;
/** Traffic comes in bursts: of so small a share the readings of a busy node may be wrong, and a second look decides. */
const DOUBTFUL_SHARE = 0.01;

/** True when the counters neither prove a loss beyond a stray nor contradict themselves. */
export function wireAgrees(wire: Wire): boolean {
  return wire.comparable && wire.lostAtLeast <= Math.max(STRAY_PACKETS, wire.txPackets * STRAY_SHARE);
}

/**
 * Of `least` packets one way, and of those the other way, each end counted as many as the other, but for a `share` of them and a stray: on a busy machine two
 * ends are read some packets apart.
 */
export function countsAlike(
  file: { readonly facts: readonly Fact[] },
  { from, to }: Pick<Wire, 'from' | 'to'>,
  { least, share = DOUBTFUL_SHARE }: { readonly least: number; readonly share?: number },
): boolean {
  const ways = [wiresOver(file, { from, to }), wiresOver(file, { from: to, to: from })];
  return (
    ways.every(
      (facts) =>
        facts.length > 0 &&
        facts.every(
          ({ value: wire }) =>
            wire.comparable &&
            wireAgrees(wire) &&
            (wire.rxPackets > 0 || wire.txPackets === 0) &&
            Math.abs(wire.txPackets - wire.rxPackets) <= Math.max(STRAY_PACKETS, wire.txPackets * share),
        ),
    ) && ways.flat().some(({ value }) => value.rxPackets >= least)
  );
}

/** The counters disagree by what a burst between two readings may have done: more came than was sent, or hardly less. */
export function isDoubtful(wire: Wire): boolean {
  if (!wire.comparable) return wire.gained === true;
  return !wireAgrees(wire) && wire.lostAtLeast <= wire.txPackets * DOUBTFUL_SHARE;
}

/** A few probes may lie outside the windows. */
const MOST_PROBES = 0.9;

/** Probes among the packets that both ends counted: of parallel links one alone may carry them, and of the whole path's it may be none. */
function probesAmong({ probesSent, probesArrived, probesRouted = 0 }: WireInput, sent: number, received: number) {
  const claims = [probesRouted, 0].map((routed) => ({ sent: probesSent + routed, received: probesArrived + routed }));
  const isMet = (claim: { readonly sent: number; readonly received: number }) =>
    sent >= claim.sent * MOST_PROBES && received >= claim.received * MOST_PROBES;
  return claims.find(isMet) ?? { sent: 0, received: 0 };
}

/** Most packets that can lie between the two ends' reads: never more than all traffic beside the probes. */
function slackOf(input: WireInput, sent: number, received: number): number {
  const probes = probesAmong(input, sent, received);
  const other = Math.max(0, sent - probes.sent, received - probes.received);
  const skewMs =
    Math.max(input.sender.beforeMs, input.receiver.beforeMs) + Math.max(input.sender.afterMs, input.receiver.afterMs);
  const windowMs = Math.max(1, input.probeMs);
  return Math.min(other, 2 * EXCHANGE_PACKETS + (other / windowMs) * skewMs);
}

/** Packets that the receiver counted because its window was longer (or missed because it was shorter) than the sender's. */
function lengthCorrection(input: WireInput, sent: number, received: number): number {
  const [mine, its] = [lengthMs(input.sender), lengthMs(input.receiver)];
  if (mine === undefined || its === undefined) return 0;
  const skewMs =
    Math.max(input.sender.beforeMs, input.receiver.beforeMs) + Math.max(input.sender.afterMs, input.receiver.afterMs);
  // A difference that the asker's own waiting cannot explain is a broken or lying clock: not used.
  if (its <= 0 || mine <= 0 || Math.abs(its - mine) > skewMs) return 0;
  const other = Math.max(0, received - probesAmong(input, sent, received).received - input.probesPerhaps);
  return Math.round((other / its) * (its - mine));
}

function lengthMs(reading: Reading): number | undefined {
  const [start, end] = [reading.before.countersReadMs, reading.after.countersReadMs];
  return start === undefined || end === undefined ? undefined : end - start;
}

function delta(reading: Reading, ifname: string, counter: 'txPackets' | 'rxPackets'): number | undefined {
  const [before, after] = [reading.before, reading.after].map(
    (state) => state.inventory.interfaces.find((entry) => entry.name === ifname)?.counters[counter],
  );
  return counterDelta(before, after);
}

/** Difference of two 64-bit counters; undefined when one is missing or it went backwards. */
export function counterDelta(before: string | undefined, after: string | undefined): number | undefined {
  if (before === undefined || after === undefined) return undefined;
  const difference = BigInt(after) - BigInt(before);
  return difference < 0n || difference > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(difference);
}

/** Without the offloads it is unknown what the counters count. */
function unread(reading: Reading): boolean {
  return [reading.before, reading.after].some((state) => state.missing.some((entry) => entry.part === 'offloads'));
}

function offloads(reading: Reading, ifname: string): readonly string[] {
  const states = [reading.before, reading.after];
  return states.flatMap((state) => state.inventory.interfaces.find((entry) => entry.name === ifname)?.offloads ?? []);
}
