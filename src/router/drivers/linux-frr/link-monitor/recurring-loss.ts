// Whether a link loses standing probes again and again, and has not stopped: what a question misses whose own probes fall into the time
// between two losses. A loss that is over is not reported here: memory keeps it (monitor-history.ts). Pure: time is an argument.
import type { RecurringLoss, WatchCounts } from '#model/router/link-monitor.ts';
import { ROUTER_LIMITS } from '../../../limits.ts';

type Taken = { readonly atMs: number; readonly counts: WatchCounts };
type Loss = Omit<RecurringLoss, 'ifname' | 'far'>;

/** Lost probes of a round; one alone is a stray. */
const LEAST_LOST = 2;
/** Times that rounds lost as many, with rounds between them that did not: a loss of every round is met by a question's own probes. */
const LEAST_BURSTS = 3;
/** Of all probes since the first of these rounds: as monitored losses that are over (correlate/observe/monitored-loss.ts). */
const LEAST_SHARE = 0.01;
/** A loss has stopped when it has been away for longer than usual, and two rounds. */
const SLACK_MS = 2 * ROUTER_LIMITS.monitorRoundMs;

/**
 * `rounds` oldest first, without the one that may still wait for its answers. A round that is dark as a whole says nothing, as the node may have been late; one of which
 * a part is dark was cut off for that time, which is an outage once and a loss that recurs when it comes again and again.
 */
export function recurringLossOf(rounds: readonly Taken[], nowMs: number): Loss | undefined {
  const usable = rounds.filter(({ counts }) => counts[7] < sentIn(counts));
  const lossy = usable.filter(({ counts }) => sentIn(counts) - receivedIn(counts) >= LEAST_LOST);
  // A cut is over within its round: many rounds in a row may have one each, and a question's probes fall between them.
  const isCut = ({ counts }: Taken) => counts[7] > 0;
  const bursts = usable.filter(
    (round, index) => lossy.includes(round) && (isCut(round) || !lossy.includes(usable[index - 1]!)),
  );
  const [first, last] = [lossy[0], lossy.at(-1)];
  if (first === undefined || last === undefined || bursts.length < LEAST_BURSTS) return undefined;
  if (nowMs - last.atMs > usualGapMs(bursts) + SLACK_MS) return undefined;
  const since = usable.filter(({ atMs }) => atMs >= first.atMs).map(({ counts }) => counts);
  const total = (pick: (counts: WatchCounts) => number) => since.reduce((sum, counts) => sum + pick(counts), 0);
  const sent = total(sentIn);
  if (total((counts) => sentIn(counts) - receivedIn(counts)) < sent * LEAST_SHARE) return undefined;
  const ago = (atMs: number) => Math.max(0, Math.round(nowMs - atMs));
  return {
    ...{ firstAgoMs: ago(first.atMs), lastAgoMs: ago(last.atMs), lossyRounds: lossy.length, sent },
    lostOut: Math.max(0, sent - total(([, , , , reflected4]) => reflected4) - total(([, reflected6]) => reflected6)),
    lostBack: Math.max(
      0,
      total(([, reflected6, received6, , reflected4, received4]) => reflected6 + reflected4 - received6 - received4),
    ),
    lost4: total(([, , , sent4, , received4]) => sent4 - received4),
  };
}

/** The median, from one beginning to the next. */
function usualGapMs(bursts: readonly Taken[]): number {
  const gaps = bursts.slice(1).map(({ atMs }, index) => atMs - bursts[index]!.atMs);
  return gaps.sort((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0;
}

function sentIn([sent6, , , sent4]: WatchCounts): number {
  return sent6 + sent4;
}

function receivedIn([, , received6, , , received4]: WatchCounts): number {
  return received6 + received4;
}
