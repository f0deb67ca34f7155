// What two moments have in common and what not: verdict, findings, who answered, and everything of the two profiles that both
// could tell. Measured values (rates, round trips, percentages) are never the same twice: they are remarks. Pure.
import type { Change, Comparison } from '#model/comparison.ts';
import type { Finding, Remark, Verdict } from '#model/finding.ts';
import { canTell, PROFILE_PARTS, type Profile } from '#model/snapshot.ts';
import { type InterfaceRate, rateRemarks } from './rates.ts';
import { keyOf } from './snapshot.ts';

export type Moment = {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** What is odd and no fault; absent of reports that have no list of it. */
  readonly remarks?: readonly Remark[];
  /** Every node that was asked. */
  readonly asked: readonly string[];
  readonly profile: Profile;
  readonly rates: readonly InterfaceRate[];
};

/** A round trip is remarked on when it is both this many times and this much longer or shorter. */
const RTT_TIMES = 2;
const RTT_MS = 1;

export function compareMoments(before: Moment, after: Moment): Comparison {
  const rates = rateRemarks(before.rates, after.rates);
  const changes: readonly Change[] = [
    ...verdictChange(before.verdict, after.verdict),
    ...findingChanges(before.findings, after.findings),
    ...nodeChanges(before, after),
    ...profileChanges(before.profile, after.profile),
    ...rates.errors.map(
      ({ subject, before, after }): Change => ({
        what: 'error counter',
        subject,
        how: 'changed',
        before,
        after,
      }),
    ),
  ];
  const remarks = [
    ...findingRemarks(before.findings, after.findings),
    ...roundTripRemarks(before.profile, after.profile),
    ...rates.remarks,
    ...remarkDifferences(before.remarks, after.remarks),
  ];
  return { same: changes.length === 0, changes, remarks };
}

/** What is odd decides nothing, also where it is new. */
function remarkDifferences(before: readonly Remark[] = [], after: readonly Remark[] = []): readonly string[] {
  const about = ({ kind, resource, text }: Remark) => `${kind} ${resource ?? text}`;
  const [was, is] = [new Set(before.map(about)), new Set(after.map(about))];
  return [
    ...before.filter((each) => !is.has(about(each))).map(({ text }) => `remarked before alone: ${text}`),
    ...after.filter((each) => !was.has(about(each))).map(({ text }) => `remarked after alone: ${text}`),
  ];
}

function verdictChange(before: Verdict, after: Verdict): readonly Change[] {
  if (before.kind === after.kind) return [];
  return [{ what: 'verdict', subject: 'verdict', how: 'changed', before: before.kind, after: after.kind }];
}

function findingChanges(before: readonly Finding[], after: readonly Finding[]): readonly Change[] {
  const name = ({ fault, resource }: Finding) => `${fault} at ${resource}`;
  const [had, has] = [before, after].map((list) => new Map(list.map((each) => [name(each), each])));
  const gone = [...had!].filter(([key]) => !has!.has(key));
  const come = [...has!].filter(([key]) => !had!.has(key));
  return [
    ...gone.map(([subject, each]): Change => ({ what: 'finding', subject, how: 'gone', before: each.hypothesis })),
    ...come.map(([subject, each]): Change => ({ what: 'finding', subject, how: 'new', after: each.hypothesis })),
  ];
}

function findingRemarks(before: readonly Finding[], after: readonly Finding[]): readonly string[] {
  return before.flatMap((had) => {
    const has = after.find(({ fault, resource }) => fault === had.fault && resource === had.resource);
    if (has === undefined || (has.hypothesis === had.hypothesis && has.confidence === had.confidence)) return [];
    const of = (each: Finding) => `${each.hypothesis} (${each.confidence})`;
    return [`${had.fault} at ${had.resource} still: ${of(had)}, then ${of(has)}`];
  });
}

/** Nodes that were asked both times and answered once; a node that was asked once only gets no remark. */
function nodeChanges(before: Moment, after: Moment): readonly Change[] {
  const both = before.asked.filter((node) => after.asked.includes(node));
  const state = ({ profile }: Moment, node: string) => (profile.nodes.includes(node) ? 'told its state' : 'silent');
  const answers = both.flatMap((node): Change[] => {
    const [was, is] = [state(before, node), state(after, node)];
    return was === is ? [] : [{ what: 'node', subject: node, how: 'changed', before: was, after: is }];
  });
  const asked = (one: Moment, other: Moment, how: 'new' | 'gone') =>
    one.asked.filter((node) => !other.asked.includes(node)).map((subject): Change => ({ what: 'node', subject, how }));
  return [...answers, ...asked(before, after, 'gone'), ...asked(after, before, 'new')];
}

/** Entries that one side has and the other could have told of; ways only where both asked for the same destination. */
export function profileChanges(before: Profile, after: Profile): readonly Change[] {
  const [had, has] = [before, after].map(({ entries }) => new Map(entries.map((entry) => [keyOf(entry), entry])));
  const changed = before.entries.flatMap((entry): Change[] => {
    const { part: what, subject, value } = entry;
    const now = has!.get(keyOf(entry));
    if (now === undefined)
      return what !== 'route' && canTell(after, entry) ? [{ what, subject, how: 'gone', before: value }] : [];
    return now.value === value ? [] : [{ what, subject, how: 'changed', before: value, after: now.value }];
  });
  const come = after.entries.filter(
    (entry) => entry.part !== 'route' && !had!.has(keyOf(entry)) && canTell(before, entry),
  );
  const all: readonly Change[] = [
    ...changed,
    ...come.map(({ part: what, subject, value }): Change => ({ what, subject, how: 'new', after: value })),
  ];
  // From causes to consequences, as far as parts can tell.
  return PROFILE_PARTS.flatMap((part) => all.filter(({ what }) => what === part));
}

function roundTripRemarks(before: Profile, after: Profile): readonly string[] {
  return before.roundTrips.flatMap(({ from, to, minMs }) => {
    const now = after.roundTrips.find((each) => each.from === from && each.to === to)?.minMs;
    if (now === undefined) return [];
    const [low, high] = [Math.min(minMs, now), Math.max(minMs, now)];
    if (high - low < RTT_MS || high < low * RTT_TIMES) return [];
    return [`round trip ${from} – ${to}: ${minMs} ms at least, then ${now} ms`];
  });
}
