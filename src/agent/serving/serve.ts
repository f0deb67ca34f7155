// Answers an admitted call: verifies the caller's signature, writes the audit trail, runs the definition, signs the answer or the
// refusal (TS-16, TS-31). Transports, schemas and the capability intersection come before (mcp/); this file decides none of them again.
import type { Clock } from '#base/clock.ts';
import { isDiskFull } from '#base/disk-full.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { Result } from '#base/result.ts';
import { bad, ok } from '#base/result.ts';
import type { Catalog } from '#mcp/catalog/catalog.ts';
import type { Refusal } from '#model/admission.ts';
import { type CallContext, type ReadRequest, type ResourceDefinition, WIRE_CODES } from '#model/definition.ts';
import type { SignedCall, SignedEnvelope } from '#model/envelope.ts';
import type { Party } from '#model/identity.ts';
import type {
  AdmittedCall,
  AuditRecord,
  AuditSink,
  CallHandler,
  HandledCall,
  IncomingCall,
  NonceSource,
  PageHead,
  Signer,
} from '#model/ports.ts';
import { contentIdOf, contentIdOfSha256 } from '#network/device/content-id.ts';
import { claimedCall, sealResult, verifyCall } from '#sign/call.ts';
import { requestSha256Of, sha256Hex } from '#sign/digest.ts';
import type { NonceWindow } from '#sign/nonce-window.ts';
import { type AskerParts, askingFor, behindOf } from './asker.ts';
import { createProbeBudget, type ProbeBudget, payerOf } from './probe-budget.ts';
import { recordedParty } from './session-record.ts';
import { refusalFor } from './told-refusal.ts';

export type ServeParts = {
  readonly catalog: () => Catalog;
  readonly signer: Signer;
  readonly nonces: NonceSource;
  readonly window: NonceWindow;
  readonly clock: Clock;
  readonly audit: AuditSink;
  readonly log: Log;
  readonly askers: AskerParts;
  /** Whether this node's requests need no signature; none may when absent. */
  readonly mayBeUnsigned?: (caller: Party) => boolean;
  /** Why a call that the rules permit is refused now: the node is stopped (parts/orders.ts). */
  readonly stopped?: (call: AdmittedCall) => ParleyError | undefined;
};

type HandlerParts = ServeParts & { readonly budget: ProbeBudget };

/** Before or after admission. */
type Asked = IncomingCall & Pick<AdmittedCall, 'behind'>;

const NO_CHALLENGE = '0'.repeat(32);

type AnswerHead = Pick<SignedCall, 'session' | 'method' | 'requestSha256' | 'challenge'>;

export function createCallHandler(given: ServeParts): CallHandler {
  const parts: HandlerParts = { ...given, budget: createProbeBudget(given.clock) };
  return async (incoming) => {
    const authentic = authenticate(parts, incoming);
    if (!authentic.ok) {
      parts.log.warn('call refused', { party: incoming.caller.name, name: nameOf(incoming), reason: authentic.reason });
      return refuse(parts, incoming, claimedHead(incoming), denied(authentic.reason));
    }
    const head = authentic.value ?? claimedHead(incoming);
    const behind = behindOf(parts.askers, incoming, authentic.value);
    if (!behind.ok) {
      parts.log.warn('call refused', { party: incoming.caller.name, name: nameOf(incoming), reason: behind.reason });
      return refuse(parts, incoming, head, denied(behind.reason));
    }
    const asked = behind.value === undefined ? incoming : { ...incoming, behind: behind.value };
    // The signed content names the session, even if the caller did not name it in `_meta`.
    const call: AdmittedCall = head.session === '' ? asked : { ...asked, sessionId: head.session };
    try {
      const performed = await performOnRecord(parts, call, authentic.value);
      return answered(performed, sign(parts, call, head, 'answered', performed));
    } catch (error) {
      parts.log.warn('call refused', { party: call.caller.name, name: nameOf(call), reason: messageOf(error) });
      return refuse(parts, call, head, refusalFor(error, call.caller, nameOf(call)));
    }
  };
}

