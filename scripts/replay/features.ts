// What makes one case unlike another, as words: for a selection that keeps as many kinds of cases as possible, and for a table of a corpus.
import { isJsonObject } from '#base/json.ts';
import type { Diagnosis, Finding } from '#model/finding.ts';
import { decodeOldCallId } from './old-call-ids.ts';
import type { ReplayCase } from './replay-case.ts';

const PROTOCOLS = ['bgp', 'isis', 'ospf'] as const;

export function featuresOf({ intent, outcomes, evidence }: ReplayCase, diagnosis: Diagnosis): ReadonlySet<string> {
  const { verdict, findings, candidates, clues } = diagnosis;
  const network = networkOf({ evidence, expected: diagnosis });
  const asked = intent.sinceMs === undefined ? intent.kind : `${intent.kind} lately`;
  return new Set([
    `${verdict.kind} of ${asked} in ${network}`,
    `${findings.length} findings in ${network}`,
    ...findings.flatMap((finding) => [
      `${faultOf(finding)} in ${network}`,
      `${faultOf(finding)} asked ${asked}`,
      `${finding.fault} ${finding.confidence} ${remedyOf(finding)}`,
    ]),
    ...candidates.map(({ fault, chosen }) => `${chosen ? 'chosen' : 'rejected'} ${fault}`),
    ...clues.map(({ kind, values }) => `${verdict.kind} with ${kind} ${String(values.how ?? '')}`),
    ...outcomes.map(({ callId }) => `call ${decodeOldCallId(callId).form}`),
    ...outcomes.map(({ name, status }) => `${name} ${status}`),
    ...verdict.reasons.map((reason) => `${verdict.kind}: ${shapeOf(reason)}`),
  ]);
}

/** The routing protocols that nodes run, or by which they know their neighbours. */
export function networkOf({ evidence, expected }: Pick<ReplayCase, 'evidence' | 'expected'>): string {
  const signs = new Set<string>((expected.links ?? []).flatMap((link) => link.signs));
  const spoken = PROTOCOLS.filter(
    (name) =>
      signs.has(name) ||
      evidence.some(({ kind, body }) => kind === 'state' && isJsonObject(body) && isSpoken(body[name])),
  );
  return spoken.join('+') || 'no routing';
}

export function faultOf({ fault, details }: Finding): string {
  return details['over'] === true ? `${fault} (over)` : fault;
}

function isSpoken(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).some((each) => Array.isArray(each) && each.length > 0);
}

function remedyOf({ remedy }: Finding): string {
  if (remedy === undefined) return 'without remedy';
  const live = (remedy.change?.live ?? []).map(({ kind }) => kind).join('+');
  const lines = (remedy.change?.lines ?? []).length > 0 ? 'lines' : '';
  return [live, lines, remedy.command === undefined ? '' : 'command', remedy.decide === undefined ? '' : 'decide']
    .filter((each) => each !== '')
    .join(' ');
}

/** A reason without what it is about: its plain words, up to a few. */
function shapeOf(reason: string): string {
  const words = reason.split(': ').at(-1)!.split(/\s+/);
  return words
    .filter((word) => /^[a-z-]+,?$/.test(word))
    .slice(0, 6)
    .join(' ');
}
