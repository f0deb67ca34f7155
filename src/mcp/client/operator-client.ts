// The calling side for operators and controllers: a typed client over the agent's Unix socket or a TLS connection on ALPN
// `mcp` (CARD-7, CARD-8, TS-27). Announces no capabilities: its role decides what it may use.
import type { Duplex } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type Clock, createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { type Log, silentLog } from '#base/log.ts';
import type { CallContent, CallKind, RawAnswer } from '#model/call.ts';
import type { ListedResource } from '#model/definition.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { ASKER_META, type SignedEnvelope } from '#model/envelope.ts';
import { NAME_META, TOOLS_META } from '../catalog/listing.ts';
import { PROGRESS_META } from '../dialects/mcp-client-side.ts';
import { envelopeJson } from '../protocol/call-content.ts';
import { PARLEY_EXPERIMENT } from '../protocol/negotiation.ts';
import { sharedValidator } from '../protocol/validator.ts';
import { readAnswer, readRefusal } from './answers.ts';
import { createRequester, type Requester } from './requester.ts';

export type OperatorProgress = {
  readonly done: number;
  readonly total?: number;
  readonly message: string;
  readonly data?: JsonObject;
};

export type OperatorCallOptions = {
  /** Each progress message restarts the deadline. */
  readonly onProgress?: (progress: OperatorProgress) => void;
  readonly signal?: AbortSignal;
  /** Default: LIMITS.callMs. */
  readonly timeoutMs?: number;
};

export type ListedTool = {
  /** False: this device cannot do it (NET-3). */
  readonly available?: boolean;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
};

/** `limit` is the number of entries that the caller would take, `accept` the media type. */
export type PageRequest = { readonly cursor?: string; readonly limit?: number; readonly accept?: string };
export type ReadPage = { readonly body: JsonValue; readonly nextCursor: string | undefined };

export type OperatorClient = {
  /** What the agent announced of its device (NET-1). */
  readonly cliDialect: string | undefined;
  /** The short list, or every tool that the caller may use. */
  listTools(extent?: 'short' | 'all'): Promise<readonly ListedTool[]>;
  /** The tool's structured content. Rejects with ParleyError `peer/refused` whose data holds `code`, `reason` and `data`. */
  callTool(name: string, args: JsonObject, options?: OperatorCallOptions): Promise<JsonObject>;
  listResources(): Promise<readonly ListedResource[]>;
  /** The resource's JSON. Rejects like `callTool`. */
  readResource(uri: string, options?: OperatorCallOptions): Promise<JsonValue>;
  /** This client's role on the node; undefined if the node does not report it. */
  readonly role: string | undefined;
  /** One page of a long list (NET-6), with the cursor of the next page if there is one. */
  readPage(uri: string, page: PageRequest, options?: OperatorCallOptions): Promise<ReadPage>;
  /** All pages of a long list; the next is fetched while one is processed. */
  readPages(uri: string, page: PageRequest, options?: OperatorCallOptions): AsyncIterable<JsonValue>;
  readonly closed: boolean;
  close(): Promise<void>;
};

/** Rejects with ParleyError `peer/timeout`, `peer/unreachable` or `peer/protocol` when the agent does not open a session. */
export async function openOperatorClient(
  duplex: Duplex,
  parts: {
    readonly clock?: Clock;
    readonly log?: Log;
    /** Signs that this operator calls this tool of the node: what the node shows others in turn. */
    readonly assert?: ((content: CallContent) => SignedEnvelope) | undefined;
  } = {},
): Promise<OperatorClient> {
  const client = new Client(
    { name: 'parley-operator', version: '0' },
    {
      capabilities: { experimental: { [PARLEY_EXPERIMENT]: { capabilities: [] } } },
      jsonSchemaValidator: sharedValidator,
    },
  );
  const { clock = createSystemClock(), log = silentLog } = parts;
  const requester = await createRequester({ duplex, client, clock, log, timeoutMs: LIMITS.initializeMs });
  const readPage: OperatorClient['readPage'] = async (uri, page, options) => {
    let nextCursor: string | undefined;
    const onResult = (result: JsonObject) => {
      if (typeof result['nextCursor'] === 'string') nextCursor = result['nextCursor'];
    };
    const body = await call(requester, 'resource', 'resources/read', { uri, ...page }, options, onResult);
    return { body, nextCursor };
  };
  return {
    cliDialect: cliDialectIn(requester.capabilities),
    listTools: async (extent = 'short') => {
      const params = extent === 'all' ? { _meta: { [TOOLS_META]: 'all' } } : {};
      return ((await list(requester, 'tools/list', 'tools', params)) as readonly JsonObject[]).map(listedTool);
    },
    listResources: async () =>
      (await list(requester, 'resources/list', 'resources')) as unknown as readonly ListedResource[],
    callTool: async (name, args, options) => {
      const params = { name, arguments: args };
      const proof = parts.assert?.({ method: 'tools/call', params });
      const meta = proof === undefined ? {} : { _meta: { [ASKER_META]: envelopeJson(proof) } };
      return (await call(requester, 'tool', 'tools/call', { ...params, ...meta }, options)) as JsonObject;
    },
    readResource: (uri, options) => call(requester, 'resource', 'resources/read', { uri }, options),
    role: roleIn(requester.capabilities),
    readPage,
    async *readPages(uri, page, options) {
      let coming: Promise<ReadPage> | undefined = readPage(uri, page, options);
      while (coming !== undefined) {
        const { body, nextCursor }: ReadPage = await coming;
        coming = nextCursor === undefined ? undefined : readPage(uri, { ...page, cursor: nextCursor }, options);
        // A consumer that stops early leaves this request behind.
        coming?.catch(() => {});
        yield body;
      }
    },
    get closed() {
      return requester.closed;
    },
    async close() {
      requester.close();
    },
  };
}

