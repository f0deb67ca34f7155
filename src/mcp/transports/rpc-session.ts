// A JSON-RPC server over a frame channel for the drafts' dialects, which the SDK's schemas refuse. Bounded in flight,
// cancellable, answers by id; a result that does not fit into a frame becomes an error that says so.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { WIRE_CODES } from '#model/offer.ts';
import { createFlight } from '../dispatch.ts';
import { errorResponse, nameOfCode, RpcError, type RpcId, type RpcMessage, type RpcRequest } from '../rpc.ts';
import type { FrameChannel } from './frame-channel.ts';
import { sendOrExplain } from './frames.ts';

/** Members of the response beside `jsonrpc` and `id`; `close` ends the session once it is sent. */
export type RpcAnswer = { readonly members: JsonObject; readonly close?: boolean };

/** Resolves when the peer has answered a ping of ours, in whatever way; the signal ends the wait. */
export type ProbePeer = (signal: AbortSignal) => Promise<void>;

/** Answers one request; RpcError becomes an error response. */
export type RpcMethods = (request: RpcRequest, signal: AbortSignal, probePeer: ProbePeer) => Promise<RpcAnswer>;

/** Takes over the channel; `first` is the message by which the dialect was recognised. */
export function startRpcSession(channel: FrameChannel, methods: RpcMethods, first: RpcMessage, log: Log): void {
  const flight = createFlight();
  const running = new Map<RpcId, AbortController>();
  const ended = channel.ended;
  channel.ended = (reason) => {
    for (const controller of running.values()) controller.abort(new Error('the session ended'));
    ended(reason);
  };

  const pings = createPings(channel);
  const answer = async (request: RpcRequest) => {
    const controller = new AbortController();
    running.set(request.id, controller);
    let close = false;
    let response: JsonObject;
    try {
      const answered = await flight.run(() => methods(request, controller.signal, pings.probe));
      close = answered.close ?? false;
      response = { jsonrpc: '2.0', id: request.id, ...answered.members };
    } catch (error) {
      response = errorResponse(request.id, errorOf(error, log));
    }
    if (running.get(request.id) === controller) running.delete(request.id);
    if (controller.signal.aborted || channel.closed) return;
    await sendOrExplain(channel, response).catch(() => {});
    if (close) channel.close();
  };
  channel.receive = (message) => {
    if (message.kind === 'request') void answer(message);
    else if (message.kind === 'response') pings.answered(message.raw['id']);
    else if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      running.get(message.params['requestId'] as RpcId)?.abort(new Error('cancelled by the caller'));
    }
  };
  channel.receive(first);
}

/** Our own requests, of which there is one kind: it asks nothing but an answer. */
function createPings(channel: FrameChannel) {
  const waiting = new Map<unknown, () => void>();
  let last = 0;
  return {
    answered: (id: unknown) => waiting.get(id)?.(),
    async probe(signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      const id = `parley-ping-${++last}`;
      const ended = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      const answered = new Promise<void>((resolve) => waiting.set(id, resolve));
      try {
        const asked = channel.send({ jsonrpc: '2.0', id, method: 'ping' }).then(() => answered);
        await Promise.race([asked, ended]);
      } finally {
        waiting.delete(id);
      }
    },
  };
}

/** What a peer is told of an error; only RpcError speaks for itself. */
export function errorOf(error: unknown, log: Log): { code: number; message: string; data?: JsonObject } {
  if (error instanceof RpcError)
    return { code: error.code, message: error.message, ...(isJsonObject(error.data) ? { data: error.data } : {}) };
  log.error('a request failed', { error: String(error) });
  return { code: WIRE_CODES.internal, message: nameOfCode(WIRE_CODES.internal) };
}
