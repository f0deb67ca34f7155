// Moments of the past that are worth a judgement: one for each remembered state of each node. What the other nodes were at that moment may not be
// known, so that a moment is a guess or several: a network for each way in which they may have been. Judges nothing.
import type { NodeState, PastState } from '#model/router/router-port.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import type { World } from '../network/world.ts';
import { type StateThen, statesWithin, type Time, timeOf, widened } from './states-then.ts';

export type Moment = {
  readonly agoMs: number;
  /** Node → states that it may have been in: where there is one alone, it is known. */
  readonly states: ReadonlyMap<string, readonly StateThen[]>;
};

/** Node → one of the states that it may have been in. */
export type Guess = ReadonlyMap<string, StateThen>;

/** Latest first, within what was asked about, at most so many as are judged. */
export function momentsOf(now: World): readonly Moment[] {
  return chosenMoments(now).moments;
}

/** Times of remembered states that are too many to look at, the earliest ones. */
export function momentsLeft(now: World): number {
  return chosenMoments(now).left;
}

/** Moments at which every node may have been in the same states are one, and a state that a moment shows among known ones needs no other. */
function chosenMoments(now: World): { readonly moments: readonly Moment[]; readonly left: number } {
  const once = new Map<string, Moment>();
  const left = new Set<number>();
  const known = new Set<NodeState>();
  let tried = 0;
  for (const { node, entry, agoMs } of entriesOf(now)) {
    if (known.has(entry.state)) continue;
    if (once.size >= CORRELATE_LIMITS.pastMoments || tried >= CORRELATE_LIMITS.pastStatesTried) {
      left.add(agoMs);
      continue;
    }
    tried += 1;
    const moment = momentIn(now, node, entry);
    const key = keyOf(now, moment);
    if (!once.has(key)) once.set(key, moment);
    if (unknownIn(moment).length === 0) for (const [state] of moment.states.values()) if (state) known.add(state);
  }
  return { moments: [...once.values()].sort((one, other) => one.agoMs - other.agoMs), left: left.size };
}

/** Remembered states of all nodes, latest first. */
function entriesOf({ views, sinceMs = Number.POSITIVE_INFINITY }: World) {
  return [...views.values()]
    .flatMap(({ node, state }) =>
      (state.past ?? [])
        .filter(({ untilAgoMs }) => untilAgoMs <= sinceMs)
        .map((entry) => ({ node, entry, agoMs: middleOf(timeOf(entry)) })),
    )
    .sort((one, other) => one.agoMs - other.agoMs);
}

/** Parts of the time of a state at whose ends a moment is looked for. */
const PARTS = 8;

/** The moment in which a node was in this state and most is known of the others; if several are equal, the middle one. */
function momentIn(now: World, node: string, entry: PastState): Moment {
  const time = timeOf(entry);
  const isOnce = entry.untilAgoMs + (entry.tookMs ?? 0) > entry.fromAgoMs;
  const times = isOnce ? [time] : timesIn(time);
  let best: { readonly moment: Moment; readonly unknown: number } | undefined;
  for (const each of times) {
    const near = widened(each, now.answersApartMs ?? 0);
    const states = new Map(
      [...now.views.values()].map((view): [string, readonly StateThen[]] => [
        view.node,
        view.node === node ? [entry.state] : statesWithin(view.state, near),
      ]),
    );
    const unknown = unknownIn({ states }).length;
    if (best === undefined || unknown < best.unknown) best = { moment: { agoMs: middleOf(each), states }, unknown };
    if (unknown === 0) break;
  }
  return best!.moment;
}

/** The middle first, then ever further from it. */
function timesIn(time: Time): readonly Time[] {
  const { fromAgoMs, untilAgoMs } = time;
  const middle = middleOf(time);
  const parts = Array.from({ length: PARTS + 1 }, (_, part) =>
    Math.round(untilAgoMs + ((fromAgoMs - untilAgoMs) * part) / PARTS),
  ).sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
  return [...new Set([middle, ...parts])].map((agoMs) => ({ fromAgoMs: agoMs, untilAgoMs: agoMs }));
}

/** In whole seconds, where one lies in it. */
export function middleOf({ fromAgoMs, untilAgoMs }: Time): number {
  const middle = (fromAgoMs + untilAgoMs) / 2;
  const rounded = Math.round(middle / 1_000) * 1_000;
  return rounded >= untilAgoMs && rounded <= fromAgoMs ? rounded : Math.round(middle);
}

/** Nodes of which it is not known what they were. */
export function unknownIn({ states }: Pick<Moment, 'states'>): readonly string[] {
  return [...states].flatMap(([node, each]) => (each.length > 1 ? [node] : []));
}

function keyOf({ views }: World, { states }: Moment): string {
  return [...states]
    .map(([node, each]) => {
      const { past = [] } = views.get(node)!.state;
      return each.map((state) => (state === undefined ? 'x' : past.findIndex((entry) => entry.state === state))).join();
    })
    .join(' ');
}

/** Every node in its first possible state, every node in its second, and so on: each possible state of each node is in one of them. */
export function plainGuesses(moment: Moment): readonly Guess[] {
  const most = Math.max(1, ...[...moment.states.values()].map((each) => each.length));
  return Array.from({ length: most }, (_, choice) => guessOf(moment, () => choice));
}

/** Guesses in which some of these nodes are in their first state while others are in their second: with the plain ones each pair of states of any two. */
export function mixedGuesses(moment: Moment, among: readonly string[]): readonly Guess[] {
  const most = Math.max(1, ...[...moment.states.values()].map((each) => each.length));
  const digits = among.length < 2 ? 0 : Math.ceil(Math.log2(among.length));
  const choices = Array.from({ length: most }, (_, choice) => choice);
  // Of two nodes the numbers differ in one binary digit at least.
  return choices.flatMap((one) =>
    choices
      .filter((other) => other !== one)
      .flatMap((other) =>
        Array.from({ length: digits }, (_, digit) =>
          guessOf(moment, (node) => (((Math.max(0, among.indexOf(node)) >> digit) & 1) === 1 ? one : other)),
        ),
      ),
  );
}

function guessOf({ states }: Moment, choose: (node: string) => number): Guess {
  return new Map([...states].map(([node, each]) => [node, each[choose(node) % each.length]]));
}
