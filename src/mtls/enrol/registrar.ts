// A registrar's side of one enrolment, without sockets: counts the run, proves the code, checks the request against it, certifies once.
// Everything that must survive is on disk before the answer that follows from it. Refuses with a reason that its holder can act on.

import type { z } from 'zod';
import type { Clock } from '#base/clock.ts';
import { isoTime } from '#base/clock.ts';
import { createInTurn } from '#base/in-turn.ts';
import type { Random } from '#base/random.ts';
import { decodeHex, encodeHex } from '#codec/hex.ts';
import { type CodeRecord, keepsOpen, listCodes, loadCode, type StoredCode, storeState } from './code-store.ts';
import { contextOf, idsOf } from './context.ts';
import { ENROL_LIMITS } from './limits.ts';
import type { challengeSchema, Grant, helloSchema, proofSchema, Refusal, RefusalReason } from './messages.ts';
import { issueFromRegistrar, openRegistrarCa, type RegistrarCa } from './registrar-ca.ts';
import { type EnrolmentRequest, readRequest, requestSha256 } from './request.ts';
import { isConfirmation, respond } from './spake2plus.ts';

type Hello = z.infer<typeof helloSchema>;
type Proof = z.infer<typeof proofSchema>;
type Challenge = z.infer<typeof challengeSchema>;

/** For the audit trail. */
export type EnrolmentOutcome = {
  readonly outcome: 'issued' | 'repeated' | RefusalReason;
  /** Name of the code, never the code. */
  readonly code: string;
  /** Whom the code is for; absent where there is no such code. */
  readonly party?: string;
  readonly thumbprint?: string;
};

export type Run = {
  readonly challenge: Challenge;
  /** May be called once. */
  finish(proof: Proof): Promise<Answer<Grant>>;
};
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value; readonly outcome?: EnrolmentOutcome }
  | { readonly ok: false; readonly refusal: Refusal; readonly outcome: EnrolmentOutcome };

export type Registrar = {
  /** Whether a code waits for its node, or was used a moment ago: only then is the port open. */
  isOpen(): Promise<boolean>;
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
  const { dir, clock } = init;
  const parts: Parts = { ...init, ca: await openRegistrarCa(dir), inTurn: createInTurn(), runs: new Map() };
  return {
    isOpen: async () => (await listCodes(dir)).some((code) => keepsOpen(code, clock.nowMs())),
    start: (hello, exporter) => start(parts, hello, exporter),
  };
}

type Parts = RegistrarInit & {
  readonly ca: RegistrarCa;
  /** Two connections with one code must not both find it unused. */
  readonly inTurn: ReturnType<typeof createInTurn>;
  /** Party of a code → when its runs began. Only parties of codes that exist, so their number bounds it. */
  readonly runs: Map<string, number[]>;
};

async function start(parts: Parts, hello: Hello, exporter: Uint8Array): Promise<Answer<Run>> {
  const counted = await parts.inTurn(() => countRun(parts, hello.code));
  if (!counted.ok) return counted;
  const { record } = counted.value;
  const [w0, L, shareP] = [decodeHex(record.w0), decodeHex(record.L), decodeHex(hello.shareP)];
  if (!w0.ok || !L.ok || !shareP.ok)
    return refuse('failed', 'the code on this registrar is damaged: make a new one', record);
  const context = contextOf(exporter, hello.requestSha256);
  const run = respond({ ...idsOf(record.id), context }, { w0: w0.value, L: L.value }, shareP.value, parts.random);
  if (!run.ok) return refuse('wrong-code', run.reason, record);
  const { shareV, confirmV, confirmP: expected } = run.value;
  const challenge: Challenge = { type: 'challenge', shareV: encodeHex(shareV), confirmV: encodeHex(confirmV) };
  let isOver = false;
  const finish = async (proof: Proof): Promise<Answer<Grant>> => {
    const shown = decodeHex(proof.confirmP);
    if (isOver || !shown.ok || !isConfirmation(shown.value, expected))
      return refuse('wrong-code', 'the code is not the one that this registrar made', record);
    isOver = true;
    return parts.inTurn(() => grant(parts, hello, proof));
  };
  return { ok: true, value: { challenge, finish } };
}

