// Gates (AX-16): a call of a tool that cannot be undone waits for an approval that an admin signs outside of the model. The approval is
// bound to tool, route, arguments and time, opens one call, and is verified here and again at each gate below.
import { type Clock, isoTime } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { Result } from '#base/result.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { approvalOf } from '#consent/admin-decision.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { changesSha256, consentIdOver } from '#sign/decision.ts';
import { canonicalSha256 } from '#sign/digest.ts';
import { AX_CODES } from '../codes.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { META } from '../names/capability.ts';
import { type Answer, errorAnswer, resultAnswer } from '../wire/message.ts';

export type GateParts = {
  readonly node: string;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly random: Random;
  /** Verifies a chain against the CA of this domain, the trust anchor of every proof. */
  readonly verifyChain: (chain: CertificateChain, atMs: number) => Result<Party>;
  /** Segments from the root to this aggregator; empty at the root. */
  readonly path: () => readonly string[];
};

export type GatedCall = {
  /** Whose call it is, across connections. */
  readonly account: string;
  readonly caller: Party;
  /** From this aggregator to the tool. */
  readonly route: readonly string[];
  readonly arguments: JsonObject;
  readonly capability: JsonObject;
  /** What a person would read of the tool: a definition that changes needs another approval. */
  readonly definition: JsonObject;
  /** Whether it is another than the one that was accepted: an approval then accepts it. */
  readonly isChanged: boolean;
  /** A signed approval that came with the call. */
  readonly proof: JsonObject | undefined;
};

/** `proof` goes down with the call. `accepts`: the consent is of this gate, and has shown how the tool has changed. */
export type Passage =
  | { readonly passes: true; readonly proof: JsonObject; readonly accepts: boolean }
  | { readonly passes: false; readonly answer: Answer };

export type Gates = {
  pass(call: GatedCall): Passage;
  /** What waits, as it is to be signed. */
  pending(): readonly JsonObject[];
  /** Records a signed decision about a call that waits. Throws `caller/no-such-consent`, `caller/bad-consent`, `caller/not-approver`. */
  decide(signed: JsonObject): { readonly id: string; readonly by: string; readonly decision: 'approve' };
};

type Waiting = {
  readonly key: string;
  readonly account: string;
  readonly consent: JsonObject;
  readonly dueMs: number;
  proof?: JsonObject;
};

export function createGates(parts: GateParts): Gates {
  const began = parts.clock.monotonicMs();
  /** On the clock of now, which may have been set since. */
  const startedMs = () => Math.floor(parts.clock.nowMs() - (parts.clock.monotonicMs() - began));
  const waiting = new Map<string, Waiting>();
  const used = new Map<string, number>();
  const sweep = () => {
    const nowMs = parts.clock.nowMs();
    for (const [id, { dueMs }] of waiting) if (dueMs <= nowMs) waiting.delete(id);
    for (const [id, dueMs] of used) if (dueMs <= nowMs) used.delete(id);
  };
  /** Takes the approval: it opens nothing a second time. */
  const use = (id: string, dueMs: number) => {
    waiting.delete(id);
    used.set(id, dueMs + LIMITS.consentSkewMs);
  };
  return {
    pass(call) {
      sweep();
      const key = keyOf(call);
      const found = [...waiting.values()].find((each) => each.key === key);
      const proof = call.proof ?? found?.proof;
      if (proof === undefined) return { passes: false, answer: confirmationRequired(parts, waiting, call, key, found) };
      if (used.size >= AGGREGATE_LIMITS.usedProofs)
        return { passes: false, answer: badProof('expected fewer approvals at once') };
      const fault = faultOf({ ...parts, used, startedMs: startedMs() }, call, proof);
      if (typeof fault === 'string') return { passes: false, answer: badProof(fault) };
      use(fault.id, fault.dueMs);
      if (found !== undefined) waiting.delete(String(found.consent['id']));
      return { passes: true, proof, accepts: fault.accepts };
    },
    pending() {
      sweep();
      return [...waiting.values()].filter(({ proof }) => proof === undefined).map(({ consent }) => consent);
    },
    decide(signed) {
      sweep();
      return decide(parts, waiting, signed);
    },
  };
}

