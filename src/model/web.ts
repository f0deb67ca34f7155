// Pages that an agent serves beside MCP on the same port (TS-12): what `mcp/http` hands to the part that draws them, and what it
// gets back. No Node types: the pages do not know which HTTP version carries them.
import type { JsonObject } from '#base/json.ts';
import type { Party } from './identity.ts';

export type WebRequest = {
  readonly party: Party;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Name and port that the caller used, as it wrote them. */
  readonly host: string | undefined;
  /** By lower-case name. */
  header(name: string): string | undefined;
  /** The body as one JSON object, bounded in bytes and time. */
  readJson(): Promise<WebBody>;
  /** The body as the fields of a form (application/x-www-form-urlencoded), bounded in the same way. */
  readForm(): Promise<WebBody<URLSearchParams>>;
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
};

export type WebBody<Value = JsonObject> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly status: number; readonly reason: string };

export type WebReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | WebStream;
  /** Set when this refuses the caller: the exact reason, for the log and the audit trail. */
  readonly refused?: string;
};

/** Each piece resolves when there is room for the next, and rejects once the caller has gone. */
export type WebStream = (write: (piece: string | Uint8Array) => Promise<void>) => Promise<void>;

export type WebPages = {
  /** True when this path is theirs. */
  serves(path: string): boolean;
  handle(request: WebRequest): Promise<WebReply>;
};
