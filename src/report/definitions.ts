// The report resources and tools of a node (CARD-6, CARD-8, TS-18, TS-20): each as a resource under the draft's URN, a list with
// a cursor, and the acknowledgement with which a controller says that it has one. Peers get none of it: a report may
// hold what another peer said.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { bad, type Result } from '#base/result.ts';
import { decodeBase64 } from '#codec/base64.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { type ResourceDefinition, type ToolDefinition, WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import type { ReportSummary } from '#model/ports.ts';
import { REPORT_URN, type SealedReport } from '#model/report.ts';
import { type ChainVerifier, reportDigest, verifyCountersignature } from './countersign.ts';
import { deleteTool } from './delete-tool.ts';
import { REPORT_LIMITS } from './limits.ts';
import { missingReport, refusal, removedReport } from './missing-report.ts';
import { REPORT_ID } from './read-report.ts';
import { ID_SCHEMA, REPORT_CAPABILITY } from './report-tools.ts';
import { readCountersignature, sealedReportText } from './seal.ts';
import type { PagedReportStore } from './store.ts';

const REPORT_LIST_TOOL = 'parley-report-list';
const REPORT_FETCH_TOOL = 'parley-report-fetch';
const REPORT_ACKNOWLEDGE_TOOL = 'parley-report-acknowledge';

const READERS: readonly Party['kind'][] = ['operator', 'controller'];

export type ReportDefinitionsInit = {
  readonly store: PagedReportStore;
  /** For controllers' receipts. */
  readonly verifyChain: ChainVerifier;
  readonly clock: Pick<Clock, 'nowMs'>;
};

export function createReportDefinitions(init: ReportDefinitionsInit): {
  readonly resources: readonly ResourceDefinition[];
  readonly tools: readonly ToolDefinition[];
} {
  return {
    resources: [reportResource(init)],
    tools: [listTool(init), fetchTool(init), acknowledgeTool(init), deleteTool(init)],
  };
}

/**
 * The draft's members and ours, as signed, and the file's text beside them in `sealed`. A report that would not fit into a
 * message that way comes with the draft's members and `sealed` only, without `evidence` copied out of it; one that is larger
 * still names its size in `sealedBytes`, and the fetch tool brings it piece by piece.
 */
export function reportBody(sealed: SealedReport): JsonObject {
  const payload = decodeBase64(sealed.report.payload);
  const report = payload.ok ? decodeStrictJson(payload.value) : payload;
  if (!report.ok || !isJsonObject(report.value))
    throw new ParleyError('us/report-damaged', 'expected a report in the store, got something else');
  const text = sealedReportText(sealed);
  const draft = Object.fromEntries(DRAFT_MEMBERS.map((name) => [name, (report.value as JsonObject)[name] ?? null]));
  const whole = { ...report.value, sealed: text };
  if (fits(whole)) return whole;
  const short = { ...draft, evidence: [], sealed: text };
  return fits(short) ? short : { ...draft, evidence: [], sealedBytes: text.length };
}

const DRAFT_MEMBERS = ['id', 'uri', 'creator', 'created', 'hypothesis', 'signatures'];
/** Room for the message around the content: JSON-RPC members, `_meta` with the envelope. */
const MESSAGE_OVERHEAD_BYTES = 16_384;

/** Resource contents travel as a string of JSON within JSON. */
function fits(body: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(body))) + MESSAGE_OVERHEAD_BYTES <= LIMITS.bodyBytes;
}

function reportResource({ store }: ReportDefinitionsInit): ResourceDefinition {
  return {
    name: 'report',
    title: 'Troubleshooting report',
    description: 'A signed roll-up report of this node. `sealed` is the file that `parley report verify` checks.',
    uriTemplate: `${REPORT_URN}{id}`,
    mimeType: 'application/json',
    capability: REPORT_CAPABILITY,
    callers: READERS,
    serves: (uri) => idOf(uri) !== undefined,
    async read(uri) {
      const id = idOf(uri);
      if (id === undefined) return undefined;
      const sealed = await store.get(id);
      if (sealed !== undefined) return reportBody(sealed);
      const removal = await store.removalOf(id);
      if (removal !== undefined) throw removedReport(removal);
      return undefined;
    },
    /** The newest; the list tool has a cursor for the rest. */
    async list() {
      const { reports } = await store.page();
      return reports.map((each) => ({
        uri: each.uri,
        name: each.id,
        description: `${each.created} ${each.hypothesis}`,
        mimeType: 'application/json',
      }));
    },
  };
}

