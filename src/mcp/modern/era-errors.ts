// Error codes by era: MCP 2026-07-28 keeps −32020 to −32099 for itself, takes no new codes from −32000 to −32019, and never sends −32002. The
// drafts' codes travel in the data of an error that the revision has; a tool's refusal is a result with `isError` anyway.
import { WIRE_CODES } from '#model/definition.ts';
import { RpcError, withReason } from '../protocol/rpc.ts';

/** The caller can do something about these; the others are the node's. */
const OF_THE_CALLER: ReadonlySet<number> = new Set([
  WIRE_CODES.resourceNotFound,
  WIRE_CODES.accessDenied,
  WIRE_CODES.configIncompatible,
  WIRE_CODES.confirmedCommitTimeout,
  WIRE_CODES.rollbackNotSupported,
  WIRE_CODES.yangSyntaxError,
]);

/** First and last code of JSON-RPC's range for servers. */
const SERVER_CODES = { first: -32_099, last: -32_000 };

/** The reason stands in the message, which is all that hosts show. Other errors pass as they are. */
export function modernError(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  const { code, data } = error;
  const message = withReason(error.message, data);
  if (code < SERVER_CODES.first || code > SERVER_CODES.last) return new RpcError(code, message, data);
  const sent = OF_THE_CALLER.has(code) ? WIRE_CODES.invalidParams : WIRE_CODES.internal;
  return new RpcError(sent, message, { ...data, code, name: error.message });
}
