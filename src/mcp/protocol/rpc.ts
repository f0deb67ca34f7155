// JSON-RPC 2.0 messages as values (TS-23): what a peer may send, and the forms of our errors.
// Refuses batches, null ids, and anything that is not exactly one request, notification or response.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { DEFAULT_BOUNDS, type JsonBounds } from '#codec/strict-json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { MCP_LIMITS } from '../limits.ts';

/** Bounds of a message to a server: a caller sends arguments, never tables. */
export const REQUEST_BOUNDS: JsonBounds = { ...DEFAULT_BOUNDS, values: MCP_LIMITS.requestValues };

export type RpcId = string | number;

export type RpcMessage =
  | {
      readonly kind: 'request';
      readonly id: RpcId;
      readonly method: string;
      readonly params: JsonObject;
      readonly raw: JsonObject;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject; readonly raw: JsonObject }
  | { readonly kind: 'response'; readonly raw: JsonObject };

export type RpcRequest = Extract<RpcMessage, { kind: 'request' }>;

/** One message of JSON-RPC 2.0. MCP never has null ids, so they are refused here. */
export function parseRpcMessage(value: JsonValue): Result<RpcMessage> {
  if (Array.isArray(value)) return bad('expected one JSON-RPC message, got a batch');
  if (!isJsonObject(value)) return bad('expected a JSON-RPC object, got something else');
  if (value['jsonrpc'] !== '2.0') return bad('expected jsonrpc "2.0", got something else');
  const id = value['id'];
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id)) {
    return bad('expected an id that is a string or an integer, got something else');
  }
  const method = value['method'];
  if (method === undefined) return parseResponse(value);
  if (typeof method !== 'string' || method === '') return bad('expected a method name, got something else');
  if ('result' in value || 'error' in value) return bad('expected a request or a response, got both');
  const params = value['params'] ?? {};
  if (!isJsonObject(params)) return bad('expected params to be an object, got something else');
  if (id === undefined) return ok({ kind: 'notification', method, params, raw: value });
  return ok({ kind: 'request', id: id as RpcId, method, params, raw: value });
}

function parseResponse(value: JsonObject): Result<RpcMessage> {
  const hasError = 'error' in value;
  if (hasError === 'result' in value) return bad('expected a method, a result or an error, got none or several');
  if (hasError && !isJsonObject(value['error'])) return bad('expected an error object, got something else');
  return ok({ kind: 'response', raw: value });
}

/**
 * An error as it goes on the wire. It is thrown inside the SDK's handlers, which copy `code`, `message` and `data`;
 * the SDK's own McpError would put a prefix before the message.
 */
export class RpcError extends Error {
  readonly code: number;
  readonly data: JsonObject;

  constructor(code: number, message: string, data: JsonObject = {}) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/** Message that goes with a wire code: `Network.<Name>` where NET-13 names one. */
export function nameOfCode(code: number): string {
  return CODE_NAMES.get(code) ?? 'Server error';
}

const CODE_NAMES: ReadonlyMap<number, string> = new Map([
  [WIRE_CODES.parse, 'Parse error'],
  [WIRE_CODES.invalidRequest, 'Invalid Request'],
  [WIRE_CODES.methodNotFound, 'Method not found'],
  [WIRE_CODES.invalidParams, 'Invalid params'],
  [WIRE_CODES.internal, 'Internal error'],
  [WIRE_CODES.resourceNotFound, 'Resource not found'],
  [WIRE_CODES.busy, 'Too many requests in flight'],
  [WIRE_CODES.timeout, 'Network.Timeout'],
  [WIRE_CODES.unreachable, 'Network.Unreachable'],
  [WIRE_CODES.accessDenied, 'Network.AccessDenied'],
  [WIRE_CODES.configIncompatible, 'Network.ConfigIncompatible'],
  [WIRE_CODES.rollbackFailed, 'Network.RollbackFailed'],
  [WIRE_CODES.confirmedCommitTimeout, 'Network.ConfirmedCommitTimeout'],
  [WIRE_CODES.rollbackNotSupported, 'Network.RollbackNotSupported'],
  [WIRE_CODES.yangSyntaxError, 'Network.YangSyntaxError'],
  [WIRE_CODES.hardwareFailure, 'Network.HardwareFailure'],
  [WIRE_CODES.snmpFailure, 'Network.SnmpFailure'],
]);

/** An error response; `id` is null when the request could not be read. */
export function errorResponse(
  id: RpcId | null,
  error: { readonly code: number; readonly message: string; readonly data?: JsonObject },
): JsonObject {
  const { code, message, data } = error;
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}
