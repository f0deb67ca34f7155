// Large probes against small ones over a link: a link may carry every small packet and lose those close to its MTU.
import { type Fact, factsOf } from '../../engine/facts.ts';
import { isLoss } from '../../engine/loss-symptom.ts';
import { heldUpRates } from './bottleneck.ts';

/** Large probes of the trains over a link, of both ends. */
export function largeOver(facts: readonly Fact[], key: string): { readonly sent: number; readonly lost: number } {
  const trains = factsOf({ facts }, 'large-probes').filter(({ value }) => value.link === key);
  const sum = (pick: (value: (typeof trains)[number]['value']) => number) =>
    trains.reduce((total, { value }) => total + pick(value), 0);
  return { sent: sum(({ sent }) => sent), lost: sum(({ sent, received }) => sent - received) };
}

/** Of those along all of a path, both ways. */
export function lostAtFullSize(facts: readonly Fact[]): number {
  return factsOf({ facts }, 'full-size').reduce((total, { value }) => total + value.lost, 0);
}

/**
 * Keys of links whose trains lost probes while small ones arrived, those that lost most first. Without links that hold trains up: a queue
 * that is full takes large packets first.
 */
export function linksThatLoseLarge(facts: readonly Fact[]): readonly string[] {
  const held = heldUpRates(facts);
  const lossy = new Set(
    factsOf({ facts }, 'probe-loss').flatMap(({ value: { link, sent, lost } }) =>
      link !== undefined && isLoss(sent, lost) ? [link as string] : [],
    ),
  );
  return [...new Set(factsOf({ facts }, 'large-probes').map(({ value }) => value.link))]
    .map((key) => ({ key, ...largeOver(facts, key) }))
    .filter(({ key, lost }) => lost > 0 && !lossy.has(key) && !held.has(key))
    .sort((one, other) => other.lost - one.lost)
    .map(({ key }) => key);
}
