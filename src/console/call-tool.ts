// One tool call on behalf of the operator whose certificate opened the connection. It passes the same gate as MCP; there is no other
// way in (TS-12, TS-31).
import type { JsonObject } from '#base/json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { CallGate, IncomingCall } from '#model/ports.ts';
import type { WebRequest } from '#model/web.ts';

export type Refusal = {
  readonly code: number;
  readonly message: string;
  readonly data: JsonObject;
  /** The matching HTTP status. */
  readonly status: number;
};

export type Called =
  | { readonly ok: true; readonly body: JsonObject }
  | { readonly ok: false; readonly refusal: Refusal };

const STATUSES: ReadonlyMap<number, number> = new Map([
  [WIRE_CODES.accessDenied, 403],
  [WIRE_CODES.resourceNotFound, 404],
  [WIRE_CODES.invalidParams, 400],
  [WIRE_CODES.busy, 503],
  [WIRE_CODES.timeout, 504],
]);

export async function callTool(
  gate: CallGate,
  request: WebRequest,
  name: string,
  args: JsonObject,
  progress: IncomingCall['progress'] = () => {},
): Promise<Called> {
  const handled = await gate({
    caller: request.party,
    authorised: undefined,
    content: { method: 'tools/call', params: { name, arguments: args } },
    envelope: undefined,
    sessionId: undefined,
    signal: request.signal,
    progress,
  });
  if (handled.status === 'answered') return { ok: true, body: handled.body as JsonObject };
  const { code, message, data } = handled;
  return { ok: false, refusal: { code, message, data, status: STATUSES.get(code) ?? 500 } };
}

/** What the page gets of a refusal: the same as any MCP client. */
export function errorOf({ code, message, data }: Refusal): JsonObject {
  return { code, reason: String(data['detail'] ?? message), data };
}