/** Signs a refusal that the server decided before any handler ran. */
export function createRefusalSigner(parts: Omit<ServeParts, 'catalog' | 'audit' | 'window' | 'log' | 'askers'>) {
  return (call: IncomingCall, refusal: JsonObject): SignedEnvelope =>
    sign(parts, call, claimedHead(call), 'refused', { body: refusal });
}

/** Nodes must sign; operators and controllers are authenticated by their session, and a signature they send must hold. */
function authenticate(parts: ServeParts, call: AdmittedCall): Result<SignedCall | undefined> {
  if (call.envelope === undefined) {
    if (call.caller.kind !== 'node') return ok(undefined);
    if (parts.mayBeUnsigned?.(call.caller) !== true)
      return bad('expected a signed call from a node, got an unsigned one');
    return readsOrProbes(call)
      ? ok(undefined)
      : bad('expected a signed call for more than reads and probes, got an unsigned one');
  }
  if (call.caller.signingKey === undefined) return bad('expected a caller with a signing key, got one without');
  return verifyCall(call.envelope, call.content, Buffer.from(call.caller.signingKey, 'hex'), {
    expectedSigner: call.caller.name,
    window: parts.window,
    ...(call.sessionId === undefined ? {} : { session: call.sessionId }),
  });
}

/** `bodySha256` if the body is text that is already hashed; the body is then parsed only when read. */
type Performed = { readonly body: JsonValue; readonly page?: PageHead; readonly bodySha256?: string };

function answered(performed: Performed, envelope: SignedEnvelope): HandledCall {
  const { page } = performed;
  const head = { status: 'answered' as const, ...(page === undefined ? {} : { page }), envelope };
  if (performed.bodySha256 === undefined) return { ...head, body: performed.body };
  return {
    ...head,
    get body() {
      return performed.body;
    },
  };
}

/**
 * The request is durable before its effect: an audit trail that cannot be written refuses. On a full disk reads and probes go on, and so does what
 * confirms or takes back an open change; the trail says later how many records it lacks. A change that was made is never told as a refusal.
 */
async function performOnRecord(
  parts: HandlerParts,
  call: AdmittedCall,
  signed: SignedCall | undefined,
): Promise<Performed> {
  if (!parts.catalog().isAdmitted(call)) throw notAdmitted();
  const refused = parts.catalog().refusalBehind(call.content, call.behind?.parties ?? []);
  if (refused !== undefined) throw refusalError(refused);
  const stopped = parts.stopped?.(call);
  if (stopped !== undefined) throw stopped;
  let unrecorded: unknown;
  await recordRequest(parts, call, signed).catch((error) => {
    if (!isDiskFull(error) || (changes(call) && !settles(call))) throw error;
    unrecorded = error;
  });
  const performed = await perform(parts, call);
  const answer: AuditRecord = { ...auditOf(call), direction: 'out', event: 'response', status: 'answered' };
  await parts.audit.append(answer).catch((error) => {
    if (!isDiskFull(error) && !changes(call)) throw error;
    unrecorded ??= error;
  });
  return unrecorded === undefined || !changes(call) ? performed : withWarning(parts, call, performed, unrecorded);
}

/** A prompt makes calls of its own, and is none of them. */
function readsOrProbes({ admission }: AdmittedCall): boolean {
  if (admission.kind === 'tool')
    return admission.definition.mutability !== 'write' && !admission.definition.changesState;
  return admission.kind === 'resource';
}

/** Whether the call may change the device or what the node keeps. A prompt's steps are calls of their own. */
function changes({ admission }: AdmittedCall): boolean {
  if (admission.kind === 'tool') return admission.definition.mutability === 'write';
  return admission.kind === 'write';
}

function settles({ admission }: AdmittedCall): boolean {
  return admission.kind === 'tool' && admission.definition.settles?.(admission.arguments) === true;
}

/** What was changed, and that the trail does not have all of it. */
function withWarning(parts: ServeParts, call: AdmittedCall, performed: Performed, error: unknown): Performed {
  const reason = messageOf(error);
  parts.log.error('a change is not recorded as a whole', { party: call.caller.name, name: nameOf(call), reason });
  const { body } = performed;
  if (!isJsonObject(body)) return performed;
  const said = `this was done, but the audit trail does not record all of it: ${reason}`;
  return { body: { ...body, warning: typeof body['warning'] === 'string' ? `${body['warning']}; ${said}` : said } };
}

