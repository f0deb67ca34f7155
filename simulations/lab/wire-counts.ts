// How many frames a cable lost between two readings of its ends, while others are sent. No two ends are read at one moment: each is read before and
// after the other, which bounds what was sent by then. Pure.

export type EndCounts = { readonly tx: number; readonly rx: number };

/** Both ends, read in turn: a, b, a, b. */
export type BracketedCounts = {
  readonly a: readonly [before: EndCounts, after: EndCounts];
  readonly b: readonly [before: EndCounts, after: EndCounts];
};

/** At least and at most so many; below zero where more arrived than was sent. */
export type Bounds = { readonly least: number; readonly most: number };
export type LostFrames = { readonly forward: Bounds; readonly backward: Bounds };

/** From a to b, and from b to a. */
export function lostBetween(before: BracketedCounts, now: BracketedCounts): LostFrames {
  // b was read between the two readings of a, and a's second between the two of b.
  const forward = ({ a, b }: BracketedCounts) => aheadOf([a[0].tx, a[1].tx], b[0].rx);
  const backward = ({ a, b }: BracketedCounts) => aheadOf([b[0].tx, b[1].tx], a[1].rx);
  return {
    forward: grown(forward(before), forward(now)),
    backward: grown(backward(before), backward(now)),
  };
}

/** How far the sender was ahead of the receiver. */
function aheadOf([least, most]: readonly [number, number], received: number): Bounds {
  return { least: least - received, most: most - received };
}

function grown(before: Bounds, now: Bounds): Bounds {
  return { least: now.least - before.most, most: now.most - before.least };
}

/** Nothing need have been lost or added. */
export function isPerfect({ forward, backward }: LostFrames): boolean {
  return [forward, backward].every(({ least, most }) => least <= 0 && most >= 0);
}

/** How far apart the bounds are, in the worse direction. */
export function slackOf({ forward, backward }: LostFrames): number {
  return Math.max(forward.most - forward.least, backward.most - backward.least);
}

/** Frames that were sent while the ends were read. */
export function spanOf({ a, b }: BracketedCounts): number {
  return a[1].tx - a[0].tx + (b[1].tx - b[0].tx);
}

export function lossWords({ forward, backward }: LostFrames): string {
  const words = ({ least, most }: Bounds) => (least === most ? `${least}` : `${least} to ${most}`);
  return `tx and rx differ by ${words(forward)} forward and ${words(backward)} backward`;
}
