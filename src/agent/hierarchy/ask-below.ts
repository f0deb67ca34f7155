// The tool `parley-ask` of an aggregator: the question goes to a node below that knows the nodes that it names, then to others for what that
// one did not reach; one report around theirs is the answer. Judges nothing: what it says follows from the reports inside it (report/enclosing/).

import type { Asked, Vouching } from '#aggregate/asked/asked.ts';
import type { Core } from '#aggregate/tree/core.ts';
import type { OwnTool, OwnToolContext } from '#aggregate/tree/own-definitions.ts';
import { type Clock, isoTime } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Random } from '#base/random.ts';
import type { CertificateChain } from '#model/identity.ts';
import type { Intent } from '#model/intent.ts';
import type { ReportStore, Signer } from '#model/ports.ts';
import {
  REPORT_SCHEMA_VERSION,
  REPORT_URN,
  type Report,
  type ReportedOutcome,
  type SealedReport,
  type TimelineEntry,
} from '#model/report.ts';
import { newReportId } from '#report/assemble.ts';
import { type ChainVerifier, reportDigest } from '#report/countersign.ts';
import { conclude } from '#report/enclosing/conclude.ts';
import { sealReport, summaryOf } from '#report/seal.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { summaryOf as answerText, OUTPUT_SCHEMA } from '../tools/answer-text.ts';
import { type Answered, askOne } from './ask-one.ts';
import { type Below, nodesBelow } from './nodes-below.ts';
import { isEnough, partsOf, readBelow } from './read-below.ts';

export type AskBelowParts = {
  readonly core: () => Core;
  readonly vouching: () => Vouching;
  readonly signer: Signer;
  /** As it is now. */
  readonly chain: () => CertificateChain;
  readonly verifyChain: ChainVerifier;
  readonly store: ReportStore;
  readonly clock: Clock;
  readonly random: Random;
};

export function createAskBelow(parts: AskBelowParts): OwnTool {
  return {
    definition: {
      name: 'parley-ask',
      title: 'Ask the networks below',
      description:
        'Answers a question about the networks of the routers below, such as "Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2" or "What is wrong?": asks where the named nodes are, and gives a verdict, findings and one signed report with the reports of the regions in it. Takes seconds; changes nothing.',
      inputSchema: {
        type: 'object',
        properties: {
          intent: { type: 'string', minLength: 1, maxLength: LIMITS.intentChars, description: 'The question' },
        },
        required: ['intent'],
        additionalProperties: false,
      },
      outputSchema: OUTPUT_SCHEMA,
      annotations: { readOnlyHint: true, openWorldHint: false },
      _meta: { 'x-mcpax-capability': { latency_class: 'slow', mutable: false, reversible: true } },
    },
    summary: answerText,
    call: (args, context) => answerBelow(parts, args, context),
  };
}

type Gathered = { readonly answered: Answered[]; readonly failed: ReportedOutcome[]; readonly errors: unknown[] };
type Turn = { readonly next: Below; readonly text: string };

async function answerBelow(parts: AskBelowParts, args: JsonObject, context: OwnToolContext): Promise<JsonObject> {
  const { clock } = parts;
  const startedMs = clock.monotonicMs();
  const timeline: TimelineEntry[] = [];
  const tell = (event: string, detail: string) => {
    timeline.push({ at: isoTime(clock.nowMs()), event, node: parts.signer.node, detail });
    const message = `${event}: ${detail}`;
    context.caller.progress(JSON.stringify({ progress: timeline.length, message, data: { step: event } }), []);
  };
  const question = readBelow(String(args['intent']), await nodesBelow(parts.core()));
  const { intent, wanted, turns } = question;
  const leftMs = () => AGENT_LIMITS.askBelowMs - (clock.monotonicMs() - startedMs);
  const askEach = async (each: readonly Turn[], isDone: (next: Below, gathered: Gathered) => boolean) => {
    const gathered: Gathered = { answered: [], failed: [], errors: [] };
    for (const { next, text } of each) {
      if (isDone(next, gathered)) continue;
      const isFull = gathered.answered.length + gathered.failed.length >= AGENT_LIMITS.askedBelow || leftMs() <= 0;
      if (isFull || context.signal.aborted) {
        const why = isFull ? 'the time or the number of parts was used up' : 'the question was cancelled';
        gathered.failed.push(outcomeOf(next, 'unreachable', `not asked: ${why}`));
        continue;
      }
      tell('peers', `asking ${next.node}, segment ${next.slot.segment}: ${text}`);
      await askNext(parts, next, { args: { intent: text }, context, timeoutMs: leftMs() }, gathered);
    }
    return gathered;
  };
  const asWhole = turns.map((next) => ({ next, text: intent.text }));
  const whole = await askEach(asWhole, (next, { answered }) => isEnough(reportsOf(answered), next.agents, wanted));
  // No node reaches all that the question names: each is asked about its own, and the answer says of whom what was asked.
  const split = whole.answered.length > 0 ? [] : partsOf(question).map(({ below, text }) => ({ next: below, text }));
  const gathered = split.length === 0 ? whole : await askEach(split, () => false);
  const { answered, failed, errors } = gathered;
  if (answered.length === 0) throw firstOf([...whole.errors, ...errors]) ?? nothingBelow(parts.signer.node);
  tell('report', `made of ${answered.map(({ report }) => report.uri).join(', ')}`);
  const { report, sealed } = seal(parts, answered, failed, { intent, ...context.asked }, timeline);
  const kept = await parts.store.put(report.id, sealed, summaryOf(report)).then(
    () => ({}),
    (error: unknown) => ({ notStored: messageOf(error) }),
  );
  return { ...answerOf(report, answered, clock.monotonicMs() - startedMs), ...kept };
}

