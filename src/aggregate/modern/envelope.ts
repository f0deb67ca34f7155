// What MCP 2026-07-28 has in every message beside the content: the envelope of requests, and the parts of results. Texts stay byte for byte.
import type { JsonObject } from '#base/json.ts';
import { VERSION } from '#base/version.ts';
import { memberText, withMember, withoutMembers } from '#codec/json-members.ts';
import { MCP_LIMITS } from '#mcp/limits.ts';
import { MODERN_REVISION } from '#mcp/modern/era.ts';
import { modernError } from '#mcp/modern/era-errors.ts';
import { RpcError } from '#mcp/protocol/rpc.ts';
import type { Answer } from '../wire/message.ts';

const PREFIX = 'io.modelcontextprotocol/';

export const ENVELOPE = {
  version: `${PREFIX}protocolVersion`,
  capabilities: `${PREFIX}clientCapabilities`,
  clientInfo: `${PREFIX}clientInfo`,
  serverInfo: `${PREFIX}serverInfo`,
  logLevel: `${PREFIX}logLevel`,
  subscription: `${PREFIX}subscriptionId`,
} as const;

/** Members of params by which a client answers what a server has asked. */
export const RETRY = { responses: 'inputResponses', state: 'requestState' } as const;

export const SERVER_INFO = { name: 'parley-aggregate', version: VERSION };

/** Results that say how long they hold. What is not a list of the tree may be another at the next request. */
const TTL_MS: ReadonlyMap<string, number> = new Map([
  ['tools/list', MCP_LIMITS.listTtlMs],
  ['prompts/list', MCP_LIMITS.listTtlMs],
  ['resources/templates/list', MCP_LIMITS.listTtlMs],
  ['resources/list', 0],
  ['resources/read', 0],
]);

/** The params as a server of this revision takes them. */
export function withEnvelope(paramsText: string, capabilities: JsonObject, logLevel: string | undefined): string {
  let meta = memberText(paramsText, '_meta') ?? '{}';
  meta = withMember(meta, ENVELOPE.version, JSON.stringify(MODERN_REVISION));
  meta = withMember(meta, ENVELOPE.capabilities, JSON.stringify(capabilities));
  meta = withMember(meta, ENVELOPE.clientInfo, JSON.stringify(SERVER_INFO));
  if (logLevel !== undefined) meta = withMember(meta, ENVELOPE.logLevel, JSON.stringify(logLevel));
  return withMember(paramsText, '_meta', meta);
}

/** The answer as a client of this revision takes it. */
export function modernAnswer(method: string, { kind, text }: Answer): Answer {
  if (kind === 'error') return { kind, text: modernErrorText(text) };
  let result = memberText(text, 'resultType') === undefined ? withMember(text, 'resultType', '"complete"') : text;
  const ttlMs = TTL_MS.get(method);
  if (ttlMs !== undefined) {
    if (memberText(text, 'cacheScope') === undefined) result = withMember(result, 'cacheScope', '"private"');
    if (memberText(text, 'ttlMs') === undefined) result = withMember(result, 'ttlMs', String(ttlMs));
  }
  return { kind, text: result };
}

function modernErrorText(text: string): string {
  const { code, message, data } = JSON.parse(text) as { code: number; message: string; data?: JsonObject };
  const error = modernError(new RpcError(code, message, data ?? {})) as RpcError;
  return JSON.stringify({ code: error.code, message: error.message, data: error.data });
}

/** The answer as clients of the older revisions take it. */
export function olderAnswer({ kind, text }: Answer): Answer {
  return kind === 'error' ? { kind, text } : { kind, text: withoutMembers(text, ['resultType']) };
}
