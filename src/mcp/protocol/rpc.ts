// JSON-RPC 2.0 messages as values (TS-23): what a peer may send, and the forms of our errors.
// Refuses batches, null ids, and anything that is not exactly one request, notification or response.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
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

/** What is valid JSON and no message. It is answered with −32600 under `id`, and ends nothing; `id` is undefined where no answer is due. */
export type InvalidMessage = {
  readonly ok: false;
  readonly reason: string;
  readonly id: RpcId | null | undefined;
};

export type ParsedMessage = { readonly ok: true; readonly value: RpcMessage } | InvalidMessage;

/** One message of JSON-RPC 2.0. A request with a null id is refused (MCP, base protocol); an error response may have one. */
export function parseRpcMessage(value: JsonValue): ParsedMessage {
  if (Array.isArray(value)) return invalid('expected one JSON-RPC message, got a batch', null);
  if (!isJsonObject(value)) return invalid('expected a JSON-RPC object, got something else', null);
  const { id, method } = value;
  const answerTo = isRpcId(id) ? id : null;
  if (value['jsonrpc'] !== '2.0') return invalid('expected jsonrpc "2.0", got something else', answerTo);
  if (method === undefined) return parseResponse(value);
  if (id !== undefined && !isRpcId(id))
    return invalid('expected an id that is a string or an integer, got something else', null);
  if (typeof method !== 'string' || method === '')
    return invalid('expected a method name, got something else', answerTo);
  if ('result' in value || 'error' in value) return invalid('expected a request or a response, got both', answerTo);
  if (id === undefined) return parseNotification(value, method);
  const params = value['params'] === undefined ? {} : value['params'];
  if (!isJsonObject(params)) return invalid('expected params to be an object, got something else', id);
  const fault = metaFault(params['_meta']);
  if (fault !== undefined) return invalid(fault, id);
  return { ok: true, value: { kind: 'request', id, method, params, raw: plain(value) } };
}

/** A notification is never answered. Some clients write `"params": null` where there are none. */
function parseNotification(value: JsonObject, method: string): ParsedMessage {
  const params = value['params'] ?? {};
  if (!isJsonObject(params)) return invalid('expected params to be an object, got something else', undefined);
  const { params: _, ...rest } = value;
  const raw = value['params'] === null ? rest : value;
  return { ok: true, value: { kind: 'notification', method, params, raw: plain(raw) } };
}

function parseResponse(value: JsonObject): ParsedMessage {
  const hasError = 'error' in value;
  const hasResult = 'result' in value;
  if (!hasError && !hasResult) return invalid('expected a method, a result or an error, got none', null);
  if (hasError && hasResult) return invalid('expected a result or an error, got both', undefined);
  if (hasError && !isJsonObject(value['error']))
    return invalid('expected an error object, got something else', undefined);
  const { id } = value;
  // The answer to what could not be read has no id.
  if (!isRpcId(id) && !(hasError && (id === null || id === undefined)))
    return invalid('expected an id that is a string or an integer, got something else', undefined);
  return { ok: true, value: { kind: 'response', raw: value } };
}

export function isRpcId(value: JsonValue | undefined): value is RpcId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** The SDK drops a request with another `_meta` without an answer. */
function metaFault(meta: JsonValue | undefined): string | undefined {
  if (meta === undefined) return undefined;
  if (!isJsonObject(meta)) return 'expected params._meta to be an object, got something else';
  const token = meta['progressToken'];
  if (token !== undefined && !isRpcId(token))
    return 'expected a progressToken that is a string or an integer, got something else';
  return undefined;
}

/** Without members that JSON-RPC does not have: the SDK drops a message with any of them. */
function plain(message: JsonObject): JsonObject {
  const others = Object.keys(message).some((name) => !MESSAGE_MEMBERS.has(name));
  if (!others) return message;
  return Object.fromEntries(Object.entries(message).filter(([name]) => MESSAGE_MEMBERS.has(name))) as JsonObject;
}

const MESSAGE_MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params']);

function invalid(reason: string, id: RpcId | null | undefined): InvalidMessage {
  return { ok: false, reason, id };
}

/** The answer to an invalid message: the sender's client shows nothing but the text. */
export function invalidAnswer({ reason }: InvalidMessage, id: RpcId | null): JsonObject {
  const message = `${nameOfCode(WIRE_CODES.invalidRequest)}: ${reason}`;
  return errorResponse(id, { code: WIRE_CODES.invalidRequest, message });
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

/** A message and the reason in `data.detail`, for those who see the message alone. */
export function withReason(message: string, { detail }: JsonObject): string {
  return typeof detail === 'string' ? `${message}: ${detail}` : message;
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
