// What changed on nodes within a span of time, as each of them remembers: nearest first, with what could not be read and what memory does not
// reach. Ages are by each node's own clock. Accuses nothing. Pure.
import type { Diagnosis, ToldChanges } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { CUT_PARTS, cutWords } from '#model/router/router-port.ts';
import { ageWords, changeWords, reachWords } from '#model/settings/change-words.ts';
import { type CaseFile, factsOf } from '../engine/facts.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import { linkRows } from '../network/link-rows.ts';
import { type NameNodes, nodeRef } from '../network/node-ref.ts';
import type { View } from '../network/world.ts';
import { changesOfNode, SAMPLE_MS } from './changes-before.ts';

/** With node references; `untilMs` is how long ago the span ended, `only` the keys of the nodes that are asked about: absent, all. */
export function changesIn(
  file: CaseFile,
  {
    sinceMs,
    untilMs = 0,
    only = [],
  }: { readonly sinceMs: number; readonly untilMs?: number; readonly only?: readonly string[] },
): ToldChanges {
  const isAsked = (node: string) => only.length === 0 || only.includes(nodeKey(node));
  const views = [...file.world.views.values()].filter(({ node }) => isAsked(node));
  const all = views
    .flatMap(({ node, state }) => changesOfNode(node, state))
    .filter(({ agoMs }) => agoMs >= untilMs && agoMs <= sinceMs)
    .sort((one, other) => one.agoMs - other.agoMs || (one.node < other.node ? -1 : 1));
  const changes = all.slice(0, CORRELATE_LIMITS.toldChanges);
  const unknown = [...silentIn(file, isAsked), ...views.flatMap((view) => unknownOf(view, sinceMs))];
  return {
    ...{ sinceMs, untilMs, changes, left: all.length - changes.length },
    notKnown: unknownLines(unknown),
  };
}

/** As many as an answer has room for; the rest is counted. */
export function unknownLines(lines: readonly string[]): readonly string[] {
  const rest = lines.length - CORRELATE_LIMITS.unknownChanges;
  return rest <= 0 ? lines : [...lines.slice(0, CORRELATE_LIMITS.unknownChanges), `${rest} more`];
}

/** The answer to a question about nothing else. */
export function changesDiagnosis(
  file: CaseFile,
  { sinceMs = 0, untilMs = 0, path }: Intent,
  nameNodes: NameNodes,
): Diagnosis {
  const only = path.map(({ key }) => key);
  const told = namedChanges(changesIn(file, { sinceMs, untilMs, only }), nameNodes);
  const isWhole = told.notKnown.length === 0;
  const read = [...file.world.views.keys()].filter((node) => only.length === 0 || only.includes(nodeKey(node)));
  const where = read.map((node) => nameNodes(nodeRef(node))).join(', ');
  const remembered = `${where}: every change ${spanWords(sinceMs, untilMs)} is remembered`;
  return {
    verdict: isWhole ? { kind: 'answered', reasons: [remembered] } : { kind: 'inconclusive', reasons: told.notKnown },
    ...{ findings: [], candidates: [], segments: [], clues: [], changes: told },
    links: linkRows(file.world),
    sentence: sentenceOf(told, where),
    hypothesis: told.changes.length === 0 ? 'no known change' : `${told.changes.length + told.left} changes`,
  };
}

export function namedChanges(told: ToldChanges, nameNodes: NameNodes): ToldChanges {
  return { ...told, notKnown: told.notKnown.map(nameNodes) };
}

/** `of the last hour`, `from a day to 6 h ago`. */
function spanWords(sinceMs: number, untilMs: number): string {
  return untilMs === 0 ? `of the last ${ageWords(sinceMs)}` : `from ${ageWords(sinceMs)} to ${ageWords(untilMs)} ago`;
}

function sentenceOf({ changes, left, sinceMs, untilMs, notKnown }: ToldChanges, where: string): string {
  if (where === '') return 'Nothing is known of changes: no memory could be read.';
  const count = changes.length + left;
  const [nearest] = changes;
  const time =
    untilMs === 0 ? `in the last ${ageWords(sinceMs)}` : `from ${ageWords(sinceMs)} to ${ageWords(untilMs)} ago`;
  const span = `${time} on ${where}`;
  const what =
    nearest === undefined
      ? `No change is known ${span}`
      : `${count} change${count === 1 ? '' : 's'} ${span}; the nearest: ${nearest.node} ${changeWords(nearest)}`;
  return `${what}${notKnown.length === 0 ? '' : '; not all is known'}.`;
}

/** Nodes that gave no state, with the reason where there is one. */
function silentIn(file: CaseFile, isAsked: (node: string) => boolean): readonly string[] {
  const silent = file.world.nodes.filter((node) => isAsked(node) && !file.world.views.has(node));
  return silent.map((node) => {
    const why = factsOf(file, 'missing').find(({ value }) => value.node === node)?.value.why;
    return `${nodeRef(node)}: its memory could not be read${why === undefined ? '' : ` (${why})`}`;
  });
}

function unknownOf({ node, state }: View, sinceMs: number): readonly string[] {
  const { settings, settingsSpanMs: spanMs = 0, commits = [], missing = [] } = state.history ?? {};
  if (settings === undefined) return [`${nodeRef(node)}: does not remember changes`];
  const short = spanMs < sinceMs ? [`${nodeRef(node)}: ${reachWords(spanMs)}; what changed before is not known`] : [];
  // What is set by hand comes first in the neighbour table: no change of it is behind the cut.
  const lists = (state.cut ?? []).filter(({ part }) => CUT_PARTS.has(part) && part !== 'neighbour-entries');
  const unread = [
    ...state.missing.map(({ part, reason }) => `${nodeRef(node)}: ${part} cannot be read now (${reason})`),
    ...lists.map((list) => `${nodeRef(node)}: not all ${CUT_PARTS.get(list.part)} are known (${cutWords(list)})`),
  ];
  // A list that was cut is whole as far as it reaches.
  const commitsReachMs = Math.max(0, ...commits.map(({ agoMs }) => agoMs));
  const cut = missing
    .filter(({ part }) => part === 'commits' && commitsReachMs < sinceMs)
    .map(({ reason }) => `${nodeRef(node)}: commits of its configuration are not all known (${reason})`);
  return [...short, ...unread, ...cut];
}

/** Before what is wrong: of the last day; where all of it is over, before the newest of it was seen last. */
export function changesBeforeFaults(file: CaseFile, findings: Diagnosis['findings']): ToldChanges {
  const agoMs = findings.map(({ details: { over, agoMs = 0, agoSeconds } }) =>
    over === true ? Number(agoSeconds === undefined ? agoMs : Number(agoSeconds) * 1_000) : 0,
  );
  const untilMs = agoMs.length === 0 ? 0 : Math.max(0, Math.min(...agoMs) - SAMPLE_MS);
  return changesIn(file, { sinceMs: CORRELATE_LIMITS.changeAgeMs, untilMs });
}