function reportsOf(answered: readonly Answered[]): readonly Report[] {
  return answered.map(({ report }) => report);
}

/** A region that is silent says more than another one that does not know the node. */
function firstOf(errors: readonly unknown[]): unknown {
  const isUnknown = (error: unknown) => error instanceof ParleyError && error.code === 'caller/unknown-node';
  return errors.find((error) => !isUnknown(error)) ?? errors[0];
}

type Asking = {
  readonly args: JsonObject;
  readonly context: OwnToolContext;
  readonly timeoutMs: number;
};

async function askNext(
  { vouching, verifyChain }: AskBelowParts,
  next: Below,
  { args, context, timeoutMs }: Asking,
  { answered, failed, errors }: Gathered,
): Promise<void> {
  const { asked, caller, signal } = context;
  try {
    answered.push(await askOne(next, { args, asked, vouching: vouching(), verifyChain, caller, timeoutMs, signal }));
  } catch (error) {
    // Also where it does not understand the question: one node below, older or hostile, must not end it for all others.
    failed.push(outcomeOf(next, statusOf(error), messageOf(error)));
    errors.push(error);
  }
}

function statusOf(error: unknown): ReportedOutcome['status'] {
  const code = error instanceof ParleyError ? error.code : undefined;
  if (code === 'peer/timeout') return 'timed-out';
  return code === 'peer/unreachable' ? 'unreachable' : 'refused';
}

function outcomeOf({ slot, node }: Below, status: ReportedOutcome['status'], reason: string): ReportedOutcome {
  // No segment has a colon: ids of reports inside begin otherwise.
  const callId = `ask:${slot.segment}`;
  return { callId, node, phase: 'before', name: 'parley-ask', status, reason, elapsedMs: 0 };
}

function seal(
  { signer, chain, clock, random }: AskBelowParts,
  answered: readonly Answered[],
  failed: readonly ReportedOutcome[],
  { intent, sessionId }: { readonly intent: Intent } & Asked,
  timeline: readonly TimelineEntry[],
): { readonly report: Report; readonly sealed: SealedReport } {
  const id = newReportId(random);
  const inner = answered.map(({ below, report }) => ({ segment: below.slot.segment, report }));
  const report: Report = {
    schemaVersion: REPORT_SCHEMA_VERSION,
    id,
    uri: `${REPORT_URN}${id}`,
    creator: signer.node,
    created: isoTime(clock.nowMs()),
    'session-id': sessionId,
    evidence: [],
    signatures: {},
    ...conclude(intent, inner, failed),
    items: [],
    envelopes: [],
    chains: { [signer.node]: chain() },
    enclosed: answered.map(({ below, report: each, sealed }) => ({
      segment: below.slot.segment,
      from: each.creator,
      id: each.id,
      sha256: reportDigest(sealed) ?? '',
    })),
    peerNotes: [],
    timeline,
  };
  return { report, sealed: sealReport(report, signer, answered.flatMap(besideEachOther)) };
}

function besideEachOther({ sealed: { enclosed = [], ...own } }: Answered): readonly SealedReport[] {
  return [own, ...enclosed];
}

/** As an agent answers (tools/ask.ts), with where it came from. */
function answerOf(report: Report, answered: readonly Answered[], totalMs: number): JsonObject {
  const { id, uri, intent, verdict, hypothesis, sentence, sentenceSource, findings, outcomes } = report;
  const { changes, table, remarks, silenced, candidates, segments, links } = report;
  const optional = Object.entries({ changes, table, remarks, silenced }).filter(([, value]) => value !== undefined);
  const probingMs = sum(answered, 'timings', 'probingMs');
  const answer = {
    ...{ id, uri },
    ...(intent.understoodAs === undefined ? {} : { understoodAs: intent.understoodAs }),
    ...{ intent, verdict, hypothesis, sentence, sentenceSource, findings },
    ...Object.fromEntries(optional),
    ...{ candidates, segments, links, outcomes },
    cost: {
      calls: sum(answered, 'cost', 'calls'),
      probePackets: sum(answered, 'cost', 'probePackets'),
      probeBytes: sum(answered, 'cost', 'probeBytes'),
    },
    timings: { totalMs: Math.round(totalMs), probingMs, restMs: Math.round(totalMs - probingMs) },
    enclosed: report.enclosed,
  };
  return answer as unknown as JsonObject;
}

function sum(answered: readonly Answered[], member: string, name: string): number {
  return answered.reduce((total, { answer }) => {
    const value = (answer[member] as JsonObject | undefined)?.[name];
    return total + (typeof value === 'number' ? value : 0);
  }, 0);
}

function nothingBelow(node: string): ParleyError {
  return new ParleyError(
    'caller/nothing-to-ask',
    `expected an agent of a router below ${node}, got none: a router registers where its parley.yaml has "parent"`,
  );
}
