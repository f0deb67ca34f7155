// The tools, resources and prompts of a node, written once and served by every transport and dialect.
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { Mutability, Touch } from './access.ts';
import type { Asking } from './asker.ts';
import type { Party } from './identity.ts';
import type { ProbeCost } from './links/probe-cost.ts';
import type { PathStep } from './router/yang-path.ts';

export type CallContext = {
  readonly caller: Party;
  /** On whose behalf other nodes are called for this call; throws where that cannot be said. Absent: no other node may be called for it. */
  readonly asker?: () => Asking;
  /** Collaboration domain id, when the caller sent one. */
  readonly sessionId?: string;
  readonly signal: AbortSignal;
  /** Aborts when the transport session ends, however it does; absent where there is no session. */
  readonly sessionEnded?: AbortSignal;
  /** Resolves when the caller has answered over its own session, rejects when it cannot be asked; absent within this process. */
  readonly probeCaller?: (signal: AbortSignal) => Promise<void>;
  /** MCP progress (TS-27): `total` may be unknown; `data` is for programs that know us. */
  progress(done: number, total: number | undefined, message: string, data?: JsonObject): void;
  /** What the caller's client can be asked or told while this runs; absent where the dialect has no way back. */
  readonly client?: ClientSide;
};

/** What a client names when it introduces itself, if it can be asked for it. `elicitation` is that of forms, `elicitation.url` opens pages. */
export type ClientCapability = 'sampling' | 'elicitation' | 'elicitation.url' | 'roots';

/** The way back to an MCP client during one of its requests (TS-5). */
export type ClientSide = {
  /** Shown to the user when the level is one that the client asked for. */
  log(level: string, data: JsonValue): void;
  offers(capability: ClientCapability): boolean;
  /**
   * `sampling/createMessage`, `elicitation/create` or `roots/list`; rejects when the client does not offer it, or its user declines. `key` names
   * the request to clients that answer it with a call of their own (MCP 2026-07-28).
   */
  request(method: string, params: JsonObject, signal?: AbortSignal, key?: string): Promise<JsonObject>;
  /** Ends the stream of this answer over HTTP; the client fetches the answer by reconnecting. */
  detach(): void;
};

/** What a prompt's own steps are made with. */
export type PromptContext = CallContext & {
  /** A tool call on behalf of the caller: admitted and written down like one that the caller sends; rejects where it is refused. */
  callTool(name: string, args: JsonObject): Promise<JsonValue>;
};

export type ToolDefinition = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Name that negotiation intersects (TS-14). */
  readonly capability: string;
  readonly mutability: Mutability;
  /**
   * Whether a call with these arguments only confirms or takes back a change that waits for its confirmation, and is on record: it needs no room for a
   * record of its own (TS-31). The commit journal, which has room in reserve, says how the change ended.
   */
  readonly settles?: (args: JsonObject) => boolean;
  /** JSON Schema 2020-12 of an object. */
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  /** Party kinds that may call it; nodes also need the capability in their intersection. */
  readonly callers: readonly Party['kind'][];
  /**
   * To whom `tools/list` shows it; it is callable by its name in any case. `extended`: to clients that ask for all. `agents`: what one agent
   * calls of another, and no person or language model would.
   */
  readonly listing?: 'default' | 'extended' | 'agents';
  /** Leaves the device alone, and changes what the node keeps or decides: its hints to hosts say so. */
  readonly changesState?: true;
  /** The tool that this is another name of: rules about that one hold for this one. */
  readonly aliasOf?: string;
  /** YANG data that a call with these arguments reads or changes: each element must be permitted [NET-16]. */
  readonly touches?: (args: JsonObject) => readonly Touch[];
  /** What it shows is held against the access rules by path, or is no data of the device. */
  readonly honoursPaths?: boolean;
  /** What a call with these arguments puts on the links of this node; absent for tools that send nothing. */
  readonly probes?: (args: JsonObject) => ProbeCost | undefined;
  /** False when this device cannot do it: it is listed all the same, with `available: false` (NET-3). */
  readonly available?: () => boolean;
  /** What a call is answered with where it is not available; −32084 unless told otherwise. */
  readonly unavailableCode?: number;
  /** Calling it twice is the same as once; read tools are without saying so. */
  readonly idempotent?: boolean;
  /** What a person or a language model reads of the result first, as MCP content blocks beside the structured content. */
  readonly summary?: (result: JsonObject) => readonly JsonObject[];
  /** MCP content blocks in place of text and structured content. */
  readonly content?: (result: JsonObject) => readonly JsonObject[];
  /** Arguments have passed `inputSchema`. Throws ParleyError with `data.wireCode` for a coded refusal. */
  call(args: JsonObject, context: CallContext): Promise<JsonObject>;
};

