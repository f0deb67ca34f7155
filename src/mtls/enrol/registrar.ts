// A registrar's side of one enrolment, without sockets: counts the run, proves the code, checks the request against it, certifies once.
// Everything that must survive is on disk before the answer that follows from it. Refuses with a reason that its holder can act on.
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { type Clock, isoTime } from '#base/clock.ts';
import { createInTurn, type InTurn } from '#base/in-turn.ts';
import type { Random } from '#base/random.ts';
import { decodeHex, encodeHex } from '#codec/hex.ts';
import { type CodeRecord, type CodeState, isLocked, loadCode, type StoredCode, storeState } from './code-store.ts';
import { contextOf, idsOf } from './context.ts';
import { createDecoys, type Decoys } from './decoys.ts';
import { ENROL_LIMITS } from './limits.ts';
import type { challengeSchema, Grant, helloSchema, proofSchema, Refusal, RefusalReason } from './messages.ts';
import { issueFromRegistrar, openRegistrarCa, type RegistrarCa, recordAgain, recordIssued } from './registrar-ca.ts';
import { type EnrolmentRequest, readRequest, requestSha256 } from './request.ts';
import { isConfirmation, respond } from './spake2plus.ts';

type Hello = z.infer<typeof helloSchema>;
type Proof = z.infer<typeof proofSchema>;
type Challenge = z.infer<typeof challengeSchema>;

/** For the audit trail. */
export type EnrolmentOutcome = {
  /** `no-proof`: the run ended after the challenge; its reader may have tested a guess. */
  readonly outcome: 'issued' | 'repeated' | 'no-proof' | RefusalReason;
  /** Name of the code, never the code. */
  readonly code: string;
  /** Whom the code is for; absent where there is no such code. */
  readonly party?: string;
  readonly thumbprint?: string;
};

export type Run = {
  readonly challenge: Challenge;
  /** What is recorded where the run ends without a proof. */
  readonly unproven: EnrolmentOutcome;
  /** May be called once. */
  finish(proof: Proof): Promise<Answer<Grant>>;
};
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value; readonly outcome?: EnrolmentOutcome }
  | { readonly ok: false; readonly refusal: Refusal; readonly outcome: EnrolmentOutcome };

export type Registrar = {
  /** `exporter`: of the TLS session on which both messages travel. */
  start(hello: Hello, exporter: Uint8Array): Promise<Answer<Run>>;
};

export type RegistrarInit = {
  readonly dir: string;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly random: Random;
};

/** Rejects with `caller/no-registrar`. */
export async function createRegistrar(init: RegistrarInit): Promise<Registrar> {
  const ca = await openRegistrarCa(init.dir);
  const decoys = createDecoys(init.dir, ca.privateKey);
  const parts: Parts = { ...init, ca, decoys, inTurn: createTurns(), runs: new Map(), decoyRuns: new Map() };
  return { start: (hello, exporter) => start(parts, hello, exporter) };
}

type Parts = RegistrarInit & {
  readonly ca: RegistrarCa;
  /** Two connections with one code must not both find it unused; those with different codes need not wait for each other's disk. */
  readonly inTurn: <Value>(codeId: string, work: () => Promise<Value>) => Promise<Value>;
  /** Party of a code → when its runs began, the latest at the end. */
  readonly runs: Map<string, number[]>;
  /** The same of codes that there are not: many of those must not push the others out. */
  readonly decoyRuns: Map<string, number[]>;
  readonly decoys: Decoys;
};

/** A code that a run names; without a record where this registrar has none, which the run's reader must not see. */
type Named = {
  readonly id: string;
  readonly record?: CodeRecord;
  readonly verifier: { readonly w0: string; readonly L: string };
};

/** Work on one code, one after the other. As many codes have a turn as there are connections. */
function createTurns(): Parts['inTurn'] {
  const turns = new Map<string, { readonly inTurn: InTurn; waiting: number }>();
  return async (codeId, work) => {
    const turn = turns.get(codeId) ?? { inTurn: createInTurn(), waiting: 0 };
    turns.set(codeId, turn);
    turn.waiting += 1;
    try {
      return await turn.inTurn(work);
    } finally {
      turn.waiting -= 1;
      if (turn.waiting === 0) turns.delete(codeId);
    }
  };
}

