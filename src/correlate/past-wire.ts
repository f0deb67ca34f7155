// Losses on wires that are over: packets that one end had counted as sent and the other never counted as received, from the counts
// that both nodes kept of themselves. Ages are by each node's own clock, so both ends' counts are compared at the ages of one of
// them; what may have passed between two samples counts against a loss. Counters that started anew say nothing.
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import type { PastFinding } from './past.ts';
import { simple } from './rules/explain.ts';
import { mark } from './spelling.ts';
import { interfaceOf, sourcesOf, type World, type WorldLink } from './world.ts';

/** Fewer lost packets than this may be strays. */
const LEAST_LOST = 6;
/** Share of what was sent while it lasted. */
const LEAST_SHARE = 0.005;
/** A moment is busy when its interval held so many times what is usual. */
const BUSY_TIMES = 3;

type Samples = readonly (readonly [agoMs: number, packets: number])[];
/** At one moment: how many of those sent had not been received, and by how much that may be wrong. */
type Gap = { readonly agoMs: number; readonly sent: number; readonly missing: number; readonly doubt: number };

export function lossesOver(world: World): readonly PastFinding[] {
  const { sinceMs } = world;
  if (sinceMs === undefined) return [];
  return world.links.flatMap((link) =>
    [
      { from: link.from, to: link.to },
      { from: link.to, to: link.from },
    ].flatMap(({ from, to }) => lossOver(world, link, from, to, sinceMs) ?? []),
  );
}

function lossOver(world: World, link: WorldLink, from: LinkEnd, to: LinkEnd, sinceMs: number): PastFinding | undefined {
  if (!comparable(world, from) || !comparable(world, to)) return undefined;
  const gaps = gapsOf(samplesOf(world, from, 2), samplesOf(world, to, 1)).filter(({ agoMs }) => agoMs <= sinceMs);
  const [first, last] = [quietest(gaps.slice(0, 3)), quietest(gaps.slice(-3))];
  if (first === undefined || last === undefined || last.agoMs >= first.agoMs) return undefined;
  const lost = last.missing - first.missing;
  const sure = lost - first.doubt - last.doubt;
  const while_ = spanOf(gaps, first, lost);
  if (sure < LEAST_LOST || while_ === undefined || lost < while_.sent * LEAST_SHARE) return undefined;
  const lossPercent = Math.min(100, Math.round((lost / Math.max(1, while_.sent)) * 1_000) / 10);
  const proposal = simple(
    { fault: 'packet_loss' },
    interfaceResource(from),
    [],
    sourcesOf(world, link.from.node, link.to.node),
    {
      confidence: 'likely',
      details: {
        segment: `${mark(from.node)} – ${mark(to.node)}`,
        direction: `${mark(from.node)} → ${mark(to.node)}`,
        interface: from.ifname,
        peer: to.node,
        peerInterface: to.ifname,
        lossPercent,
        lostPackets: Math.round(lost),
        txPackets: while_.sent,
      },
    },
  );
  return { proposal, agoMs: while_.agoMs };
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
  const steps = received.slice(1).map(([, count], index) => count - received[index]![1]);
  const usual = [...steps].sort((one, other) => one - other)[Math.floor(steps.length / 2)] ?? 0;
  return sent.flatMap(([agoMs, count]): Gap[] => {
    const at = received.findIndex(([age]) => age <= agoMs);
    const [before, after] = [received[at - 1], received[at]];
    if (before === undefined || after === undefined) return [];
    const part = before[0] === after[0] ? 1 : (before[0] - agoMs) / (before[0] - after[0]);
    const step = after[1] - before[1];
    const doubt = step > Math.max(8, usual * BUSY_TIMES) ? step : 1 + 1.5 * Math.sqrt(step);
    return [{ agoMs, sent: count, missing: count - (before[1] + part * step), doubt }];
  });
}

function quietest(gaps: readonly Gap[]): Gap | undefined {
  return [...gaps].sort((one, other) => one.doubt - other.doubt)[0];
}
