// What a caller learns of an error: code, name and data of NET-13. The reason of an internal error is for operators.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { nameOfCode } from '#mcp/protocol/rpc.ts';
import type { Refusal } from '#model/admission.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { canRetryHelp } from './can-retry-help.ts';

/** `path`: what was called. Callers are told of their own errors and the node's; of an internal error, only operators are told the reason. */
export function refusalFor(error: unknown, caller: Party, path: string): Refusal {
  const isTold = error instanceof ParleyError && (!error.code.startsWith('us/') || caller.kind === 'operator');
  if (!isTold) {
    return {
      code: WIRE_CODES.internal,
      message: 'internal error',
      data: { detail: 'the agent could not answer', path, retryPossible: false },
    };
  }
  const { wireCode, wireMessage, ...data } = error.data;
  const code = typeof wireCode === 'number' ? wireCode : codeOf(error);
  const message = typeof wireMessage === 'string' ? wireMessage : nameOfCode(code);
  return {
    code,
    message,
    data: {
      path,
      retryPossible: canRetryHelp(error.code),
      ...(data as JsonObject),
      detail: error.message,
      errorCode: error.code,
    },
  };
}

/** Faults of the node that the draft has codes for (NET-13). */
const NODE_CODES: Readonly<Record<string, number>> = {
  'node/hardware-failure': WIRE_CODES.hardwareFailure,
  'node/rollback-failed': WIRE_CODES.rollbackFailed,
};

function codeOf(error: ParleyError): number {
  const known = NODE_CODES[error.code];
  if (known !== undefined) return known;
  if (error.code.startsWith('caller/')) return WIRE_CODES.invalidParams;
  if (error.code.endsWith('/timeout')) return WIRE_CODES.timeout;
  return error.code.startsWith('node/') ? WIRE_CODES.unreachable : WIRE_CODES.internal;
}
