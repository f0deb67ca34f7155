// A client of the troubleshooting draft, for tests of our server (§5 Step-2, Step-3): `POST /mcp/initialize`, then POSTs to
// `/mcp/tool/call` and `/mcp/resource/read` over one connection, one call at a time. A call that times out ends the session.
// Answers are bounded and parsed strictly; signatures are returned unverified.
import type { Duplex } from 'node:stream';
import { Client } from 'undici';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { randomHex } from '#base/random.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { CHALLENGE_BYTES, contentOf, type PeerSessionInit } from '#mcp/client/client.ts';
import { startDeadline } from '#mcp/client/deadline.ts';
import { DRAFT_PROTOCOL_VERSION } from '#mcp/dialects/troubleshooting-draft.ts';
import { MCP_LIMITS } from '#mcp/limits.ts';
import { envelopeJson, parseEnvelope } from '#mcp/protocol/call-content.ts';
import { intersect, parseCapabilityNames } from '#mcp/protocol/negotiation.ts';
import type { CallContent, ExchangedCall, OutgoingCall, PeerSession, RawAnswer } from '#model/call.ts';
import { ASKER_META, ENVELOPE_META, SESSION_META } from '#model/envelope.ts';

type Waiting = { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined };
type Post = (
  path: string,
  body: JsonObject,
  waiting: Waiting,
) => Promise<{ readonly body: JsonObject; readonly sessionId: string | undefined }>;

/** Rejects with ParleyError `peer/timeout`, `peer/unreachable` or `peer/protocol` when the peer does not open a session. */
export async function openDraftSession(init: PeerSessionInit): Promise<PeerSession> {
  const http = overDuplex(init.duplex);
  let sessionId: string | undefined;
  const post: Post = async (path, body, waiting) => exchangeHttp(init, http, path, body, sessionId, waiting);
  try {
    const params = { protocolVersion: DRAFT_PROTOCOL_VERSION, capabilities: init.ownCapabilities };
    const opening = { jsonrpc: '2.0', method: 'mcp/initialize', params, id: 1 };
    const opened = await post('/mcp/initialize', opening, { timeoutMs: LIMITS.initializeMs });
    const { result } = opened.body;
    const theirs = parseCapabilityNames(isJsonObject(result) ? result['capabilities'] : undefined);
    if (!theirs.ok) throw protocolFault(init, theirs.reason);
    sessionId = opened.sessionId;
    return {
      peer: init.peer,
      chain: init.chain,
      authorised: intersect(init.ownCapabilities, theirs.value),
      call: (call) => callByPost(init, post, call),
      get closed() {
        return init.duplex.destroyed || init.duplex.writableEnded;
      },
      close: () => http.destroy(),
    };
  } catch (error) {
    await http.destroy();
    throw error;
  }
}

async function callByPost(init: PeerSessionInit, post: Post, call: OutgoingCall): Promise<ExchangedCall> {
  const content = contentOf(call);
  const challenge = randomHex(init.random, CHALLENGE_BYTES);
  const signed = init.sign(content, { session: call.sessionId, challenge, asker: call.asker });
  const requestEnvelope = signed.call;
  const _meta = {
    [ENVELOPE_META]: envelopeJson(requestEnvelope),
    [ASKER_META]: envelopeJson(signed.asker),
    [SESSION_META]: call.sessionId,
  };
  const answered = await post(pathOf(call), { ...bodyOf(content), _meta }, call);
  const answer = readDraftAnswer(answered.body);
  if (!answer.ok) throw protocolFault(init, answer.reason);
  return { request: content, requestEnvelope, challenge, answer: answer.value };
}

/** `{result, signature}` or `{error, signature}`. */
export function readDraftAnswer(body: JsonObject): Result<RawAnswer> {
  const envelope = parseEnvelope(body['signature']);
  if (!envelope.ok) return envelope;
  const signed = envelope.value === undefined ? {} : { envelope: envelope.value };
  const { error, result } = body;
  if (error === undefined)
    return isJsonObject(result)
      ? ok({ status: 'answered', body: result, ...signed })
      : bad('expected a result object, got something else');
  if (!isJsonObject(error) || typeof error['code'] !== 'number' || typeof error['message'] !== 'string') {
    return bad('expected an error of code and message, got something else');
  }
  return ok({ status: 'refused', code: error['code'], reason: error['message'], body: error, ...signed });
}

function pathOf(call: OutgoingCall): string {
  return call.kind === 'tool' ? '/mcp/tool/call' : '/mcp/resource/read';
}

/** The draft's own bodies: `{tool, arguments}` and `{uri}`. */
function bodyOf({ params }: CallContent): JsonObject {
  return 'uri' in params ? params : { tool: params['name']!, arguments: params['arguments']! };
}

/** An HTTP client whose only connection is `duplex`. */
function overDuplex(duplex: Duplex): Client {
  let given = false;
  return new Client('http://peer', {
    connect: (_options, callback) => {
      const usable = !given && !duplex.destroyed;
      given = true;
      // undici does not look again at what it has queued when the socket comes within the call.
      if (usable) process.nextTick(callback, null, duplex as never);
      else process.nextTick(callback, new Error('the connection ended'), null);
    },
    maxResponseSize: LIMITS.bodyBytes,
    maxHeaderSize: MCP_LIMITS.headerBytes,
    // Our own deadline ends a request; a timer of the library would end it with another code.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

async function exchangeHttp(
  init: PeerSessionInit,
  http: Client,
  path: string,
  body: JsonObject,
  sessionId: string | undefined,
  waiting: Waiting,
) {
  const deadline = startDeadline(init.clock, waiting);
  try {
    const response = await http.request({
      path,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
      },
      body: JSON.stringify(body),
      signal: deadline.signal,
    });
    const value = decodeStrictJson(new Uint8Array(await response.body.arrayBuffer()));
    if (!value.ok) throw protocolFault(init, value.reason);
    if (!isJsonObject(value.value)) throw protocolFault(init, 'expected a JSON object, got something else');
    const issued = response.headers['mcp-session-id'];
    return { body: value.value, sessionId: typeof issued === 'string' ? issued : undefined };
  } catch (error) {
    if (deadline.expired)
      throw new ParleyError('peer/timeout', `expected an answer within ${waiting.timeoutMs} ms, got none`, {
        cause: error,
      });
    if (error instanceof ParleyError) throw error;
    if (waiting.signal?.aborted) throw waiting.signal.reason;
    throw new ParleyError('peer/unreachable', `expected an open session, got: ${messageOf(error)}`, { cause: error });
  } finally {
    deadline.stop();
  }
}

function protocolFault(init: PeerSessionInit, reason: string): ParleyError {
  return new ParleyError('peer/protocol', reason, { data: { peer: init.peer.name } });
}
