// The gate that every call passes, from any listener, console page or part of this process. The catalog decides once; the handler runs
// what it admitted. Errors of a handler never reach the caller; refusals are signed like answers [TS-16].
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { Refusal } from '#model/admission.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import type { Party } from '#model/identity.ts';
import type { CallHandler, HandledCall, IncomingCall } from '#model/ports.ts';
import { nameOfCode } from '../protocol/rpc.ts';
import type { Catalog } from './catalog.ts';
import { createTurns } from './turns.ts';

/** `local`: within this process. */
export type Transport = 'frames' | 'http' | 'local';

/** Something a peer sent was refused before any handler ran: for the log and the audit trail, with the exact reason. */
export type Refused = {
  readonly party: Party;
  readonly transport: Transport;
  readonly reason: string;
  readonly code?: number;
  readonly method?: string;
  /** Tool name or URI. */
  readonly name?: string;
  readonly sessionId?: string;
};
export type OnRefused = (refused: Refused) => void;

export type Gate = (call: IncomingCall, transport: Transport) => Promise<HandledCall>;

export type GateParts = {
  readonly catalog: () => Pick<Catalog, 'admit'>;
  readonly handler: CallHandler;
  readonly onRefused: OnRefused;
  readonly log: Log;
  /** Signs a refusal of the gate, over the error object `{code, message, data}`. */
  readonly signRefusal?: (call: IncomingCall, refusal: JsonObject) => SignedEnvelope | undefined;
};

export function createGate(parts: GateParts): Gate {
  const refuse = (call: IncomingCall, refusal: Refusal, transport: Transport): HandledCall => {
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
  const turn = createTurns();
  return async (call, transport) => {
    if (transport !== 'local') await turn(call.caller);
    const decision = parts.catalog().admit(call.content, call);
    if (decision.kind === 'refused') return refuse(call, decision.refusal, transport);
    try {
      return await parts.handler({ ...call, admission: decision });
    } catch (error) {
      parts.log.error('a call handler failed', { method: call.content.method, error: String(error) });
      const message = nameOfCode(WIRE_CODES.internal);
      const data = { detail: 'the node could not answer', retryPossible: false };
      return refuse(call, { code: WIRE_CODES.internal, message, data }, transport);
    }
  };
}
