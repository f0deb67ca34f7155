// Losses on wires that are over, as facts: packets that one end had counted as sent and the other never counted as received, from the counts
// that both nodes kept of themselves. Ages are by each node's own clock, so both ends' counts are compared at the ages of one of
// them; what may have passed between two samples counts against a loss. Counters that started anew say nothing.
import type { LinkEnd } from '#model/names.ts';
import type { CountedLoss } from '../engine/facts.ts';
import { directionsOf, interfaceOf, type World, type WorldLink } from '../network/world.ts';

/** Fewer lost packets than this may be strays. */
const LEAST_LOST = 10;
/** Share of what was sent while it lasted. */
const LEAST_SHARE = 0.005;
/** Quiet moments before and after that must say the same. */
const WITNESSES = 2;
/** A moment is busy when its interval held so many times what is usual. */
const BUSY_TIMES = 3;

type Samples = readonly (readonly [agoMs: number, packets: number])[];
/** At one moment: how many of those sent had not been received, and by how much that may be wrong. */
type Gap = {
  readonly agoMs: number;
  readonly sent: number;
  readonly missing: number;
  readonly doubt: number;
  readonly busy: boolean;
};

/** With the age of its end. */
export type LossInCounts = CountedLoss & { readonly agoMs: number };

export function countedLosses(world: World): readonly LossInCounts[] {
  const { sinceMs } = world;
  if (sinceMs === undefined) return [];
  return world.links.flatMap((link) =>
    directionsOf(link).flatMap(({ from, to }) => {
      const loss = lossOver(world, link, { from, to }, sinceMs);
      return loss === undefined ? [] : [loss];
    }),
  );
}

function lossOver(
  world: World,
  link: WorldLink,
  { from, to }: Pick<CountedLoss, 'from' | 'to'>,
  sinceMs: number,
): LossInCounts | undefined {
  if (!comparable(world, from) || !comparable(world, to)) return undefined;
  const gaps = gapsOf(samplesOf(world, from, 2), samplesOf(world, to, 1)).filter(({ agoMs }) => agoMs <= sinceMs);
  const quiet = gaps.filter(({ busy }) => !busy);
  // The same at two moments before and two after: a reading that came late is no loss.
  const [before, after] = [quiet.slice(0, WITNESSES), quiet.slice(-WITNESSES)];
  const [first, last] = [before[0], after.at(-1)];
  if (first === undefined || last === undefined || quiet.length < 2 * WITNESSES) return undefined;
  const lost = last.missing - first.missing;
  const sure = Math.min(
    ...before.flatMap((one) => after.map((other) => other.missing - one.missing - one.doubt - other.doubt)),
  );
  const period = spanOf(gaps, first, lost);
  if (sure < LEAST_LOST || period === undefined || lost < period.sent * LEAST_SHARE) return undefined;
  return { link, from, to, sent: period.sent, lost, agoMs: period.agoMs };
}

/** Between the first moment at which a tenth was missing and the one at which nine tenths were. */
function spanOf(
  gaps: readonly Gap[],
  first: Gap,
  lost: number,
): { readonly agoMs: number; readonly sent: number } | undefined {
  const share = (gap: Gap) => (gap.missing - first.missing) / lost;
  const start = gaps.findLast((gap) => gap.agoMs > 0 && share(gap) <= 0.1);
  const end = gaps.find((gap) => share(gap) >= 0.9);
  const from = start === undefined || end === undefined || start.agoMs <= end.agoMs ? first : start;
  return end === undefined ? undefined : { agoMs: end.agoMs, sent: Math.max(1, end.sent - from.sent) };
}

/** The counters of both ends count the same things, and nothing was replugged meanwhile. */
function comparable(world: World, end: LinkEnd): boolean {
  const entry = interfaceOf(world, end);
  const events = world.views.get(end.node)?.state.history?.events ?? [];
  const since = world.sinceMs ?? 0;
  return (
    entry?.operUp === true &&
    entry.offloads.length === 0 &&
    !events.some(({ kind, subject, agoMs }) => kind === 'carrier' && subject === end.ifname && agoMs <= since)
  );
}

/** Oldest first. */
function samplesOf(world: World, { node, ifname }: LinkEnd, column: 1 | 2): Samples {
  const traffic = world.views.get(node)?.state.history?.traffic ?? [];
  const samples = traffic.find((entry) => entry.ifname === ifname)?.samples ?? [];
  return samples.map((sample) => [sample[0], sample[column]] as const);
}

function gapsOf(sent: Samples, received: Samples): readonly Gap[] {
  if ([sent, received].some((samples) => samples.some(([, count], index) => count < (samples[index - 1]?.[1] ?? 0))))
    return [];
  const [sentBusy, receivedBusy] = [busyAround(sent), busyAround(received)];
  return sent.flatMap(([agoMs, count], index): Gap[] => {
    const at = received.findIndex(([age]) => age <= agoMs);
    const [before, after] = [received[at - 1], received[at]];
    if (before === undefined || after === undefined) return [];
    const part = before[0] === after[0] ? 1 : (before[0] - agoMs) / (before[0] - after[0]);
    const step = after[1] - before[1];
    const busy = sentBusy[index]! || receivedBusy[at]! || receivedBusy[at - 1]!;
    return [{ agoMs, sent: count, missing: count - (before[1] + part * step), doubt: 1 + 2 * Math.sqrt(step), busy }];
  });
}

/** Whether more passed just before or after each sample than is usual: then a moment's difference is many packets. */
function busyAround(samples: Samples): readonly boolean[] {
  const steps = samples.slice(1).map(([, count], index) => count - samples[index]![1]);
  const usual = [...steps].sort((one, other) => one - other)[Math.floor(steps.length / 4)] ?? 0;
  const much = Math.max(8, usual * BUSY_TIMES);
  return samples.map((_, index) => (steps[index - 1] ?? 0) > much || (steps[index] ?? 0) > much);
}
