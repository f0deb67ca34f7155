// The tool behind `parley report delete`. An admin's: what goes here, no controller gets. The store puts into the audit trail what was
// deleted and by whom (store.ts); a caller that asks for the report afterwards gets the reason (missing-report.ts).
import type { Clock } from '#base/clock.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { type ToolDefinition, WIRE_CODES } from '#model/definition.ts';
import { REPORT_LIMITS } from './limits.ts';
import { missingReport, refusal } from './missing-report.ts';
import { ID_SCHEMA, REPORT_CAPABILITY } from './report-tools.ts';
import type { PagedReportStore } from './store.ts';
import { REPORT_KINDS, type ReportKind, type Selection } from './store-eviction.ts';

const REPORT_DELETE_TOOL = 'parley-report-delete';
/** Ten years: as far as the configuration reaches. */
const OLDEST_MS = 3_650 * 86_400_000;

export type DeleteToolInit = { readonly store: PagedReportStore; readonly clock: Pick<Clock, 'nowMs'> };

export function deleteTool({ store, clock }: DeleteToolInit): ToolDefinition {
  return {
    name: REPORT_DELETE_TOOL,
    title: 'Delete reports',
    description:
      'Deletes the reports with these ids, or all that are old enough and of this verdict, a part at a time.',
    capability: REPORT_CAPABILITY,
    mutability: 'write',
    honoursPaths: true,
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        ids: {
          type: 'array',
          items: ID_SCHEMA,
          minItems: 1,
          maxItems: REPORT_LIMITS.reportsDeletedAtOnce,
          description: 'These reports, and no others',
        },
        verdict: { enum: [...REPORT_KINDS], description: 'All of this verdict' },
        olderThanMs: { type: 'integer', minimum: 0, maximum: OLDEST_MS, description: "By this node's clock." },
      },
      additionalProperties: false,
      minProperties: 1,
    },
    outputSchema: {
      type: 'object',
      required: ['removed', 'more'],
      properties: { removed: { type: 'array', items: { type: 'object' } }, more: { type: 'boolean' } },
    },
    callers: ['operator'],
    listing: 'extended',
    async call(args, { caller }) {
      const selection = selectionOf(args, clock.nowMs());
      const removed = await store.remove(selection, `${caller.kind}/${caller.name}`);
      const missing = selection.ids?.find((id) => removed.every((each) => each.id !== id));
      // The others are gone: a call again with the rest says the same.
      if (missing !== undefined && removed.length === 0) throw await missingReport(store, missing);
      const more = selection.ids === undefined && removed.length === REPORT_LIMITS.reportsDeletedAtOnce;
      return { removed: removed.map((each): JsonValue => ({ ...each })), more };
    },
  };
}

function selectionOf({ ids, verdict, olderThanMs }: JsonObject, nowMs: number): Selection {
  if (Array.isArray(ids)) {
    if (verdict === undefined && olderThanMs === undefined) return { ids: ids.map(String) };
    throw refusal('caller/bad-selection', WIRE_CODES.invalidParams, 'expected ids, or a verdict and an age, got both');
  }
  return {
    ...(verdict === undefined ? {} : { kind: verdict as ReportKind }),
    ...(olderThanMs === undefined ? {} : { beforeMs: nowMs - Number(olderThanMs) }),
  };
}
