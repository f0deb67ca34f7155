// Why a report cannot be given: it never was on this node, or it was removed, when and for what (CARD-8).
import { ParleyError } from '#base/error.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { PagedReportStore } from './store.ts';
import type { Removal } from './store-eviction.ts';

/** Says why a report that was here is not, so that no caller takes one that was removed for one that never was. */
export async function missingReport(store: Pick<PagedReportStore, 'removalOf'>, id: string): Promise<ParleyError> {
  const removal = await store.removalOf(id);
  return removal === undefined ? unknownReport() : removedReport(removal);
}

export function removedReport({ id, removed, reason, acknowledged, by }: Removal): ParleyError {
  const why = {
    room: 'because the store was full',
    age: 'because it was older than its kind is kept',
    deleted: `because ${by} deleted it`,
  }[reason];
  const had = acknowledged ? 'a controller has it' : 'no controller had acknowledged it';
  const message = `report ${id} was removed on ${removed} ${why}; ${had}`;
  return refusal('caller/report-removed', WIRE_CODES.resourceNotFound, message);
}

function unknownReport(): ParleyError {
  return refusal(
    'caller/unknown-report',
    WIRE_CODES.resourceNotFound,
    'expected the id of a report of this node: parley report list has them',
  );
}

/** An error with the code that callers see. */
export function refusal(code: `caller/${string}`, wireCode: number, message: string): ParleyError {
  return new ParleyError(code, message, { data: { wireCode } });
}