async function start(parts: Parts, hello: Hello, exporter: Uint8Array): Promise<Answer<Run>> {
  const counted = await parts.inTurn(hello.code, () => countRun(parts, hello));
  if (!counted.ok) return counted;
  const { id, record, verifier } = counted.value;
  const about = record ?? { id };
  const [w0, L, shareP] = [decodeHex(verifier.w0), decodeHex(verifier.L), decodeHex(hello.shareP)];
  if (!w0.ok || !L.ok || !shareP.ok)
    return refuse('failed', 'the code on this registrar is damaged: make a new one', about);
  const context = contextOf(exporter, hello.requestSha256);
  const run = respond({ ...idsOf(id), context }, { w0: w0.value, L: L.value }, shareP.value, parts.random);
  if (!run.ok) return refuse('wrong-code', run.reason, about);
  const { shareV, confirmV, confirmP: expected } = run.value;
  const challenge: Challenge = { type: 'challenge', shareV: encodeHex(shareV), confirmV: encodeHex(confirmV) };
  let isOver = false;
  const finish = async (proof: Proof): Promise<Answer<Grant>> => {
    const shown = decodeHex(proof.confirmP);
    const isProven = !isOver && shown.ok && isConfirmation(shown.value, expected);
    isOver = true;
    if (record === undefined || !isProven)
      return refuse('wrong-code', 'the code is not the one that this registrar made', about);
    return parts.inTurn(hello.code, () => grant(parts, hello, proof));
  };
  return {
    ok: true,
    value: { challenge, unproven: outcomeOf(record === undefined ? 'unknown-code' : 'no-proof', about), finish },
  };
}

/**
 * Counts the run, on disk, before the challenge is made: the challenge lets its reader test one guess, also where the reader never
 * answers. Only a proof sets the count back. Runs with one share test one guess (decision 0051), so a node whose path breaks after the challenge
 * may come again. Does the same work, and says the same, for codes that there are not.
 */
async function countRun(parts: Parts, { code: id, shareP }: Hello): Promise<Answer<Named>> {
  const { dir, decoys } = parts;
  const [found, decoyState] = await Promise.all([loadCode(dir, id), decoys.stateOf(id)]);
  const decoyVerifier = decoys.verifierFor(id);
  const record = found?.record;
  const state = found?.state ?? decoyState;
  const about = record ?? { id };
  const nowMs = parts.clock.nowMs();
  const failedShare = createHash('sha256').update(shareP).digest('hex');
  const isSameGuess = state.failedShare === failedShare;
  if (!isSameGuess && isLocked(state, nowMs)) {
    const minutes = ENROL_LIMITS.lockMs / 60_000;
    const detail = `code ${id} is locked after ${state.failed} runs without a proof: wait ${minutes} minutes, or make a new one`;
    return refuse('locked', detail, about);
  }
  if (!hasRunLeft(parts, record, id)) {
    const minutes = ENROL_LIMITS.nameWindowMs / 60_000;
    const detail = `more than ${ENROL_LIMITS.attemptsPerName} runs for the name of code ${id} in ${minutes} minutes: try later`;
    return refuse('too-often', detail, about);
  }
  const failed = (state.failed % ENROL_LIMITS.attemptsPerCode) + 1;
  const counted: CodeState = isSameGuess ? state : { ...state, failed, failedAtMs: nowMs, failedShare };
  await (found === undefined ? decoys.storeState(id, counted) : storeState(dir, id, counted));
  return { ok: true, value: { id, verifier: record ?? decoyVerifier, ...(record === undefined ? {} : { record }) } };
}

function hasRunLeft({ runs, decoyRuns, clock }: Parts, record: CodeRecord | undefined, id: string): boolean {
  const nowMs = clock.monotonicMs();
  const [counts, key] = record === undefined ? [decoyRuns, id] : [runs, `${record.kind}/${record.name}`];
  const recent = (counts.get(key) ?? []).filter((atMs) => atMs > nowMs - ENROL_LIMITS.nameWindowMs);
  const isLeft = recent.length < ENROL_LIMITS.attemptsPerName;
  // Deleting first moves the party to the young end of the map.
  counts.delete(key);
  counts.set(key, isLeft ? [...recent, nowMs] : recent);
  const oldest = counts.keys().next().value;
  if (counts.size > ENROL_LIMITS.codes && oldest !== undefined) counts.delete(oldest);
  return isLeft;
}

