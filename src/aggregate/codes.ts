// Error codes of MCP-AX on the wire. The draft gives numbers for two of them; the registration's own errors have numbers beside those.
import { WIRE_CODES } from '#model/definition.ts';
import { type Answer, errorAnswer } from './wire/message.ts';

export const AX_CODES = {
  /** MCP-AX §13.2 */
  toolDegraded: -32002,
  /** MCP-AX §11.4 */
  budgetExceeded: -32003,
  /** MCP-AX §4.2 */
  namespaceConflict: -32010,
  registrationRefused: -32011,
  registrationCycle: -32012,
  /** A proof that does not open this gate. */
  badProof: -32013,
} as const;

export function budgetExceeded(what: string): Answer {
  return errorAnswer(AX_CODES.budgetExceeded, 'budget_exceeded', { detail: what });
}

/** `sinceMs`: wall clock. */
export function toolDegraded(sinceMs: number, retryAfterMs: number): Answer {
  const data = {
    reason: 'subserver_unreachable',
    since: new Date(sinceMs).toISOString(),
    retry_after_ms: retryAfterMs,
  };
  return errorAnswer(AX_CODES.toolDegraded, 'tool_degraded', data);
}

export function noSuchTool(name: string): Answer {
  return errorAnswer(WIRE_CODES.methodNotFound, 'Method not found', { detail: `no tool ${name.slice(0, 64)}` });
}

export function invalidParams(detail: string): Answer {
  return errorAnswer(WIRE_CODES.invalidParams, 'Invalid params', { detail });
}
