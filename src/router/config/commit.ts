// One change, step by step, each on disk before the next: validate, PREPARED, a watchdog that lives, apply, APPLIED, and later
// VERIFIED and CONFIRMED. Everything happens under the lock; whatever fails after PREPARED ends in the old configuration.
import { createHash, timingSafeEqual } from 'node:crypto';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { redactText } from '#model/redaction.ts';
import type { ChangeGrant } from '#model/router/change-authority.ts';
import { UNVERIFIED } from '#model/router/configuration.ts';
import { waitUntilArmed } from './armed.ts';
import type { Candidate } from './candidate.ts';
import type { CommitRecord } from './journal.ts';
import { withLock } from './lock.ts';
import type { Owner } from './moment.ts';
import { finish, rollBack } from './recover.ts';
import { fingerprint, missingInterface } from './text.ts';
import type { WatchParts } from './watch.ts';

/** Names of the interfaces that this node has. */
export type ReadInterfaces = () => Promise<ReadonlySet<string>>;

/** The service manager starts parley-rollback while `journal.json` exists; that is not done here. */
export type CommitParts = WatchParts & { readonly self: Owner; readonly interfaces: ReadInterfaces };

export type CommitRequest = {
  /** Who asks, as the agent says. */
  readonly holder: string;
  readonly grant: ChangeGrant;
  readonly timeoutMs: number;
  readonly persist?: string;
  /** Aborts when the caller is gone: a change without `persist` is then not applied, or undone. */
  readonly signal?: AbortSignal;
};

/** What is wrong with a candidate; undefined when FRR would take it and this node has what it is about. */
export async function validate(
  parts: CommitParts,
  { base, text }: Pick<Candidate, 'base' | 'text'>,
): Promise<string | undefined> {
  const missing = missingInterface(base, text, await parts.interfaces());
  if (missing !== undefined)
    return `expected an interface of this node, got ${missing}: the routing configuration makes none, make it in the system first`;
  const wrong = await parts.frr.checkSyntax(text);
  await parts.failpoint('validate.syntax');
  // FRR repeats the line that it does not take.
  if (wrong !== undefined) return redactText(wrong);
  await parts.frr.trial(text);
  await parts.failpoint('validate.trial');
  return undefined;
}

/** Resolves when the change runs, unconfirmed. */
export async function applyCommit(
  parts: CommitParts,
  candidate: Candidate,
  request: CommitRequest,
): Promise<CommitRecord> {
  await parts.failpoint('lock.wanted');
  // With `persist` the change is not bound to the session that asks for it (RFC 6241 §8.4).
  const signal = request.persist === undefined ? request.signal : undefined;
  return withLock(parts.lockPath, async () => {
    signal?.throwIfAborted();
    await parts.failpoint('lock.held');
    const before = await checkedBefore(parts, candidate);
    await parts.journal.keepRoom();
    // What is refused up to here can be asked for again with the same consent.
    signal?.throwIfAborted();
    await request.grant.use?.();
    const prepared = await prepare(parts, candidate, request, before);
    try {
      await parts.failpoint('watch.wanted');
      await waitUntilArmed(parts.journal.folder, prepared.id, parts.clock, candidate.live.length > 0);
      await parts.failpoint('watch.armed');
      signal?.throwIfAborted();
      await parts.live.apply(candidate.live, signal);
      await parts.failpoint('live.applied');
      const running = await applyText(parts, candidate, before, signal);
      await parts.journal.writeImage(prepared.id, 'after', running);
      const deadline = await deadlineAfter(parts, request.timeoutMs);
      const applied: CommitRecord = { ...prepared, state: 'APPLIED', after: fingerprint(running), deadline };
      await parts.journal.write(applied);
      signal?.throwIfAborted();
      return applied;
    } catch (error) {
      parts.log.warn('change not applied', { commit: prepared.id, reason: messageOf(error) });
      await rollBack(parts, prepared, signal?.aborted ? SESSION_LOST : 'could not be applied');
      throw error;
    }
  });
}

/** The health gate has spoken for the change. */
export function markVerified(parts: CommitParts, id: string): Promise<CommitRecord> {
  return withLock(parts.lockPath, async () => {
    const record = await openRecord(parts, id);
    if (record.state !== 'APPLIED' || record.undoing !== undefined) throw wrongState(record);
    const verified: CommitRecord = { ...record, state: 'VERIFIED' };
    await parts.journal.writeStep(verified);
    return verified;
  });
}

/**
 * The confirming commit: from here on the change stays, and the start-up configuration gets it. With a token also where no caller has marked
 * the change as verified: the agent that would have done so may be dead, and the record then says so. With `id` no other change is confirmed.
 */
export async function confirmCommit(
  parts: CommitParts,
  by: string,
  persistId?: string,
  id?: string,
): Promise<CommitRecord> {
  await parts.failpoint('confirm.wanted');
  return withLock(parts.lockPath, async () => {
    const record = await openRecord(parts, id);
    checkOwner(record, by, persistId);
    const isUnspoken = record.state === 'APPLIED' && record.persist !== undefined;
    if ((record.state !== 'VERIFIED' && !isUnspoken) || record.undoing !== undefined) throw wrongState(record);
    await mustRunAsApplied(parts, record);
    const { uptimeMs, bootId } = await parts.now();
    if (uptimeMs >= record.deadline.uptimeMs || bootId !== record.deadline.bootId)
      throw new ParleyError('caller/confirm-too-late', 'expected the confirmation before the deadline, it came after');
    const confirmed: CommitRecord = { ...record, state: 'CONFIRMED', ...(isUnspoken ? { reason: UNVERIFIED } : {}) };
    await parts.journal.useRoom();
    await parts.journal.write(confirmed);
    return finish(parts, confirmed);
  });
}

