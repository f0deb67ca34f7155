// What standing probes over a slow link saw of its beginning: that its round trip was short before, and which way became longer. Two
// clocks are never subtracted: the reading of the same difference just before is held against the one just after, as far as the clocks
// cannot have drifted meanwhile. Nothing is said where another link of either end rose at the same time: then a node is busy.

import type { LinkRise } from '#model/router/link-monitor.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { otherEnd, type View, type World, type WorldLink } from '../network/world.ts';
import { probedLink } from './monitor-rounds.ts';

/** Where no loop of probes confirms a delay, the nodes themselves may be busy: it must be this long (docs/decisions/0036-delay-onset-gives-direction.md). */
export const UNCONFIRMED_MS = 15;
/** Of the delay as measured now and of the rise, the smaller is at least this share of the larger. */
const SHARE_OF_RISE = 0.5;
/** A slow round trip takes at least this many times as long as the usual one; the onset of a delay is judged by the same factor (decision 0036). */
export const SLOW_TIMES = 4;
/** What NTP at most bends a clock by while it keeps time (adjtimex(2), `freq`): crystals differ by far less, a clock that is being set right may by more. */
const DRIFT_PPM = 500;
/** Two links of a node that rose within this time rose together. */
const TOGETHER_MS = 10_000;

export type Risen = {
  readonly quickMs: number;
  readonly text: string;
  readonly detail: { readonly rose: true; readonly roseSecondsAgo: number; readonly slowFrom?: readonly string[] };
};

type Seen = { readonly rise: LinkRise; readonly prober: string; readonly link: WorldLink };

/** `tripMs`: the least round trip now; `usualMs`: that of other links, where there are enough of them. */
export function risenOn(world: World, link: WorldLink, tripMs: number, usualMs: number | undefined): Risen | undefined {
  const all = [...world.views.values()].flatMap((view) => risesOf(world, view));
  const seen = all.find((each) => each.link.key === link.key);
  if (seen === undefined) return undefined;
  const quickMs = seen.rise.quickUs / 1_000;
  const delayMs = tripMs - (usualMs ?? quickMs);
  const [less, more] = [Math.min(grownMs(seen), delayMs), Math.max(grownMs(seen), delayMs)];
  if (less < UNCONFIRMED_MS || less < more * SHARE_OF_RISE) return undefined;
  const ends = [link.from.node, link.to.node];
  const { rise, prober } = seen;
  const together = all.filter(
    (each) => each.link.key !== link.key && Math.abs(each.rise.agoMs - rise.agoMs) <= TOGETHER_MS,
  );
  if (together.some(({ link: { from, to } }) => [from, to].some(({ node }) => ends.includes(node)))) return undefined;
  const slowFrom = slowerWay(rise, prober, otherEnd(link, prober).node);
  const roseSecondsAgo = Math.round(rise.agoMs / 1_000);
  return {
    quickMs,
    text: `; ${Math.round(quickMs * 100) / 100} ms until ${ageWords(rise.agoMs)} ago`,
    detail: { rose: true, roseSecondsAgo, ...(slowFrom === undefined ? {} : { slowFrom: [slowFrom] }) },
  };
}

/** As it reported last. */
function risesOf(world: World, { node, before, state }: View): readonly Seen[] {
  return (
    (state.history ?? before?.history)?.rises?.flatMap((rise): Seen[] => {
      const link = probedLink(world, { node, ifname: rise.ifname }, rise.far);
      return link === undefined ? [] : [{ rise, prober: node, link }];
    }) ?? []
  );
}

function grownMs({ rise: { quickUs, slowUs } }: Seen): number {
  return (slowUs - quickUs) / 1_000;
}

/** Who sends what is held back: one way took three quarters of the rise or more, however the clocks went, and neither became shorter. */
function slowerWay({ ways }: LinkRise, prober: string, far: string): string | undefined {
  if (ways === undefined) return undefined;
  const { outUs, backUs, spanMs } = ways;
  const driftUs = (spanMs * DRIFT_PPM) / 1_000;
  if (Math.min(outUs, backUs) < -driftUs) return undefined;
  if (Math.abs(outUs - backUs) - 2 * driftUs < (outUs + backUs) / 2) return undefined;
  return outUs > backUs ? prober : far;
}