/**
 * Counts the run, on disk, before the challenge is made: the challenge lets its reader test one guess, also where the reader never
 * answers. Only a proof sets the count back.
 */
async function countRun(parts: Parts, id: string): Promise<Answer<StoredCode>> {
  const found = await loadCode(parts.dir, id);
  if (found === undefined) {
    const detail = `this registrar has no code ${id}: it was removed or replaced, or another registrar made it`;
    return refuse('unknown-code', detail, { id });
  }
  const { record, state } = found;
  if (state.failed >= ENROL_LIMITS.attemptsPerCode) {
    const detail = `code ${id} is locked after ${state.failed} runs without a proof: make a new one`;
    return refuse('locked', detail, record);
  }
  if (!hasRunLeft(parts, `${record.kind}/${record.name}`)) {
    const minutes = ENROL_LIMITS.nameWindowMs / 60_000;
    const detail = `more than ${ENROL_LIMITS.attemptsPerName} runs for ${record.name} in ${minutes} minutes: try later`;
    return refuse('too-often', detail, record);
  }
  await storeState(parts.dir, id, { ...state, failed: state.failed + 1 });
  return { ok: true, value: found };
}

function hasRunLeft({ runs, clock }: Parts, party: string): boolean {
  const nowMs = clock.monotonicMs();
  const recent = (runs.get(party) ?? []).filter((atMs) => atMs > nowMs - ENROL_LIMITS.nameWindowMs);
  const isLeft = recent.length < ENROL_LIMITS.attemptsPerName;
  runs.set(party, isLeft ? [...recent, nowMs] : recent);
  return isLeft;
}

/** After the proof: what the code is for, and what became of it, may now be said. */
async function grant(parts: Parts, hello: Hello, proof: Proof): Promise<Answer<Grant>> {
  const { dir, clock, ca } = parts;
  const found = await loadCode(dir, hello.code);
  if (found === undefined) return refuse('unknown-code', `code ${hello.code} was removed`, { id: hello.code });
  const { record, state } = found;
  // Its holder has proven the code: what went before were no guesses.
  const proven = { ...state, failed: 0 };
  await storeState(dir, record.id, proven);
  if (requestSha256(proof.request) !== hello.requestSha256)
    return refuse('bad-request', 'expected the request that was announced, got another', record);
  const request = readRequest(proof.request);
  if (!request.ok) return refuse('bad-request', request.reason, record);
  const unfit = unfitFor(record, request.value);
  if (unfit !== undefined) return refuse(...unfit, record);
  const nowMs = clock.nowMs();
  const sha256 = hello.requestSha256;
  const granted = (chain: readonly string[]): Grant => ({
    ...{ type: 'certificate', requestSha256: sha256, chain: [...chain], ca: ca.ca, timeMs: nowMs },
  });
  if (record.notAfterMs <= nowMs)
    return refuse('ended', `code ${record.id} ended at ${isoTime(record.notAfterMs)}: make a new one`, record);
  if (state.used !== undefined) {
    // The same request again: its answer was lost on the way, or the node before it could keep it.
    if (state.used.requestSha256 === sha256)
      return { ok: true, value: granted(state.used.chain), outcome: outcomeOf('repeated', record) };
    return refuse('used', `code ${record.id} was used at ${isoTime(state.used.atMs)} with another key`, record);
  }
  const issued = await issueFromRegistrar(ca, { ...subjectOf(record), ...request.value, nowMs }, parts.random);
  // Used before the certificate is let out: the code is worth one certificate, whatever happens from here.
  await storeState(dir, record.id, { ...proven, used: { atMs: nowMs, requestSha256: sha256, chain: issued.chain } });
  const outcome = { ...outcomeOf('issued', record), thumbprint: issued.thumbprint };
  return { ok: true, value: granted(issued.chain), outcome };
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
    outcome: outcomeOf(reason, about),
  };
}

function outcomeOf(
  outcome: EnrolmentOutcome['outcome'],
  { id, kind, name }: Pick<CodeRecord, 'id'> & Partial<CodeRecord>,
): EnrolmentOutcome {
  return { outcome, code: id, ...(kind === undefined ? {} : { party: `${kind}/${name}` }) };
}
