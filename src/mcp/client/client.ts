// The calling side of a session with a peer (CARD-3, CARD-4): the SDK's client over frames, in the MCP dialect. Every call carries our
// signature and a fresh challenge. Answers are returned unverified; evidence/ admits them.
import type { Duplex } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { type Random, randomHex } from '#base/random.ts';
import { VERSION } from '#base/version.ts';
import type { AskerClaim } from '#model/asker.ts';
import type { CallContent, ExchangedCall, OutgoingCall, PeerSession } from '#model/call.ts';
import { ASKER_META, ENVELOPE_META, SESSION_META, type SignedEnvelope, TRACE_META } from '#model/envelope.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { envelopeJson } from '../protocol/call-content.ts';
import { findAnnouncement, intersect, PARLEY_EXPERIMENT } from '../protocol/negotiation.ts';
import { sharedValidator } from '../protocol/validator.ts';
import { readAnswer, readRefusal } from './answers.ts';
import { createRequester, type Requester } from './requester.ts';

export type PeerSessionInit = {
  readonly duplex: Duplex;
  readonly peer: Party;
  readonly chain: CertificateChain;
  readonly ownCapabilities: readonly string[];
  /** Our own node name. */
  readonly node: string;
  /** Signs the content that will be sent, and who asks. */
  readonly sign: (
    content: CallContent,
    about: { readonly session: string; readonly challenge: string; readonly asker: AskerClaim },
  ) => { readonly call: SignedEnvelope; readonly asker: SignedEnvelope };
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
};

/** Bytes of a challenge. */
export const CHALLENGE_BYTES = 16;

/** Rejects with ParleyError `peer/timeout`, `peer/unreachable` or `peer/protocol` when the peer does not open a session. */
export async function openPeerSession(init: PeerSessionInit): Promise<PeerSession> {
  const client = new Client(
    { name: 'parley', version: VERSION },
    {
      capabilities: { experimental: { [PARLEY_EXPERIMENT]: { node: init.node, capabilities: init.ownCapabilities } } },
      jsonSchemaValidator: sharedValidator,
    },
  );
  const requester = await createRequester({ ...init, client, timeoutMs: LIMITS.initializeMs });
  const announced = findAnnouncement(client.getServerCapabilities());
  if (announced?.ok !== true) {
    requester.close();
    const got = announced === undefined ? 'none' : announced.reason;
    throw new ParleyError('peer/protocol', `expected a list of capabilities, got ${got}`, {
      data: { peer: init.peer.name },
    });
  }
  const authorised = intersect(init.ownCapabilities, announced.value.capabilities);
  return {
    peer: init.peer,
    chain: init.chain,
    ...versionOf(client.getServerVersion()?.version),
    authorised,
    call: (call) => exchange(init, requester, call),
    get closed() {
      return requester.closed;
    },
    async close() {
      requester.close();
    },
  };
}

/** A peer chooses the text: what is no version number is left out. */
function versionOf(text: string | undefined): { readonly version?: string } {
  return text !== undefined && /^\d{1,6}(\.\d{1,6}){0,3}([-+~.][0-9A-Za-z.+~-]{1,32})?$/.test(text)
    ? { version: text }
    : {};
}

async function exchange(init: PeerSessionInit, requester: Requester, call: OutgoingCall): Promise<ExchangedCall> {
  const content = contentOf(call);
  const challenge = randomHex(init.random, CHALLENGE_BYTES);
  const signed = init.sign(content, { session: call.sessionId, challenge, asker: call.asker });
  const requestEnvelope = signed.call;
  const params = {
    ...content.params,
    _meta: {
      [ENVELOPE_META]: envelopeJson(requestEnvelope),
      [ASKER_META]: envelopeJson(signed.asker),
      [SESSION_META]: call.sessionId,
      ...(call.asker.traceparent === undefined ? {} : { [TRACE_META]: call.asker.traceparent }),
    },
  };
  const replied = await requester.request({ method: content.method, params }, call);
  const answer = replied.kind === 'result' ? readAnswer(call.kind, replied.result) : readRefusal(replied);
  if (!answer.ok) throw new ParleyError('peer/protocol', answer.reason, { data: { peer: init.peer.name } });
  return { request: content, requestEnvelope, challenge, answer: answer.value };
}

export function contentOf(call: OutgoingCall): CallContent {
  if (call.kind === 'resource') return { method: 'resources/read', params: { uri: call.name } };
  return { method: 'tools/call', params: { name: call.name, arguments: call.arguments } };
}
