// What a node offers to others: tools and resources, written once and served by every transport and dialect.
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { Party } from './identity.ts';

/** `read` changes nothing; `probe` sends bounded traffic; `write` changes the device and needs consent. */
export type Mutability = 'read' | 'probe' | 'write';

export type OfferContext = {
  readonly caller: Party;
  /** Collaboration domain id, when the caller sent one. */
  readonly sessionId?: string;
  readonly signal: AbortSignal;
  /** MCP progress (TS-27): `total` may be unknown; `data` is for programs that know us. */
  progress(done: number, total: number | undefined, message: string, data?: JsonObject): void;
};

export type ToolOffer = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Name that negotiation intersects (TS-14). */
  readonly capability: string;
  readonly mutability: Mutability;
  /** JSON Schema 2020-12 of an object. */
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  /** Party kinds that may call it; nodes also need the capability in their intersection. */
  readonly callers: readonly Party['kind'][];
  /** Arguments have passed `inputSchema`. Throws ParleyError with `data.wireCode` for a coded refusal. */
  call(args: JsonObject, context: OfferContext): Promise<JsonObject>;
};

export type ResourceOffer = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A URI, or a template with `{name}` places. */
  readonly uriTemplate: string;
  readonly mimeType: string;
  readonly capability: string;
  readonly callers: readonly Party['kind'][];
  /** True when this offer serves the URI. */
  serves(uri: string): boolean;
  /** JSON content; undefined when there is no such resource. */
  read(uri: string, context: OfferContext): Promise<JsonValue | undefined>;
  /** The concrete resources that `resources/list` shows now. */
  list?(context: OfferContext): Promise<readonly ListedResource[]>;
};

export type ListedResource = {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType: string;
};

/** JSON-RPC and MCP-NET codes on the wire (NET-13). */
export const WIRE_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
  /** Too many requests in flight on one session. */
  busy: -32000,
  timeout: -32081,
  unreachable: -32082,
  accessDenied: -32083,
  configIncompatible: -32084,
  rollbackFailed: -32085,
  confirmedCommitTimeout: -32086,
  rollbackNotSupported: -32087,
  yangSyntaxError: -32088,
} as const;