function roleIn(capabilities: JsonObject): string | undefined {
  const announced = isJsonObject(capabilities['experimental'])
    ? capabilities['experimental'][PARLEY_EXPERIMENT]
    : undefined;
  const role = announced !== undefined && isJsonObject(announced) ? announced['role'] : undefined;
  return typeof role === 'string' ? role : undefined;
}

/** Below `experimental` as well, for clients that drop members they do not know. */
function cliDialectIn(capabilities: JsonObject): string | undefined {
  const { experimental } = capabilities;
  const network =
    capabilities['network'] ??
    (experimental !== undefined && isJsonObject(experimental) ? experimental['network'] : undefined);
  const dialect = network !== undefined && isJsonObject(network) ? network['cliDialect'] : undefined;
  return typeof dialect === 'string' ? dialect : undefined;
}

/** `available` stands beside the name, or below `_meta` where a client has dropped it; there is the tool's own name as well. */
function listedTool(tool: JsonObject): ListedTool {
  const meta = tool['_meta'] !== undefined && isJsonObject(tool['_meta']) ? tool['_meta'] : {};
  const available = tool['available'] ?? meta['available'];
  const name = meta[NAME_META] ?? tool['name'];
  return { ...(tool as unknown as ListedTool), name: String(name), ...(available === false ? { available } : {}) };
}

async function list(
  requester: Requester,
  method: string,
  member: string,
  params: JsonObject = {},
): Promise<readonly JsonValue[]> {
  const replied = await requester.request({ method, params }, { timeoutMs: LIMITS.callMs });
  if (replied.kind === 'error') throw refused(replied.code, replied.message, replied.data);
  const items = replied.result[member];
  if (!Array.isArray(items)) throw new ParleyError('peer/protocol', `expected a list of ${member}, got something else`);
  return items;
}

async function call(
  requester: Requester,
  kind: CallKind,
  method: string,
  params: JsonObject,
  options: OperatorCallOptions = {},
  onResult: (result: JsonObject) => void = () => {},
): Promise<JsonValue> {
  const { onProgress } = options;
  const watching = onProgress === undefined ? {} : { onProgress: (raw: JsonObject) => onProgress(readProgress(raw)) };
  const timeoutMs = options.timeoutMs ?? LIMITS.callMs;
  const replied = await requester.request({ method, params }, { timeoutMs, signal: options.signal, ...watching });
  if (replied.kind === 'result') onResult(replied.result);
  const answer = replied.kind === 'result' ? readAnswer(kind, structured(kind, replied.result)) : readRefusal(replied);
  if (!answer.ok) throw new ParleyError('peer/protocol', answer.reason);
  if (answer.value.status === 'answered') return answer.value.body;
  throw refusedAnswer(answer.value);
}

/** A tool of a server that is none of ours may answer with content blocks alone: they are its answer, or why it failed. */
function structured(kind: CallKind, result: JsonObject): JsonObject {
  const { content, structuredContent, isError } = result;
  if (kind !== 'tool' || structuredContent !== undefined || !Array.isArray(content)) return result;
  if (isError !== true) return { ...result, structuredContent: { content } };
  const blocks = (content as readonly JsonValue[]).filter(isJsonObject);
  const name = blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join(' ') || 'the tool failed';
  return { ...result, structuredContent: { code: WIRE_CODES.internal, name, data: {} } };
}

function readProgress(raw: JsonObject): OperatorProgress {
  const { progress, total, message, _meta: meta } = raw;
  const data = isJsonObject(meta) ? meta[PROGRESS_META] : undefined;
  return {
    done: progress as number,
    message: typeof message === 'string' ? message : '',
    ...(typeof total === 'number' ? { total } : {}),
    ...(isJsonObject(data) ? { data } : {}),
  };
}

function refusedAnswer(answer: RawAnswer): ParleyError {
  const data = isJsonObject(answer.body) ? answer.body['data'] : undefined;
  return refused(answer.code ?? 0, answer.reason ?? 'refused', data);
}

function refused(code: number, reason: string, data: JsonValue | undefined): ParleyError {
  return new ParleyError('peer/refused', reason, { data: { code, reason, data: data ?? null } });
}
