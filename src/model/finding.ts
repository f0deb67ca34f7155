// What the rules conclude.
import type { JsonValue } from '#base/json.ts';
import type { Clue } from './clue.ts';
import type { Silenced } from './expectations.ts';
import type { LinkRow } from './links/link-indicators.ts';
import type { ResourceId } from './names.ts';
import type { LiveSetting } from './router/live-setting.ts';
import type { SettingChange } from './router/setting-history.ts';
import { ageWords } from './settings/change-words.ts';

export type Confidence = 'certain' | 'likely' | 'possible';

/** One `(resource, fault)` pair with the evidence it stands on and a remedy. */
export type Finding = {
  readonly resource: ResourceId;
  /** Fault id of docs/faults.md. */
  readonly fault: string;
  readonly confidence: Confidence;
  /** Evidence ids for and against. */
  readonly evidence: readonly string[];
  readonly against: readonly string[];
  /** Measured values: loss in percent, counters, rule names, `segment` and `direction`. */
  readonly details: { readonly [name: string]: JsonValue };
  /** Structured part as text, with the operator's spelling of names: "PE-1 egress ACL 2001" (TS-17, TS-18). */
  readonly hypothesis: string;
  readonly remedy?: Remedy;
  /** What was changed on its nodes before it began, nearest first; absent where they remember nothing. */
  readonly changes?: readonly NodeChange[];
  /** Changes that the list has no room for; absent: none. */
  readonly changesLeft?: number;
  /** The one of them that caused it: it set this very thing, and the remedy's exact change undoes it. */
  readonly causedByChange?: NodeChange;
};

/** A change of a setting of `node`, and how long ago it was by that node's clock. */
export type NodeChange = SettingChange & { readonly node: string };

/** What nodes say of themselves, as a table: the answer to a question that asks for data. Judges nothing. */
export type ToldTable = {
  readonly title: string;
  readonly columns: readonly string[];
  /** As many cells as there are columns. */
  readonly rows: readonly (readonly string[])[];
  /** How long ago what each row tells was, ms, where the first column says when. */
  readonly agesMs?: readonly number[];
  /** Rows that the table has no room for. */
  readonly left: number;
  /** What could not be read, one line each. */
  readonly notKnown: readonly string[];
};

/** What nodes remember of a span of time. */
export type ToldChanges = {
  /** The span: how long before each node's answer it began and ended. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Nearest first. */
  readonly changes: readonly NodeChange[];
  /** Changes that the list has no room for. */
  readonly left: number;
  /** What could not be read, and what memory does not reach, one line each. */
  readonly notKnown: readonly string[];
};

/** `, over: 25 s ago` of what is not so any more; nothing of what is. */
export function overText({ over, agoSeconds, agoMs }: Finding['details']): string {
  if (over !== true) return '';
  const seconds = typeof agoMs === 'number' ? Math.round(agoMs / 1_000) : agoSeconds;
  if (typeof seconds !== 'number') return ', over';
  return `, over: ${ageWords(seconds * 1_000)} ago`;
}

/** A change that would undo the fault; always a proposal (TS-19). */
export type Remedy = {
  readonly summary: string;
  readonly command?: string;
  readonly node: string;
  /** Why there is no exact change: what a person must know or decide first. */
  readonly decide?: string;
  /** Exactly what would be changed, where that is known: what `parley remedy` draws up, and applies with consent. */
  readonly change?: RemedyChange;
};

export type RemedyChange = {
  /** Lines of the node's own configuration. */
  readonly lines?: readonly string[];
  readonly live?: readonly LiveSetting[];
};

/**
 * Why what is odd is no finding: nothing shows that it was otherwise, it may be meant, only the measurement itself shows it, or nothing
 * suffers from it.
 */
export const REMARK_REASONS = ['no-change', 'policy', 'method', 'no-harm'] as const;
export type RemarkReason = (typeof REMARK_REASONS)[number];

/** What remarks are about that resemble no fault. */
export const REMARK_KINDS = ['link_signs', 'shared_link', 'late_probes', 'baseline_addition', 'more'] as const;

/** Odd, and no fault: accuses no node, changes no verdict and no exit code, has no remedy. */
export type Remark = {
  /** Fault id of docs/faults.md that it resembles, or one of {@link REMARK_KINDS}. */
  readonly kind: string;
  /** Absent where it is about no one place. */
  readonly resource?: ResourceId;
  readonly why: RemarkReason;
  /** For people. */
  readonly text: string;
  /** Evidence ids. */
  readonly evidence: readonly string[];
};

/** `answered`: what changed was asked, and every asked node remembers the whole time; says nothing of health. */
export type VerdictKind = 'fault' | 'healthy' | 'inconclusive' | 'answered';

export type Verdict = {
  readonly kind: VerdictKind;
  /** For `healthy`: what proves it. For `inconclusive`: what was missing. For `fault`: one line a finding. */
  readonly reasons: readonly string[];
};

/** Loss of one segment in one direction, measured by probes and by both ends' counters. */
export type SegmentLoss = {
  readonly from: string;
  readonly to: string;
  /** Sending interface, where the segment is one link. */
  readonly ifname?: string;
  readonly probesSent: number;
  readonly probesLost: number;
  readonly lossPercent: number;
  /** Bounds of `tx` minus `rx` over the aligned window; absent when the two are not comparable. */
  readonly counters?: {
    readonly lostAtLeast: number;
    readonly lostAtMost: number;
    readonly txPackets: number;
    /** What the other end received in it; absent in reports of earlier versions. */
    readonly rxPackets?: number;
  };
};

/** A hypothesis that was considered, and why it lost (TS-17's candidate list). */
export type Candidate = {
  readonly resource: ResourceId;
  readonly fault: string;
  readonly source: 'rule' | 'model';
  readonly chosen: boolean;
  readonly why: string;
};

/** All that correlation says. `sentence` is written by a template here; a model may phrase it anew. */
export type Diagnosis = {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** What is odd and no fault; absent: nothing is. */
  readonly remarks?: readonly Remark[];
  /** What changed, where that was asked. */
  readonly changes?: ToldChanges;
  /** What nodes say of themselves, where data was asked for. */
  readonly table?: ToldTable;
  readonly candidates: readonly Candidate[];
  readonly segments: readonly SegmentLoss[];
  /** Who is connected to whom, and how far that is to be believed. */
  readonly links: readonly LinkRow[];
  /** The evidence without words, for a second opinion; no part of a report. */
  readonly clues: readonly Clue[];
  /** Findings that accuse no node, as operators said that they are meant; absent: none. */
  readonly silenced?: readonly Silenced[];
  readonly sentence: string;
  /** Structured part as text (TS-18). */
  readonly hypothesis: string;
};
