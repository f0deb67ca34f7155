// The counts of probe runs → facts: how many were sent and lost each way, and what the prober's own node did to them. The same for
// probes along a path, over a link and in SRv6.
import type { ResourceId } from '#model/names.ts';
import type { ProbeResult } from '#model/router/router-port.ts';
import type { Fact, ProbeLoss } from '../engine/facts.ts';
import { WINDOW } from './exchange.ts';

/** Of one run of probes from `from` to `to` and back, or of several. */
export type ProbeCounts = {
  readonly from: string;
  readonly to: string;
  readonly sent: number;
  /** Probes that the sender's own node refused to send. */
  readonly refused: number;
  readonly reflected: number;
  /** Those of the reflected that arrived and were not answered, because of the reflector's rate limit. */
  readonly unanswered: number;
  readonly received: number;
  readonly late: number;
  /** Reflections of probes that had come back already. */
  readonly duplicates: number;
};

type Run = { readonly from: string; readonly to: string; readonly result: ProbeResult };

/** The sum of runs between the same two nodes. */
export function countsOf(first: Run, ...others: readonly Run[]): ProbeCounts {
  const total = {
    from: first.from,
    to: first.to,
    sent: 0,
    refused: 0,
    reflected: 0,
    unanswered: 0,
    received: 0,
    late: 0,
    duplicates: 0,
  };
  for (const { result } of [first, ...others]) {
    total.sent += result.sent;
    total.refused += result.sendErrors;
    total.reflected += result.reflected ?? 0;
    total.unanswered += result.reflectorRefused ?? 0;
    total.received += result.received;
    total.late += result.late ?? 0;
    total.duplicates += result.duplicates;
  }
  return total;
}

/** What left each end, and what of it was lost before the other. Probes that a reflector's limit left unanswered are no loss. */
export function bothWays({ sent, refused, reflected, unanswered, received }: ProbeCounts) {
  const answered = reflected - unanswered;
  return {
    out: { sent: sent - refused, lost: sent - refused - reflected },
    back: { sent: answered, lost: Math.max(0, answered - received) },
  };
}

type About = Pick<ProbeLoss, 'scope' | 'probe' | 'flows' | 'link'>;

/** In which direction the probes of `runs` were lost; where none came back, only that they were. `again`: the confirmation round alone. */
export function lossFacts(
  runs: readonly [Run, ...Run[]],
  about: About,
  source: readonly string[],
  again?: Run,
): readonly Fact[] {
  const counts = countsOf(...runs);
  const { from, to, sent, refused, reflected, unanswered } = counts;
  const reasons = runs.flatMap(({ result }) => result.sendErrorReason ?? []);
  const common = {
    ...{ ...about, measuredBy: from, unanswered },
    refusedByFilter: reasons.every((reason) => /EPERM|EACCES|not permitted/i.test(reason)),
  };
  const { out, back } = bothWays(counts);
  const second = again === undefined ? undefined : bothWays(countsOf(again));
  const ways: readonly Omit<ProbeLoss, keyof typeof common>[] =
    reflected === 0
      ? // Probes that were never sent were lost at the sender, so that their direction is known.
        [{ from, to, sent, lost: sent, refused, directionKnown: refused === sent }]
      : [
          {
            from,
            to,
            sent,
            lost: out.lost + refused,
            refused,
            directionKnown: true,
            ...(second && { again: second.out }),
          },
          { from: to, to: from, ...back, refused: 0, directionKnown: true, ...(second && { again: second.back }) },
        ];
  return ways.map((way) => ({
    ...{ subject: `path/${way.from}>${way.to}`, predicate: 'probe-loss', value: { ...common, ...way } },
    ...{ source, window: WINDOW },
  }));
}

/** Probes that came back late or twice, or were never sent. `link`: the one that all of them crossed, where it is known. */
export function proberFacts(
  { from, to, late, sent, refused, received, duplicates }: ProbeCounts,
  source: readonly string[],
  link?: ResourceId,
): readonly Fact[] {
  const subject = `path/${from}>${to}` as const;
  const doubled = { from, to, received, duplicates, ...(link === undefined ? {} : { link }) };
  return [
    ...(received > 0 ? [{ subject, predicate: 'returned-probes' as const, value: doubled, source }] : []),
    ...(late > 0 ? [{ subject, predicate: 'late-probes' as const, value: { from, to, late, sent }, source }] : []),
    ...(refused > 0
      ? [{ subject, predicate: 'send-errors' as const, value: { from, to, packets: refused }, source }]
      : []),
  ];
}