/** Undoes the open change at once (RFC 6241 §8.4, cancel-commit); with `id` no other one. */
export function cancelCommit(
  parts: CommitParts,
  by: string,
  reason: string,
  persistId?: string,
  id?: string,
): Promise<CommitRecord> {
  return withLock(parts.lockPath, async () => {
    const record = await openRecord(parts, id);
    checkOwner(record, by, persistId);
    if (isDecided(record)) throw wrongState(record);
    return rollBack(parts, record, reason);
  });
}

/** Undoes this very change, if it is open and bound to a session that is gone. Resolves when that is settled, or not to be done. */
export function abandonCommit(parts: CommitParts, id: string): Promise<void> {
  return withLock(parts.lockPath, async () => {
    const record = await parts.journal.open();
    if (record?.id !== id || record.persist !== undefined || isDecided(record)) return;
    await rollBack(parts, record, SESSION_LOST);
  });
}

const SESSION_LOST = 'the session was lost';

/** A confirmation must neither remove what another operator has configured since, nor make it permanent unseen. */
async function mustRunAsApplied(parts: CommitParts, record: CommitRecord): Promise<void> {
  const runs = fingerprint(await parts.frr.readRunning()) === record.after;
  if (runs && (await parts.live.isInForce(record.live ?? []))) return;
  throw new ParleyError(
    'caller/config-changed',
    'expected the change to run as it was applied, the configuration was changed since: take that back, or roll back',
  );
}

function isDecided({ state }: CommitRecord): boolean {
  return state === 'CONFIRMED' || state === 'ROLLED_BACK';
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

async function checkedBefore(parts: CommitParts, candidate: Candidate): Promise<string> {
  if ((await parts.journal.open()) !== undefined)
    throw new ParleyError(
      'caller/commit-open',
      'expected no unconfirmed change, there is one: confirm it or roll it back',
    );
  await parts.frr.endLeftovers();
  const before = await parts.frr.readRunning();
  await parts.failpoint('snapshot.read');
  if (fingerprint(before) !== candidate.baseFingerprint)
    throw new ParleyError(
      'caller/config-changed',
      'expected the configuration of before the edits to run, another one does',
    );
  await parts.live.mustBeAsPlanned(candidate.live);
  const wrong = await validate(parts, candidate);
  if (wrong !== undefined) throw new ParleyError('caller/bad-config', wrong);
  return before;
}

async function prepare(
  parts: CommitParts,
  candidate: Candidate,
  request: CommitRequest,
  before: string,
): Promise<CommitRecord> {
  const id = await parts.journal.nextId();
  await parts.journal.writeImage(id, 'before', before);
  const deadline = await deadlineAfter(parts, request.timeoutMs + LIMITS.configApplyMs);
  const record: CommitRecord = {
    schemaVersion: 1,
    id,
    state: 'PREPARED',
    by: request.grant.by,
    holder: request.holder,
    basis: request.grant.basis,
    ...(request.grant.consent === undefined ? {} : { consent: request.grant.consent }),
    startedMs: deadline.wallMs - request.timeoutMs - LIMITS.configApplyMs,
    timeoutMs: request.timeoutMs,
    deadline,
    owner: parts.self,
    ...(request.persist === undefined ? {} : { persist: digestOf(request.persist) }),
    before: fingerprint(before),
    after: fingerprint(candidate.text),
    ...(candidate.live.length === 0 ? {} : { live: candidate.live }),
  };
  await parts.journal.write(record);
  return record;
}

/** What runs afterwards: the daemons write some statements in their own way, and leave defaults out. */
async function applyText(
  parts: CommitParts,
  { text, baseFingerprint, live }: Candidate,
  before: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  // Only live settings: FRR's programs have nothing to do.
  if (live.length > 0 && fingerprint(text) === baseFingerprint) return before;
  await parts.failpoint('apply.staged');
  await parts.frr.apply(text, {
    ...(signal === undefined ? {} : { signal }),
    onStarted: () => parts.failpoint('apply.started'),
    onLine: (index) => {
      if (index === 0) return parts.failpoint('apply.first-line');
      return index === 1 ? parts.failpoint('apply.second-line') : undefined;
    },
  });
  await parts.failpoint('apply.ended');
  const running = await parts.frr.readRunning();
  await parts.failpoint('apply.read-back');
  return running;
}

async function deadlineAfter(parts: CommitParts, timeoutMs: number): Promise<CommitRecord['deadline']> {
  const now = await parts.now();
  return { bootId: now.bootId, uptimeMs: now.uptimeMs + timeoutMs, wallMs: now.wallMs + timeoutMs };
}

async function openRecord(parts: CommitParts, id?: string): Promise<CommitRecord> {
  const record = await parts.journal.open();
  if (record !== undefined && (id === undefined || record.id === id)) return record;
  throw new ParleyError(
    'caller/no-commit',
    'expected an unconfirmed change, there is none: it was confirmed or rolled back',
  );
}

function checkOwner(record: CommitRecord, by: string, persistId: string | undefined): void {
  if (record.persist !== undefined) {
    const given = Buffer.from(digestOf(persistId ?? ''), 'hex');
    if (persistId === undefined || !timingSafeEqual(given, Buffer.from(record.persist, 'hex')))
      throw new ParleyError('caller/wrong-persist-id', 'expected the persist-id of the change, got none or another');
    return;
  }
  const maker = record.holder ?? record.by;
  if (maker !== by)
    throw new ParleyError('caller/not-yours', `expected ${maker}, who made the change, got another caller`);
}

function wrongState(record: CommitRecord): ParleyError {
  return new ParleyError(
    'caller/wrong-commit-state',
    `expected a change that is ready for this, it is ${record.state}`,
  );
}