function listTool({ store }: ReportDefinitionsInit): ToolDefinition {
  return {
    name: REPORT_LIST_TOOL,
    title: 'List reports',
    description: 'Summaries of the reports of this node, newest first, a page at a time.',
    capability: REPORT_CAPABILITY,
    mutability: 'read',
    inputSchema: {
      type: 'object',
      properties: {
        cursor: { type: 'string', maxLength: 15, description: 'nextCursor of the page before' },
        limit: { type: 'integer', minimum: 1, maximum: LIMITS.reportPage, description: 'Most summaries' },
        unacknowledged: { type: 'boolean', description: 'Only those that the caller has not acknowledged.' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['reports'],
      properties: {
        reports: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string' },
              uri: { type: 'string', description: 'To read it' },
              created: { type: 'string' },
              hypothesis: { type: 'string' },
            },
          },
        },
        nextCursor: { type: 'string' },
        store: { type: 'object', description: 'With the first page: how full the store is, and what it lost.' },
      },
    },
    callers: READERS,
    async call(args, { caller }) {
      const { cursor, limit, unacknowledged } = args;
      const page = await store
        .page({
          ...(typeof cursor === 'string' ? { cursor } : {}),
          ...(typeof limit === 'number' ? { limit } : {}),
          ...(unacknowledged === true ? { notAcknowledgedBy: caller.name } : {}),
        })
        .catch(asInvalidParams);
      const reports = page.reports.map((each: ReportSummary): JsonValue => ({ ...each }));
      return {
        reports,
        ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
        ...(cursor === undefined ? { store: (await store.status()) as unknown as JsonObject } : {}),
      };
    },
  };
}

/** For reports of any size: the file's text in pieces that fit into a frame. */
function fetchTool({ store }: ReportDefinitionsInit): ToolDefinition {
  return {
    name: REPORT_FETCH_TOOL,
    title: 'Fetch a report file',
    description: 'A piece of the report file from `offset` on, until there is no `nextOffset`.',
    capability: REPORT_CAPABILITY,
    mutability: 'read',
    inputSchema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { ...ID_SCHEMA, description: 'Of the report' },
        offset: {
          type: 'integer',
          minimum: 0,
          maximum: LIMITS.reportBytes,
          description: 'nextOffset of the piece before',
        },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['id', 'totalChars', 'text'],
      properties: {
        id: ID_SCHEMA,
        totalChars: { type: 'integer' },
        text: { type: 'string' },
        nextOffset: { type: 'integer' },
      },
    },
    callers: READERS,
    listing: 'extended',
    async call(args) {
      const id = String(args['id']);
      const sealed = await store.get(id);
      if (sealed === undefined) throw await missingReport(store, id);
      const text = sealedReportText(sealed);
      const offset = Number(args['offset'] ?? 0);
      const end = offset + REPORT_LIMITS.reportPieceChars;
      const piece = { id, totalChars: text.length, text: text.slice(offset, end) };
      return end < text.length ? { ...piece, nextOffset: end } : piece;
    },
  };
}

function acknowledgeTool(init: ReportDefinitionsInit): ToolDefinition {
  return {
    name: REPORT_ACKNOWLEDGE_TOOL,
    title: 'Acknowledge a report',
    description: 'Says that the calling controller has the report. A signed receipt becomes part of the report file.',
    capability: REPORT_CAPABILITY,
    // Changes nothing of the device, only what this node may forget.
    mutability: 'read',
    inputSchema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: ID_SCHEMA,
        receipt: { type: 'object', description: 'Countersignature over the report digest.' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['id', 'acknowledged'],
      properties: { id: ID_SCHEMA, acknowledged: { type: 'boolean' } },
    },
    callers: ['controller'],
    async call(args, { caller }) {
      const id = String(args['id']);
      const sealed = await init.store.get(id);
      if (sealed === undefined) throw await missingReport(init.store, id);
      const receipt = args['receipt'];
      if (receipt !== undefined) {
        const checked = checkReceipt(receipt, sealed, caller, init);
        if (!checked.ok) throw refusal('caller/bad-receipt', WIRE_CODES.invalidParams, `receipt: ${checked.reason}`);
      }
      const acknowledged = await init.store.acknowledge(id, caller.name, receipt ?? null);
      return { id, acknowledged };
    },
  };
}

/** A receipt is kept for good and goes into the file: no caller leaves another's, or one over another report. */
function checkReceipt(
  value: JsonValue,
  sealed: SealedReport,
  caller: Party,
  init: ReportDefinitionsInit,
): Result<unknown> {
  const receipt = readCountersignature(value);
  if (!receipt.ok) return receipt;
  if (receipt.value.role !== 'controller' || receipt.value.by !== caller.name)
    return bad('expected that of the calling controller');
  const verified = verifyCountersignature(receipt.value, reportDigest(sealed), init.verifyChain);
  if (!verified.ok) return verified;
  // A receipt dated back would lend an old date to a new report.
  const awayMs = Math.abs(verified.value.timeMs - init.clock.nowMs());
  return awayMs <= LIMITS.receiptSkewMs ? verified : bad("expected a time near this node's own");
}

function idOf(uri: string): string | undefined {
  const id = uri.startsWith(REPORT_URN) ? uri.slice(REPORT_URN.length) : '';
  return REPORT_ID.test(id) ? id : undefined;
}

function asInvalidParams(error: unknown): never {
  if (error instanceof ParleyError && error.code.startsWith('caller/')) {
    throw new ParleyError(error.code, error.message, { data: { wireCode: WIRE_CODES.invalidParams }, cause: error });
  }
  throw error;
}
