// The consents of one node (TS-28): made when a change is asked for, shown to callers that may decide, decided once by a signature, and used up
// once by exactly the change that they were made for. They live in memory like the candidate that they are about: a restart forgets
// both. Every step is in the audit trail before it has an effect.
import { type Clock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { Result } from '#base/result.ts';
import type { ConsentAnswer, ConsentGate, ConsentObject, ConsentRequest, Decision } from '#model/consent.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { CertificateChain, Party, Role } from '#model/identity.ts';
import type { AuditSink } from '#model/ports.ts';
import { REDACTED } from '#model/secrets/secret-forms.ts';
import { changesSha256, consentIdOver, isSameConsent, type SignedDecision, verifyDecision } from '#sign/decision.ts';
import { canonicalSha256 } from '#sign/digest.ts';
import { CONSENT_LIMITS } from './limits.ts';
import { type ConsentMode, type ConsentPolicy, policyFor, type TwoAdminsRule, twoAdminsFor } from './policies.ts';
import { tooLong } from './shown-whole.ts';

export type ConsentParts = {
  readonly node: string;
  readonly mode: ConsentMode;
  readonly policies: readonly ConsentPolicy[];
  readonly twoAdmins: readonly TwoAdminsRule[];
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditSink;
  /** Where an admin reads a consent and decides in a browser. */
  readonly page?: (id: string) => string;
  readonly roleOf: (party: Party) => Role | undefined;
  readonly verifyChain: (chain: CertificateChain, atMs: number) => Result<Party>;
};

export type Consents = ConsentGate & {
  pending(): readonly ConsentObject[];
  /** Of every consent that is kept and not used yet: who has agreed so far, or has denied it. */
  decisions(): readonly ConsentProgress[];
  /** Rejects with `caller/no-such-consent`, `caller/bad-consent`, `caller/not-approver` or `caller/consent-settled`. */
  decide(signed: {
    readonly envelope: unknown;
    readonly chain: CertificateChain;
  }): Promise<{ readonly id: string; readonly decision: Decision; readonly by: string; readonly waits?: true }>;
};

export type ConsentProgress = {
  readonly id: string;
  readonly state: 'pending' | 'approved' | 'denied';
  readonly by: readonly string[];
};

type Entry = {
  readonly consent: ConsentObject;
  readonly endsMs: number;
  /** `taken`: a call uses it, and its record is not on disk yet. */
  state: 'pending' | 'approved' | 'denied' | 'taken';
  by: string;
  /** Approvals so far, of different admins; a consent to which two must agree waits for the second. */
  readonly approvals: { readonly party: Party; readonly signed: SignedDecision }[];
  /** Resolves when it is settled. */
  readonly settled: PromiseWithResolvers<void>;
};

const NONCE_BYTES = 8;

export function createConsents(parts: ConsentParts): Consents {
  const { clock, audit } = parts;
  /** In the order they were made. */
  const entries = new Map<string, Entry>();
  const forget = () => {
    for (const [id, entry] of entries) if (clock.monotonicMs() >= entry.endsMs) entries.delete(id);
  };
  const use = (entry: Entry, request: ConsentRequest) => useOnce({ audit, entries }, entry, request);
  const wait = async (request: ConsentRequest): Promise<ConsentAnswer> => {
    if (request.tag === undefined && request.summary.includes(REDACTED))
      return { granted: false, reason: 'this device cannot say which secret is meant, so no admin can agree to it' };
    const shown = request.summary.length;
    if (shown > CONSENT_LIMITS.consentSummaryChars) return { granted: false, reason: tooLong(shown) };
    const consent = consentOf(parts, request);
    makeRoom(entries, consent);
    entries.set(consent.id, {
      consent,
      endsMs: clock.monotonicMs() + LIMITS.consentMs,
      state: 'pending',
      by: '',
      approvals: [],
      settled: Promise.withResolvers(),
    });
    await audit.append(auditOf('consent-asked', request.caller, consent));
    return waiting(parts, consent);
  };
  return {
    async ask(request) {
      forget();
      const standing = request.signed === true ? undefined : standingConsent(parts, request);
      if (standing !== undefined) {
        const detail = { tool: request.tool, summary: request.summary.slice(0, CONSENT_LIMITS.consentSummaryChars) };
        await audit.append({ event: 'consent-standing', party: nameOf(request.caller), reason: standing, detail });
        return { granted: true, by: standing };
      }
      const found = [...entries.values()].find(
        ({ consent, state }) => state !== 'taken' && isFor(parts, consent, request),
      );
      if (found === undefined) return wait(request);
      if (found.state === 'approved') return use(found, request);
      if (found.state === 'denied') return { granted: false, reason: `${found.by} has denied this change` };
      return waiting(parts, found.consent);
    },
    decided: (id, signal) => decidedOrAborted(entries.get(id), signal),
    pending() {
      forget();
      return [...entries.values()].filter(({ state }) => state === 'pending').map(({ consent }) => consent);
    },
    decisions() {
      forget();
      return [...entries.values()].flatMap(progressOf);
    },
    async decide(signed) {
      forget();
      const party = parts.verifyChain(signed.chain, clock.nowMs());
      if (!party.ok) throw denied('caller/not-approver', `expected a certificate of this domain: ${party.reason}`);
      if (parts.roleOf(party.value) !== 'admin')
        throw denied('caller/not-approver', `expected an admin, got ${nameOf(party.value)}`);
      const verified = verifyDecision(signed, party.value, clock);
      if (!verified.ok) throw denied('caller/bad-consent', verified.reason);
      const { decision, consent } = verified.value;
      const entry = entries.get(String(consent['id']));
      if (entry === undefined || entry.state === 'taken')
        throw denied('caller/no-such-consent', 'expected a consent that waits here, it is unknown, used or expired');
      if (!isSameConsent(consent, entry.consent))
        throw denied('caller/bad-consent', 'expected the consent as this node made it, got a changed one');
      if (entry.state !== 'pending')
        throw denied('caller/consent-settled', `expected a consent that waits, it was settled by ${entry.by}`);
      const approver = party.value;
      if (decision === 'deny') settle(entry, 'denied', nameOf(approver));
      else approve(entry, approver, signed as SignedDecision);
      try {
        await audit.append(
          auditOf(`consent-${decision === 'approve' ? 'approved' : 'denied'}`, party.value, entry.consent),
        );
      } catch (error) {
        // What is not on record has not happened.
        entries.delete(entry.consent.id);
        throw error;
      }
      const waits = entry.state === 'pending' ? { waits: true as const } : {};
      return { id: entry.consent.id, decision, by: nameOf(approver), ...waits };
    },
  };
}

function progressOf({ consent: { id }, state, by, approvals }: Entry): readonly ConsentProgress[] {
  if (state === 'taken') return [];
  return [{ id, state, by: state === 'denied' ? [by] : approvals.map((each) => nameOf(each.party)) }];
}

function settle(entry: Entry, state: 'approved' | 'denied', by: string): void {
  entry.state = state;
  entry.by = by;
  entry.settled.resolve();
}

/** Throws `caller/consent-settled` for an admin who has approved it already. */
function approve(entry: Entry, party: Party, signed: SignedDecision): void {
  const { approvals, consent } = entry;
  if (approvals.some((each) => each.party.name === party.name || each.party.signingKey === party.signingKey))
    throw denied(
      'caller/consent-settled',
      `expected another admin, got ${nameOf(party)} once more: two must agree to this`,
    );
  approvals.push({ party, signed });
  if (approvals.length >= (consent.approvers ?? 1))
    settle(entry, 'approved', approvals.map((each) => nameOf(each.party)).join(' and '));
}

async function decidedOrAborted(entry: Entry | undefined, signal: AbortSignal): Promise<void> {
  if (entry?.state !== 'pending' || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await Promise.race([entry.settled.promise, promise]);
}

/** One signed decision, and beside it that of the second admin where two must agree. */
function decisionOf({ approvals }: Entry): JsonObject {
  const [first, second] = approvals.map(({ signed }) => signed as unknown as JsonObject);
  return second === undefined ? first! : { ...first!, second };
}

/** Taken before anything waits: two calls at once never share a consent. It is used once that is on record, and else stands as before. */
async function useOnce(
  { audit, entries }: { readonly audit: AuditSink; readonly entries: Map<string, Entry> },
  entry: Entry,
  request: ConsentRequest,
): Promise<ConsentAnswer> {
  entry.state = 'taken';
  try {
    await audit.append(auditOf('consent-used', request.caller, entry.consent, entry.by));
  } catch (error) {
    entry.state = 'approved';
    throw error;
  }
  entries.delete(entry.consent.id);
  entry.state = 'approved';
  const decision = decisionOf(entry);
  const giveBack = async () => {
    await audit.append(auditOf('consent-returned', request.caller, entry.consent, entry.by));
    if (entries.size < CONSENT_LIMITS.consents) entries.set(entry.consent.id, entry);
  };
  return { granted: true, by: entry.by, decision, giveBack };
}

/** Why no admin needs to be asked: a setting, an admin's presence, or a policy; undefined when one does. */
function standingConsent(parts: ConsentParts, { caller, tool, rollbackMs, live }: ConsentRequest): string | undefined {
  if (twoAdminsFor(parts.twoAdmins, { tool, live: live === true }) !== undefined) return undefined;
  if (parts.mode === 'off') return 'configure.consent is off';
  // A door of this machine may have a program behind it; a certificate stands for a person.
  if (parts.mode === 'operator-present' && caller.thumbprint !== undefined && parts.roleOf(caller) === 'admin')
    return `${nameOf(caller)} is present`;
  const policy = policyFor(parts.policies, { tool, user: caller.name, rollbackMs, live: live === true });
  return policy === undefined ? undefined : `policy ${policy.name}`;
}

function consentOf(parts: ConsentParts, request: ConsentRequest): ConsentObject {
  const { caller, tool } = request;
  const nowMs = parts.clock.nowMs();
  const { persist: _, 'persist-id': __, data: ___, ...shown } = request.arguments;
  const consent: Omit<ConsentObject, 'id'> = {
    node: parts.node,
    tool,
    arguments: shown as JsonObject,
    ...digestsOf(request),
    summary: request.summary,
    impact: { rollbackSeconds: Math.round(request.rollbackMs / 1_000) },
    ...(request.arguments['persist'] === undefined ? {} : { persist: true as const }),
    ...(twoAdminsFor(parts.twoAdmins, { tool, live: request.live === true }) === undefined ? {} : { approvers: 2 }),
    user: { kind: caller.kind, name: caller.name, role: parts.roleOf(caller) ?? 'none' },
    created: isoTime(nowMs),
    expires: isoTime(nowMs + LIMITS.consentMs),
  };
  return { id: consentIdOver(randomHex(parts.random, NONCE_BYTES), consent), ...consent };
}

/** Bound to the tool, every argument, and the exact content, also where the summary is redacted. */
function digestsOf({ tool, arguments: args, summary, tag }: ConsentRequest) {
  return {
    requestSha256: canonicalSha256({ tool, arguments: args }),
    changesSha256: changesSha256(tag, summary),
  };
}

function isFor(parts: ConsentParts, consent: ConsentObject, request: ConsentRequest): boolean {
  const { requestSha256, changesSha256 } = digestsOf(request);
  return (
    consent.requestSha256 === requestSha256 &&
    consent.changesSha256 === changesSha256 &&
    consent.impact.rollbackSeconds === Math.round(request.rollbackMs / 1_000) &&
    consent.user.kind === request.caller.kind &&
    consent.user.name === request.caller.name &&
    // A consent given to an admin is none for what that party has become.
    consent.user.role === (parts.roleOf(request.caller) ?? 'none')
  );
}

function makeRoom(entries: Map<string, Entry>, consent: ConsentObject): void {
  const own = [...entries.values()].filter(
    (entry) => entry.consent.user.kind === consent.user.kind && entry.consent.user.name === consent.user.name,
  );
  if (own.length >= CONSENT_LIMITS.consentsPerParty) entries.delete(own[0]!.consent.id);
  else if (entries.size >= CONSENT_LIMITS.consents) entries.delete(entries.keys().next().value!);
}

function waiting({ page }: ConsentParts, { id, expires }: ConsentObject): ConsentAnswer {
  const reason = `it waits for an admin: parley approve ${id}, then call again`;
  return { granted: false, reason, id, expires, ...(page === undefined ? {} : { url: page(id) }) };
}

function nameOf(party: Party): string {
  return `${party.kind}/${party.name}`;
}

function auditOf(event: string, party: Party, consent: ConsentObject, by?: string) {
  const { id, tool, requestSha256, changesSha256 } = consent;
  return {
    event,
    party: nameOf(party),
    ...(by === undefined ? {} : { reason: `agreed by ${by}` }),
    requestSha256,
    detail: { consent: id, tool, changesSha256 },
  };
}

function denied(code: `caller/${string}`, message: string): ParleyError {
  return new ParleyError(code, message, {
    data: { wireCode: WIRE_CODES.accessDenied, wireMessage: 'Network.AccessDenied', retryPossible: false },
  });
}