/** After the proof: what the code is for, and what became of it, may now be said. */
async function grant(parts: Parts, hello: Hello, proof: Proof): Promise<Answer<Grant>> {
  const { dir, clock } = parts;
  const found = await loadCode(dir, hello.code);
  if (found === undefined) return refuse('unknown-code', `code ${hello.code} was removed`, { id: hello.code });
  const { record } = found;
  const { used } = found.state;
  // Its holder has proven the code: what went before were no guesses.
  const state: CodeState = { schemaVersion: 1, failed: 0, ...(used === undefined ? {} : { used }) };
  const nowMs = clock.nowMs();
  const judged = judge({ record, state }, hello.requestSha256, proof.request, nowMs);
  if (parts.ca.notAfterMs <= nowMs)
    return refuse('failed', `this registrar's own certificate ended at ${isoTime(parts.ca.notAfterMs)}`, record);
  if (judged.kind !== 'issue') {
    await storeState(dir, record.id, state);
    if (judged.kind === 'refuse') return refuse(judged.reason, judged.detail, record);
    await recordAgain(dir, record, judged.chain);
    return granted(parts, hello, judged.chain, nowMs, outcomeOf('repeated', record));
  }
  const issued = issueFromRegistrar(parts.ca, { ...subjectOf(record), ...judged.keys, nowMs }, parts.random);
  // Recorded first: a cut between the two writes leaves the name of a certificate that was never let out, and not the other way round.
  await recordIssued(dir, record, issued);
  // Used before the certificate is let out: the code is worth one certificate, whatever happens from here.
  const usedNow = { atMs: nowMs, requestSha256: hello.requestSha256, chain: issued.chain };
  await storeState(dir, record.id, { ...state, used: usedNow });
  return granted(parts, hello, issued.chain, nowMs, { ...outcomeOf('issued', record), thumbprint: issued.thumbprint });
}

function granted(
  { ca }: Parts,
  { requestSha256 }: Hello,
  chain: readonly string[],
  timeMs: number,
  outcome: EnrolmentOutcome,
): Answer<Grant> {
  return { ok: true, value: { type: 'certificate', requestSha256, chain: [...chain], ca: ca.ca, timeMs }, outcome };
}

type Judged =
  | { readonly kind: 'refuse'; readonly reason: RefusalReason; readonly detail: string }
  | { readonly kind: 'repeat'; readonly chain: readonly string[] }
  | { readonly kind: 'issue'; readonly keys: Pick<EnrolmentRequest, 'publicKey' | 'signingKey'> };

/** What a proven run of this code gets. Pure. */
function judge({ record, state }: StoredCode, announced: string, text: string, nowMs: number): Judged {
  const no = (reason: RefusalReason, detail: string): Judged => ({ kind: 'refuse', reason, detail });
  if (requestSha256(text) !== announced)
    return no('bad-request', 'expected the request that was announced, got another');
  const request = readRequest(text);
  if (!request.ok) return no('bad-request', request.reason);
  const unfit = unfitFor(record, request.value);
  if (unfit !== undefined) return no(...unfit);
  if (record.notAfterMs <= nowMs)
    return no('ended', `code ${record.id} ended at ${isoTime(record.notAfterMs)}: make a new one`);
  const { used } = state;
  if (used === undefined) return { kind: 'issue', keys: request.value };
  // The same request again: its answer was lost on the way, or the node before it could keep it.
  if (used.requestSha256 === announced) return { kind: 'repeat', chain: used.chain };
  return no('used', `code ${record.id} was used at ${isoTime(used.atMs)} with another key`);
}

/** Names and rights come from the code, keys alone from the request. */
function subjectOf({ kind, name, role, dnsNames, addresses, lifetimeMs }: CodeRecord) {
  return { kind, name, ...(role === undefined ? {} : { role }), dnsNames, addresses, lifetimeMs };
}

function unfitFor(record: CodeRecord, request: EnrolmentRequest): readonly [RefusalReason, string] | undefined {
  if (request.kind !== record.kind || request.name !== record.name) {
    const detail = `code ${record.id} is for ${record.kind} ${record.name}, asked for ${request.kind} ${request.name}`;
    return ['other-name', detail];
  }
  if (record.serial === undefined || record.serial === request.serial) return undefined;
  const stated = request.serial === undefined ? 'none was stated' : `this one stated ${request.serial}`;
  return ['other-serial', `code ${record.id} is for a device with another serial number, ${stated}`];
}

function refuse(
  reason: RefusalReason,
  detail: string,
  about: Pick<CodeRecord, 'id'> & Partial<CodeRecord>,
): { readonly ok: false; readonly refusal: Refusal; readonly outcome: EnrolmentOutcome } {
  return {
    ok: false,
    refusal: { type: 'refusal', reason, detail: detail.slice(0, 500) },
    // What is said of a code that there is not is the same as of one that there is; the audit trail has the truth.
    outcome: outcomeOf(about.kind === undefined ? 'unknown-code' : reason, about),
  };
}

function outcomeOf(
  outcome: EnrolmentOutcome['outcome'],
  { id, kind, name }: Pick<CodeRecord, 'id'> & Partial<CodeRecord>,
): EnrolmentOutcome {
  return { outcome, code: id, ...(kind === undefined ? {} : { party: `${kind}/${name}` }) };
}
