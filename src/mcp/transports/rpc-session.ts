// A JSON-RPC server over a frame channel for the drafts' dialects, which the SDK's schemas refuse. Bounded in flight,
// cancellable, answers by id; a result that does not fit into a frame becomes an error that says so.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { createFlight } from '../protocol/flight.ts';
import { errorResponse, nameOfCode, RpcError, type RpcId, type RpcMessage, type RpcRequest } from '../protocol/rpc.ts';
import type { FrameChannel } from './frame-channel.ts';
import { sendOrExplain } from './frames.ts';

/** Members of the response beside `jsonrpc` and `id`; `close` ends the session once it is sent. */
export type RpcAnswer = { readonly members: JsonObject; readonly close?: boolean };

/** Requests to the peer while one of its own is being answered; the signal ends each wait. */
export type PeerSide = {
  /** Resolves when the peer has answered our ping, even with an error. */
  probe(signal: AbortSignal): Promise<void>;
  /** Resolves with the peer's result; rejects with `peer/declined` on an error of its own. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
};

/** Answers one request; RpcError becomes an error response. */
export type RpcMethods = (request: RpcRequest, signal: AbortSignal, peer: PeerSide) => Promise<RpcAnswer>;

/** Takes over the channel; `first` is the message by which the dialect was recognised. */
export function startRpcSession(channel: FrameChannel, methods: RpcMethods, first: RpcMessage, log: Log): void {
  const flight = createFlight();
  const running = new Map<RpcId, AbortController>();
  const ended = channel.ended;
  channel.ended = (reason) => {
    for (const controller of running.values()) controller.abort(new Error('the session ended'));
    ended(reason);
  };

  const own = createOwnRequests(channel);
  const answer = async (request: RpcRequest) => {
    const controller = new AbortController();
    running.set(request.id, controller);
    let close = false;
    let response: JsonObject;
    try {
      const answered = await flight.run(() => methods(request, controller.signal, own));
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
    else if (message.kind === 'response') own.answered(message.raw);
    else if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      running.get(message.params['requestId'] as RpcId)?.abort(new Error('cancelled by the caller'));
    }
  };
  channel.receive(first);
}

/** Our own requests; an answer to none of them is dropped. */
function createOwnRequests(channel: FrameChannel): PeerSide & { answered(response: JsonObject): void } {
  const waiting = new Map<unknown, (response: JsonObject) => void>();
  let last = 0;
  const ask = async (method: string, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> => {
    signal.throwIfAborted();
    const id = `parley-${++last}`;
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const answered = new Promise<JsonObject>((resolve) => waiting.set(id, resolve));
    try {
      const message = { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
      return await Promise.race([channel.send(message).then(() => answered), ended]);
    } finally {
      waiting.delete(id);
    }
  };
  return {
    answered: (response) => waiting.get(response['id'])?.(response),
    probe: async (signal) => void (await ask('ping', undefined, signal)),
    async request(method, params, signal) {
      const { result, error } = await ask(method, params, signal);
      if (isJsonObject(result)) return result;
      const said = isJsonObject(error) ? String(error['message']).slice(0, LIMITS.declineChars) : 'no object';
      throw new ParleyError('peer/declined', `expected a result of ${method}, got: ${said}`);
    },
  };
}

/** The error that the peer gets; only an RpcError passes unchanged. */
export function errorOf(error: unknown, log: Log): { code: number; message: string; data?: JsonObject } {
  if (error instanceof RpcError)
    return { code: error.code, message: error.message, ...(isJsonObject(error.data) ? { data: error.data } : {}) };
  log.error('a request failed', { error: String(error) });
  return { code: WIRE_CODES.internal, message: nameOfCode(WIRE_CODES.internal) };
}
