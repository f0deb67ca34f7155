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
import { conclude, coversPath, OWN_CALL } from '#report/enclosing/conclude.ts';
import { sealReport, summaryOf } from '#report/seal.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { summaryOf as answerText, OUTPUT_SCHEMA } from '../tools/answer-text.ts';
import { type Answered, askOne } from './ask-one.ts';
import { type Below, inTurn, namedIn, nodesBelow } from './nodes-below.ts';

export type AskBelowParts = {
  readonly core: () => Core;
  readonly vouching: () => Vouching;
  readonly signer: Signer;
  readonly chain: CertificateChain;
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

async function answerBelow(parts: AskBelowParts, args: JsonObject, context: OwnToolContext): Promise<JsonObject> {
  const { clock } = parts;
  const startedMs = clock.monotonicMs();
  const timeline: TimelineEntry[] = [];
  const tell = (event: string, detail: string) => {
    timeline.push({ at: isoTime(clock.nowMs()), event, node: parts.signer.node, detail });
    const message = `${event}: ${detail}`;
    context.caller.progress(JSON.stringify({ progress: timeline.length, message, data: { step: event } }));
  };
  const below = await nodesBelow(parts.core());
  const text = String(args['intent']);
  const named = namedIn(
    text,
    below.flatMap(({ agents }) => agents),
  );
  const gathered: Gathered = { answered: [], failed: [], errors: [] };
  const leftMs = () => AGENT_LIMITS.askBelowMs - (clock.monotonicMs() - startedMs);
  const askEach = async (turns: readonly Below[], textFor: (next: Below) => string) => {
    for (const next of turns) {
      if (context.signal.aborted || isEnough(gathered, next, named)) continue;
      if (gathered.answered.length + gathered.failed.length >= AGENT_LIMITS.askedBelow || leftMs() <= 0) {
        gathered.failed.push(outcomeOf(next, 'unreachable', 'not asked: the time or the number of parts was used up'));
        continue;
      }
      tell('peers', `asking ${next.node}, segment ${next.slot.segment}`);
      await askNext(parts, next, { args: { intent: textFor(next) }, context, timeoutMs: leftMs() }, gathered);
    }
  };
  const turns = inTurn(below, named);
  await askEach(turns, () => text);
  // No node reaches all that the question names: each is asked about its own, and the answer says what lies between them was not measured.
  if (gathered.answered.length === 0 && turns.length > 1)
    await askEach(
      turns,
      ({ agents }) => `What is wrong at ${named.filter((node) => agents.includes(node)).join(' and ')}?`,
    );
  const { answered, failed, errors } = gathered;
  if (answered.length === 0) throw errors[0] ?? nothingBelow(parts.signer.node);
  tell('report', `made of ${answered.map(({ report }) => report.uri).join(', ')}`);
  const { report, sealed } = seal(parts, answered, failed, { text, ...context.asked }, timeline);
  const kept = await parts.store.put(report.id, sealed, summaryOf(report)).then(
    () => ({}),
    (error: unknown) => ({ notStored: messageOf(error) }),
  );
  return { ...answerOf(report, answered, clock.monotonicMs() - startedMs), ...kept };
}

/** A question that names nodes is answered when one report has all of them; one that names none, when each agent below was heard. */
function isEnough({ answered }: Gathered, { agents }: Below, named: readonly string[]): boolean {
  if (named.length > 0) return answered.some(({ report }) => heard(report, named) && isWhole(report));
  return agents.length > 0 && answered.some(({ report }) => heard(report, agents));
}

function isWhole(report: Report): boolean {
  return report.intent.path.length === 0 || coversPath(report.intent, report);
}

function heard({ outcomes }: Report, nodes: readonly string[]): boolean {
  const answered = new Set(outcomes.filter(({ status }) => status === 'answered').map(({ node }) => node));
  return nodes.every((node) => answered.has(node));
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
    // No other node reads the words in another way.
    if (error instanceof ParleyError && error.code === 'caller/unknown-intent') throw error;
    const isLate = error instanceof ParleyError && error.code === 'peer/timeout';
    failed.push(outcomeOf(next, isLate ? 'timed-out' : 'refused', messageOf(error)));
    errors.push(error);
  }
}

function outcomeOf({ slot, node }: Below, status: ReportedOutcome['status'], reason: string): ReportedOutcome {
  const callId = `${OWN_CALL}${slot.segment}`;
  return { callId, node, phase: 'before', name: 'parley-ask', status, reason, elapsedMs: 0 };
}

function seal(
  { signer, chain, clock, random }: AskBelowParts,
  answered: readonly Answered[],
  failed: readonly ReportedOutcome[],
  { text, sessionId }: { readonly text: string } & Asked,
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
    ...conclude(text, inner, failed),
    items: [],
    envelopes: [],
    chains: { [signer.node]: chain },
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
