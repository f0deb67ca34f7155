// Turns one call of any dialect into one `CallHandler` call, after the catalog let it pass. Nothing that a handler throws
// reaches a peer as it is; a refusal before the handler is signed like any other answer where a signer is given [TS-16].
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import type { Party } from '#model/identity.ts';
import type { CallHandler, HandledCall, IncomingCall } from '#model/ports.ts';
import type { CallRequest } from './call-content.ts';
import type { Catalog, Refusal } from './catalog.ts';
import type { CallerScope } from './permission.ts';
import { nameOfCode, RpcError } from './rpc.ts';

/** Something a peer sent was refused before any handler ran: for the log and the audit trail, with the exact reason. */
export type Refused = {
  readonly party: Party;
  readonly transport: 'frames' | 'http';
  readonly reason: string;
  readonly code?: number;
  readonly method?: string;
  /** Tool name or URI. */
  readonly name?: string;
  readonly sessionId?: string;
};
export type OnRefused = (refused: Refused) => void;

export type CallScope = CallerScope & {
  readonly transport: Refused['transport'];
  readonly signal: AbortSignal;
  readonly progress: IncomingCall['progress'];
  readonly client?: IncomingCall['client'];
  readonly probeCaller?: IncomingCall['probeCaller'];
};

export type Dispatch = (request: CallRequest, scope: CallScope) => Promise<HandledCall>;

export type DispatchParts = {
  readonly catalog: Catalog;
  readonly handler: CallHandler;
  readonly onRefused: OnRefused;
  readonly log: Log;
  /** Signs a refusal that the server decides by itself, over the error object `{code, message, data}`. */
  readonly signRefusal?: (call: IncomingCall, refusal: JsonObject) => SignedEnvelope | undefined;
};

export function createDispatch(parts: DispatchParts): Dispatch {
  const refuse = (call: IncomingCall, refusal: Refusal, transport: Refused['transport']): HandledCall => {
    const { method, params } = call.content;
    parts.onRefused({
      party: call.caller,
      transport,
      reason: String(refusal.data['detail'] ?? refusal.message),
      code: refusal.code,
      method,
      name: String(params['name'] ?? params['uri']),
      ...(call.sessionId === undefined ? {} : { sessionId: call.sessionId }),
    });
    const envelope = parts.signRefusal?.(call, { code: refusal.code, message: refusal.message, data: refusal.data });
    return { status: 'refused', ...refusal, ...(envelope === undefined ? {} : { envelope }) };
  };
  return async (request, scope) => {
    const { caller, authorised, signal, sessionEnded, progress, client, probeCaller } = scope;
    const call: IncomingCall = {
      ...request,
      caller,
      authorised,
      signal,
      progress,
      ...(sessionEnded === undefined ? {} : { sessionEnded }),
      ...(client === undefined ? {} : { client }),
      ...(probeCaller === undefined ? {} : { probeCaller }),
    };
    const admission = parts.catalog.admit(request.content, scope);
    if (admission.kind === 'refused') return refuse(call, admission.refusal, scope.transport);
    try {
      return await parts.handler(call);
    } catch (error) {
      parts.log.error('a call handler failed', { method: request.content.method, error: String(error) });
      const message = nameOfCode(WIRE_CODES.internal);
      return refuse(
        call,
        { code: WIRE_CODES.internal, message, data: { detail: 'the node could not answer', retryPossible: true } },
        scope.transport,
      );
    }
  };
}

/** Counts what runs on one session, cancelled requests included until their handlers end. */
export type Flight = { run<T>(work: () => Promise<T>): Promise<T> };

/** Rejects with RpcError `busy` beyond LIMITS.requestsInFlight. */
export function createFlight(limit: number = LIMITS.requestsInFlight): Flight {
  let running = 0;
  return {
    async run(work) {
      if (running >= limit) {
        throw new RpcError(WIRE_CODES.busy, nameOfCode(WIRE_CODES.busy), {
          detail: `at most ${limit} requests in flight`,
          retryPossible: true,
        });
      }
      running++;
      try {
        return await work();
      } finally {
        running--;
      }
    },
  };
}