function decide(parts: GateParts, waiting: Map<string, Waiting>, signed: JsonObject): ReturnType<Gates['decide']> {
  const { by, consent } = approvalOf(parts, signed);
  const id = String(consent['id']);
  const found = waiting.get(id);
  if (found === undefined || canonicalJsonText(found.consent) !== canonicalJsonText(consent)) throw noSuch(id);
  waiting.set(id, { ...found, proof: signed });
  return { id, by, decision: 'approve' };
}

function noSuch(id: string): ParleyError {
  return new ParleyError(
    'caller/no-such-consent',
    `expected a call that waits, got ${id.slice(0, 64)}: see "parley approvals"`,
  );
}

function keyOf({ account, route, arguments: given, definition, isChanged }: GatedCall): string {
  return canonicalSha256({ account, route, arguments: given, definition, isChanged } as unknown as JsonValue);
}

/** Why the proof does not open this call; its id and end where it does. */
function faultOf(
  parts: GateParts & { readonly used: ReadonlyMap<string, number>; readonly startedMs: number },
  call: GatedCall,
  proof: JsonObject,
): string | { readonly id: string; readonly dueMs: number; readonly accepts: boolean } {
  let consent: JsonObject;
  try {
    ({ consent } = approvalOf(parts, proof));
  } catch (error) {
    return messageOf(error);
  }
  const { id, node, path, route, argumentsSha256, created, expires } = consent;
  if (typeof id !== 'string' || !Array.isArray(path) || !Array.isArray(route))
    return 'expected an approval of a call, got another';
  const whole = [...parts.path(), ...call.route];
  if (JSON.stringify([...path, ...route]) !== JSON.stringify(whole))
    return 'expected an approval of this tool, got one of another';
  if (argumentsSha256 !== canonicalSha256(call.arguments))
    return 'expected an approval of these arguments, got one of others';
  const hidden = hiddenFrom(consent, whole.join('.'), call.arguments);
  if (hidden !== undefined) return hidden;
  // At the gate that asked for it, an approval is for the one whose call it was; below, the caller is the aggregator that passes it on.
  const { user } = consent;
  const isOwn = JSON.stringify(path) === JSON.stringify(parts.path());
  // Two gates of one place, as of two parents of one server, know nothing of what was used at the other.
  if (isOwn && node !== parts.node) return 'expected an approval that was asked for at this gate, got one of another';
  // What was used before this process began is forgotten.
  if (!(Date.parse(String(created)) >= parts.startedMs))
    return 'expected an approval that was asked for since this gate began, got an earlier one: make the call again';
  if (isOwn && !(isJsonObject(user) && user['kind'] === call.caller.kind && user['name'] === call.caller.name))
    return 'expected an approval of a call of this party, got one of another';
  if (isOwn && consent['definitionSha256'] !== canonicalSha256(call.definition))
    return 'expected an approval of the tool as it is described now, got one of an earlier description';
  const dueMs = Date.parse(String(expires));
  if (!(parts.clock.nowMs() < dueMs + LIMITS.consentSkewMs))
    return 'expected an approval that is in force, it has ended';
  const accepts = isOwn && consent['toolChanged'] === true;
  return parts.used.has(id) ? 'expected an approval that was not used before, it was' : { id, dueMs, accepts };
}

/**
 * A person reads tool, arguments and summary, not paths and digests: another node, which was taken over, could have an admin sign for something
 * harmless with those of this call beside it.
 */
