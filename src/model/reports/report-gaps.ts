// What a report should hold by its own words, and does not: a creator may sign a report that leaves an answer out, or that puts an old
// answer in the place of a new one, and every signature holds (TS-16, TS-21). Reads a report whose signatures were verified, on a node and in
// the operators' page alike.

import { LIMITS } from '#base/limits.ts';
import type { SignedEnvelope } from '../envelope.ts';
import { nodeKey } from '../names.ts';
import type { Report } from '../report.ts';

/** Each as a continuation of "not proven:". `enclosed`: evidence of the reports inside this one, by the ids that it has here. */
export function gapsOf(report: Report, enclosed: readonly Held[] = []): readonly string[] {
  return [
    ...missingAnswers(report, enclosed),
    ...doubleOutcomes(report),
    ...missingNodes(report),
    ...strayAnswers(report),
  ];
}

type Held = Pick<Report['items'][number], 'id' | 'node'>;

function missingAnswers({ items, outcomes }: Report, enclosed: readonly Held[]): readonly string[] {
  const held = new Set([...items, ...enclosed].map(({ id, node }) => JSON.stringify([id, node])));
  return outcomes
    .filter(({ status, untrusted }) => status === 'answered' && untrusted === undefined)
    .filter(({ callId, node }) => !held.has(JSON.stringify([callId, node])))
    .map(
      ({ callId, node }) =>
        `the answer of ${node} to ${callId}: the report says that its creator got it, and leaves it out`,
    );
}

function doubleOutcomes({ outcomes }: Report): readonly string[] {
  const groups = Map.groupBy(outcomes, ({ callId, node }) => JSON.stringify([callId, node]));
  return [...groups.values()]
    .filter(({ length }) => length > 1)
    .map(
      ([first, ...more]) =>
        `what became of the call ${first!.callId} to ${first!.node}: the report gives it ${more.length + 1} outcomes`,
    );
}

/** The plan itself is not in the report; what the question names must have been asked, or have an outcome that says why not. */
function missingNodes({ intent, outcomes }: Report): readonly string[] {
  const called = new Set(outcomes.map(({ node }) => nodeKey(node)));
  const named = new Set((Array.isArray(intent.path) ? intent.path : []).map(({ key }) => String(key)));
  return [...named]
    .filter((node) => !called.has(node))
    .map((node) => `anything about ${node}: the question names it, and no call to it is in the report`);
}

/** By the callee's own clock, which may be off by as much as that of a controller. */
function strayAnswers({ items, envelopes, created }: Report): readonly string[] {
  const createdMs = Date.parse(created);
  const earliestMs = createdMs - LIMITS.investigationMs - LIMITS.receiptSkewMs;
  const latestMs = createdMs + LIMITS.receiptSkewMs;
  return items.flatMap(({ id, node }) => {
    const signedMs = timeOf(envelopes.find(({ evidenceId }) => evidenceId === id)?.resultEnvelope);
    if (signedMs !== undefined && signedMs >= earliestMs && signedMs <= latestMs) return [];
    const when = signedMs === undefined ? 'at no known time' : `at ${new Date(signedMs).toISOString()}`;
    return [
      `that the answer of ${node} to ${id} belongs to this question: it was signed ${when}, the report at ${new Date(createdMs).toISOString()}`,
    ];
  });
}

/** By what its node signed; undefined for what cannot be read. */
function timeOf(envelope: SignedEnvelope | undefined): number | undefined {
  if (envelope === undefined) return undefined;
  try {
    const octets = Uint8Array.from(atob(envelope.payload), (char) => char.charCodeAt(0));
    const timeMs = Date.parse(JSON.parse(new TextDecoder().decode(octets)).time);
    return Number.isNaN(timeMs) ? undefined : timeMs;
  } catch {
    return undefined;
  }
}