function recordRequest(parts: ServeParts, call: Asked, signed: SignedCall | undefined): Promise<void> {
  return parts.audit.append({ ...auditOf(call), ...askedOf(call, signed), direction: 'in', event: 'request' });
}

/** A step of a prompt is a call of its own: the caller's rights, argument schema and audit trail hold for it [NET-16, TS-31]. */
async function callFor(parts: HandlerParts, outer: AdmittedCall, name: string, args: JsonObject): Promise<JsonValue> {
  const content = { method: 'tools/call', params: { name, arguments: args } } as const;
  const { admission: _, asker: __, ...rest } = outer;
  const call: Asked = { ...rest, content, envelope: undefined };
  try {
    const decision = parts.catalog().admit(content, call);
    if (decision.kind !== 'refused')
      return (await performOnRecord(parts, { ...call, admission: decision }, undefined)).body;
    await recordRequest(parts, call, undefined);
    throw refusalError(decision.refusal);
  } catch (error) {
    const { detail } = refusalFor(error, call.caller, nameOf(call)).data;
    await recordRefusal(parts, call, String(detail));
    throw error;
  }
}

async function perform(parts: HandlerParts, call: AdmittedCall): Promise<Performed> {
  const { admission } = call;
  const context = {
    caller: call.caller,
    asker: () => askingFor(parts.askers, call),
    signal: call.signal,
    progress: call.progress,
    ...(call.sessionEnded === undefined ? {} : { sessionEnded: call.sessionEnded }),
    ...(call.probeCaller === undefined ? {} : { probeCaller: call.probeCaller }),
    ...(call.sessionId === undefined ? {} : { sessionId: call.sessionId }),
    ...(call.client === undefined ? {} : { client: call.client }),
  };
  const callTool = (name: string, args: JsonObject) => callFor(parts, call, name, args);
  switch (admission.kind) {
    case 'tool':
      return { body: await withinBudget(parts, call, admission, context) };
    case 'prompt': {
      const step = await admission.definition.get(admission.request, { ...context, callTool });
      return { body: step as unknown as JsonObject };
    }
    case 'write':
      return { body: await admission.definition.write!(admission.uri, admission.content, context) };
    case 'resource':
      return readResource(admission.definition, admission.uri, admission.request, context);
  }
}

/** What a tool sends counts for who asked, whichever node passes the question on. */
async function withinBudget(
  { budget, askers }: HandlerParts,
  call: AdmittedCall,
  { definition, arguments: args }: Extract<AdmittedCall['admission'], { kind: 'tool' }>,
  context: CallContext,
): Promise<JsonObject> {
  const cost = definition.probes?.(args);
  if (cost === undefined) return definition.call(args, context);
  const settle = await budget.take(payerOf(call, askers.self), cost, call.signal);
  try {
    const result = await definition.call(args, context);
    settle({});
    return result;
  } catch (error) {
    settle({ error });
    throw error;
  }
}

/** A page has a content id, and is not sent again to a caller who has it (TS-2). */
async function readResource(
  definition: ResourceDefinition,
  uri: string,
  request: ReadRequest,
  context: CallContext,
): Promise<Performed> {
  if (definition.page === undefined) {
    const content = await definition.read(uri, context);
    if (content === undefined) throw notFound(uri);
    return { body: content };
  }
  const page = await definition.page(uri, request, context);
  if (page === undefined) throw notFound(uri);
  const { text, mimeType = definition.mimeType, nextCursor, binary, meta = definition.meta } = page;
  const textSha256 = text === undefined ? undefined : sha256Hex(text);
  const contentId = textSha256 === undefined ? contentIdOf(page.data) : contentIdOfSha256(textSha256);
  const unchanged = request.contentId === contentId;
  const head: PageHead = {
    mimeType,
    contentId,
    ...(unchanged ? { unchanged } : {}),
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ...(binary === undefined ? {} : { binary }),
    ...(meta === undefined ? {} : { meta }),
  };
  if (unchanged) return { body: { 'content-id': contentId }, page: head };
  if (text === undefined || textSha256 === undefined) return { body: page.data, page: head };
  return {
    get body() {
      return page.data;
    },
    page: { ...head, text },
    bodySha256: textSha256,
  };
}

