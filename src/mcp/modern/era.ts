// The era of one message, by the SDK's own rule: the envelope in `_meta` decides, and what the headers say must agree. Nothing is remembered.
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import type { JsonObject } from '#base/json.ts';
import { decodeHeader, encodeHeader } from './param-headers.ts';

/** The revision that is spoken without sessions. */
export const MODERN_REVISION = '2026-07-28';
/** Error codes of that revision (MCP 2026-07-28, basic). */
export const ERA_CODES = { headerMismatch: -32_020, missingCapability: -32_021, unsupportedVersion: -32_022 } as const;

/** As they came; undefined over transports without headers. */
export type EraHeaders = {
  readonly version?: string | undefined;
  readonly method?: string | undefined;
  readonly name?: string | undefined;
};

export type Era =
  | { readonly kind: 'legacy' }
  | { readonly kind: 'modern' }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: number;
      readonly message: string;
      readonly data?: JsonObject;
      /** False for what is no message of either era. */
      readonly isMessage: boolean;
    };

const VERSION_META = 'io.modelcontextprotocol/protocolVersion';

/** False for what is certainly of an older revision: spares the hot path the SDK's check. */
export function mayBeModern(params: JsonObject, version?: string): boolean {
  const meta = params['_meta'];
  if (typeof meta === 'object' && meta !== null && VERSION_META in meta) return true;
  return version !== undefined && version >= '2026';
}

export function eraOf(body: JsonObject, { version, method, name }: EraHeaders = {}): Era {
  const era = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  });
  if (era.kind === 'legacy') return { kind: 'legacy' };
  if (era.kind === 'reject') {
    const { httpStatus: status, code, message, data, rung } = era;
    const isMessage = rung !== 'jsonrpc-shape';
    return {
      kind: 'refused',
      status,
      code,
      message,
      isMessage,
      ...(data === undefined ? {} : { data: data as JsonObject }),
    };
  }
  const { revision } = era.classification;
  if (revision === MODERN_REVISION || era.messageKind === 'notification') return { kind: 'modern' };
  const data = { supported: [MODERN_REVISION], requested: revision ?? 'unknown' };
  const message = `Unsupported protocol version: ${data.requested}`;
  return { kind: 'refused', status: 400, code: ERA_CODES.unsupportedVersion, message, data, isMessage: true };
}

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** The headers that HTTP demands of a request, and why they are not as its body says; undefined where they are. */
export function headerFault(body: JsonObject, { version, method, name }: EraHeaders): string | undefined {
  if (version === undefined) return 'expected the header MCP-Protocol-Version, got none';
  if (method === undefined) return 'expected the header Mcp-Method, got none';
  const params = (body['params'] ?? {}) as JsonObject;
  const said = params[NAMED[String(body['method'])] ?? ''];
  if (typeof said !== 'string') return undefined;
  if (name === undefined) return 'expected the header Mcp-Name, got none';
  return decodeHeader(name.trim()) === said ? undefined : 'expected Mcp-Name to be the name in the body, got another';
}

/** What of a request stands in the header Mcp-Name, as it may stand there. */
export function nameHeader(method: string, params: JsonObject): string | undefined {
  const said = params[NAMED[method] ?? ''];
  if (typeof said !== 'string') return undefined;
  return encodeHeader(said);
}