function hiddenFrom({ tool, arguments: shown, summary }: JsonObject, name: string, given: JsonObject) {
  const isShown =
    tool === name &&
    canonicalSha256(shown ?? null) === canonicalSha256(given) &&
    typeof summary === 'string' &&
    summary.split('\n')[0] === callWords(name);
  return isShown ? undefined : 'expected an approval that shows this call to its reader, got one that shows another';
}

function callWords(tool: string): string {
  return `calls ${tool}, which cannot be undone`;
}

function confirmationRequired(
  parts: GateParts,
  waiting: Map<string, Waiting>,
  call: GatedCall,
  key: string,
  found: Waiting | undefined,
): Answer {
  const ofAccount = [...waiting.values()].filter(({ account }) => account === call.account).length;
  if (found === undefined && ofAccount >= AGGREGATE_LIMITS.pendingGates)
    return badProof(`expected at most ${AGGREGATE_LIMITS.pendingGates} calls that wait for approval, got one more`);
  const entry = found ?? newWaiting(parts, call, key);
  waiting.set(String(entry.consent['id']), entry);
  const { id, expires, tool } = entry.consent;
  const confirmation = {
    status: 'confirmation_required',
    token: id,
    tool,
    arguments: call.arguments,
    capability: call.capability,
    route: call.route,
    expires,
  };
  const text = `${String(tool)} cannot be undone and waits for the approval of a person: an admin reads "parley approvals" and runs "parley approve ${String(id)}" before ${String(expires)}. Then make the same call again.`;
  // Not as structuredContent: clients hold that against the schema of the tool's results.
  const content = [text, JSON.stringify(confirmation)].map((each) => ({ type: 'text', text: each }));
  return resultAnswer({ content, isError: true, _meta: { [META.confirmation]: confirmation } });
}

function newWaiting(parts: GateParts, call: GatedCall, key: string): Waiting {
  const nowMs = parts.clock.nowMs();
  const tool = [...parts.path(), ...call.route].join('.');
  const summary = `${callWords(tool)}${call.isChanged ? `\n${changedWords(call.definition)}` : ''}`;
  const consent = {
    node: parts.node,
    tool,
    path: parts.path(),
    route: call.route,
    arguments: call.arguments,
    argumentsSha256: canonicalSha256(call.arguments),
    definitionSha256: canonicalSha256(call.definition),
    requestSha256: canonicalSha256({ tool, arguments: call.arguments }),
    ...(call.isChanged ? { toolChanged: true } : {}),
    summary,
    changesSha256: changesSha256(undefined, summary),
    impact: { rollbackSeconds: 0 },
    user: { kind: call.caller.kind, name: call.caller.name, role: call.caller.role ?? ('none' as const) },
    created: isoTime(nowMs),
    expires: isoTime(nowMs + AGGREGATE_LIMITS.gateMs),
  };
  const id = consentIdOver(randomHex(parts.random, 8), consent);
  return { key, account: call.account, consent: { id, ...consent }, dueMs: nowMs + AGGREGATE_LIMITS.gateMs };
}

/** An admin reads this and accepts it: each member on a line of its own, so that none of them hides another. */
function changedWords(definition: JsonObject): string {
  const lines = Object.entries(definition).map(([name, value]) => `  ${name}: ${bounded(JSON.stringify(value))}`);
  return ['this tool has changed since it was accepted; the approval accepts it as it is now:', ...lines].join('\n');
}

function bounded(text: string): string {
  const most = AGGREGATE_LIMITS.changedToolChars;
  const more = text.length > most ? ` … and ${text.length - most} more characters` : '';
  // What draws nothing, or turns the direction of writing, is shown by its number.
  const shown = text
    .slice(0, most)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`);
  return shown + more;
}

function badProof(detail: string): Answer {
  return errorAnswer(AX_CODES.badProof, 'confirmation_refused', { detail });
}

/** The proof in a message, where there is one. */
export function proofIn(meta: JsonObject, name: string): JsonObject | undefined {
  const given = meta[name];
  return given !== undefined && isJsonObject(given) ? given : undefined;
}