async function refuse(parts: ServeParts, call: Asked, head: AnswerHead, refusal: Refusal): Promise<HandledCall> {
  const reason = String(refusal.data['detail'] ?? refusal.message);
  await recordRefusal(parts, call, reason);
  return { status: 'refused', ...refusal, envelope: sign(parts, call, head, 'refused', { body: { ...refusal } }) };
}

async function recordRefusal(parts: ServeParts, call: Asked, reason: string): Promise<void> {
  await parts.audit
    .append({ ...auditOf(call), direction: 'out', event: 'response', status: 'refused', reason })
    .catch((error) => parts.log.error('the audit trail could not be written', { reason: messageOf(error) }));
}

function sign(
  parts: Pick<ServeParts, 'signer' | 'nonces' | 'clock'>,
  call: IncomingCall,
  head: AnswerHead,
  status: 'answered' | 'refused',
  performed: Performed,
): SignedEnvelope {
  const { bodySha256 } = performed;
  const result = { call: head, caller: call.caller.name, status };
  return sealResult(
    parts.signer,
    parts.nonces,
    parts.clock,
    bodySha256 === undefined ? { ...result, body: performed.body } : { ...result, body: null, bodySha256 },
  );
}

/**
 * What a refused call claims. The refusal answers its challenge even if its signature does not verify: the sender must be able to
 * tell an honest refusal from a forged one. Without a signature there is no challenge, and no proof of freshness.
 */
function claimedHead(call: IncomingCall): AnswerHead {
  const claimed = claimedCall(call.envelope);
  return {
    session: call.sessionId ?? claimed?.session ?? '',
    method: call.content.method,
    requestSha256: requestSha256Of(call.content),
    challenge: claimed?.challenge ?? NO_CHALLENGE,
  };
}

function auditOf(call: Asked) {
  return {
    ...recordedParty(call.caller),
    ...(call.behind === undefined ? {} : { asker: call.behind.label }),
    method: `${call.content.method} ${nameOf(call)}`,
    ...(call.sessionId === undefined ? {} : { sessionId: call.sessionId }),
    ...(call.traceparent === undefined ? {} : { detail: { traceparent: call.traceparent } }),
  };
}

/** Caller and request for the trail, which alone must answer who asked what (TS-31); boot and nonce show that no call was accepted twice. */
function askedOf(call: IncomingCall, signed: SignedCall | undefined) {
  const { arguments: args } = call.content.params;
  const intent = args !== undefined && isJsonObject(args) ? args['intent'] : undefined;
  return {
    requestSha256: signed?.requestSha256 ?? requestSha256Of(call.content),
    ...(typeof intent === 'string' ? { intent } : {}),
    ...(signed === undefined ? {} : { boot: signed.boot, nonce: signed.nonce }),
  };
}

function nameOf(call: IncomingCall): string {
  return String(call.content.params['name'] ?? call.content.params['uri'] ?? '').slice(0, 200);
}

function denied(detail: string): Refusal {
  return { code: WIRE_CODES.accessDenied, message: 'Network.AccessDenied', data: { detail, retryPossible: false } };
}

function refusalError(refusal: Refusal): ParleyError {
  const { code, message, data } = refusal;
  return new ParleyError('caller/refused', String(data['detail'] ?? message), {
    data: { wireCode: code, wireMessage: message, ...data },
  });
}

/** A call that bypassed the gate is a defect of ours: nothing runs. */
function notAdmitted(): ParleyError {
  return new ParleyError('us/not-admitted', 'expected a call that the catalog admitted, got another');
}

function notFound(uri: string): ParleyError {
  return new ParleyError('caller/unknown-resource', `expected a resource of this node, got ${uri.slice(0, 200)}`, {
    data: { wireCode: WIRE_CODES.resourceNotFound },
  });
}
