// This node's own part of a plan: the same signed call and the same gate as for a peer, without the network (TS-15).
import type { Clock } from '#base/clock.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { LocalCalls } from '#fanout/fan-out.ts';
import type { CallContent, OutgoingCall, RawAnswer } from '#model/call.ts';
import type { Party } from '#model/identity.ts';
import type { CallGate, HandledCall, NonceSource, Signer } from '#model/ports.ts';
import { signCall } from '#sign/asked-call.ts';

const CHALLENGE_BYTES = 16;

export function createLocalCalls(parts: {
  readonly party: Party;
  readonly capabilities: readonly string[];
  readonly gate: CallGate;
  readonly signer: Signer;
  readonly nonces: NonceSource;
  readonly random: Random;
  readonly clock: Clock;
}): LocalCalls {
  const { party } = parts;
  return {
    node: party.name,
    call: async (call) => {
      const content = contentOf(call);
      const challenge = randomHex(parts.random, CHALLENGE_BYTES);
      const signed = signCall(parts, { content, challenge, session: call.sessionId, asker: call.asker });
      const handled = await parts.gate({
        caller: party,
        authorised: parts.capabilities,
        content,
        envelope: signed.call,
        asker: signed.asker,
        sessionId: call.sessionId,
        ...(call.asker.traceparent === undefined ? {} : { traceparent: call.asker.traceparent }),
        signal: call.signal ?? AbortSignal.timeout(call.timeoutMs),
        progress: () => {},
      });
      return { request: content, requestEnvelope: signed.call, challenge, answer: answerOf(handled) };
    },
  };
}

function contentOf(call: OutgoingCall): CallContent {
  return call.kind === 'resource'
    ? { method: 'resources/read', params: { uri: call.name } }
    : { method: 'tools/call', params: { name: call.name, arguments: call.arguments } };
}

function answerOf(handled: HandledCall): RawAnswer {
  const signed = handled.envelope === undefined ? {} : { envelope: handled.envelope };
  if (handled.status === 'answered') return { status: 'answered', body: handled.body, ...signed };
  const { code, message, data } = handled;
  return {
    status: 'refused',
    code,
    reason: String(data['detail'] ?? message),
    body: { code, message, data },
    ...signed,
  };
}