export type ResourceDefinition = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A URI, or a template with `{name}` places. */
  readonly uriTemplate: string;
  readonly mimeType: string;
  readonly capability: string;
  readonly callers: readonly Party['kind'][];
  /** The YANG data that a URI stands for, where access rules by path apply to it [NET-16]. */
  readonly pathOf?: (uri: string) => readonly PathStep[] | undefined;
  /** What it shows is held against the access rules by path, or is no data of the device. */
  readonly honoursPaths?: boolean;
  /** True when this definition serves the URI. */
  serves(uri: string): boolean;
  /** JSON content; undefined when there is no such resource. */
  read(uri: string, context: CallContext): Promise<JsonValue | undefined>;
  /** In place of `read` where there are pages, text, tags or more than one media type. */
  readonly page?: (uri: string, request: ReadRequest, context: CallContext) => Promise<ResourcePage | undefined>;
  /** Calls back when the content has changed, with what is new when only that is to be sent; returns the way to stop. */
  readonly watch?: (uri: string, changed: (news?: ResourcePage) => void) => () => void;
  /** Validates and writes new content (NET-7); absent: read-only. */
  readonly write?: (uri: string, content: JsonValue, context: CallContext) => Promise<JsonObject>;
  /** `_meta` of NET-8: unit, precision, hardware slot. */
  readonly meta?: JsonObject;
  /** Values that complete a place of the template. */
  readonly complete?: (place: string, value: string, context: CallContext) => Promise<readonly string[]>;
  /** The concrete resources that `resources/list` shows now. */
  list?(context: CallContext): Promise<readonly ListedResource[]>;
};

export type ListedResource = {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType: string;
};

/** Members of `resources/read` beside the URI. */
export type ReadRequest = {
  /** From `nextCursor` of the page before (NET-6). */
  readonly cursor?: string;
  /** Tag of the content that the caller has already (TS-2). */
  readonly contentId?: string;
  /** Media type that the caller asks for: `application/yang-data+xml` (TS-25). */
  readonly accept?: string;
  /** Entries of a page that the caller would take; the resource gives at most as many as fit into one answer. */
  readonly limit?: number;
};

export type ResourcePage = {
  /** JSON, or text where the media type is text; base64 when `binary`. */
  readonly data: JsonValue;
  /** RFC 8785 text of `data`, where it was written directly: `data` is then a getter that reads it back, for those who need it. */
  readonly text?: string;
  /** Differs from the definition's own where the caller asked for another. */
  readonly mimeType?: string;
  readonly nextCursor?: string;
  readonly binary?: boolean;
  readonly meta?: JsonObject;
};

/** A template of a prompt (TS-4, NET-9). */
export type PromptDefinition = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly capability: string;
  readonly callers: readonly Party['kind'][];
  readonly arguments: readonly PromptArgument[];
  /** Pushed step by step to clients that ask for it (NET-11). */
  readonly stream?: boolean;
  get(request: PromptRequest, context: PromptContext): Promise<PromptStep>;
  readonly complete?: (argument: string, value: string, context: CallContext) => Promise<readonly string[]>;
};

/** Enough to build a form (NET-10). `type`, `minimum`, `maximum`, `pattern`, `enum`, `items` as in JSON Schema. */
export type PromptArgument = {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonObject;
};

export type PromptRequest = {
  readonly arguments: JsonObject;
  /** `contextId` of the step before (NET-9). */
  readonly previousContextId?: string;
  /** What the tool calls of the step before came back with, by position. */
  readonly toolResults?: readonly JsonValue[];
};

export type PromptStep = {
  readonly description: string;
  readonly markdown: string;
  readonly toolCalls: readonly { readonly tool: string; readonly arguments: JsonObject }[];
  /** Absent in the last step. */
  readonly contextId?: string;
  /** MCP messages in place of the one that is made of the markdown. */
  readonly messages?: readonly JsonObject[];
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
  hardwareFailure: -32089,
  /** SNMP is not spoken: never sent, and listed so that nothing else takes its number. */
  snmpFailure: -32090,
} as const;
