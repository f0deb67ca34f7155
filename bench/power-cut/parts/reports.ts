// The report store: a report that was answered for is there as a whole or its removal is, a receipt stays, a report that an operator deleted does
// not come back. The quota is small, so that reports are evicted.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { PAYLOAD_TYPES } from '#model/envelope.ts';
import type { SealedReport } from '#model/report.ts';
import { sealedReportText } from '#report/seal.ts';
import { openReportStore, REPORT_DATABASE } from '#report/store.ts';
import { openReportDatabase, type ReportDatabase } from '#report/store-database.ts';
import type { StoreLimits } from '#report/store-eviction.ts';
import { checkReportDatabase } from '#report/store-sqlite.ts';
import { type After, acksOf, attemptsOf, type Part } from '../part.ts';

const YEAR_MS = 365 * 86_400_000;
const LIMITS: StoreLimits = {
  ...{ count: 60, bytes: 400_000 },
  keepMs: { healthy: YEAR_MS, inconclusive: YEAR_MS, fault: YEAR_MS, acknowledged: YEAR_MS },
};
const VERDICTS = ['healthy', 'inconclusive', 'fault'];

export const reports: Part = {
  name: 'reports',
  async work({ dir, number, random, operations, attempt, ack }) {
    const store = await openReportStore({ dir, clock: createSystemClock(), limits: LIMITS, record: async () => {} });
    const own: string[] = [];
    for (let done = 0; done < operations / 4; done++) {
      const id = `${number}-${done}`;
      const sealed = sealedOf(random);
      const verdict = VERDICTS[Math.floor(random() * VERDICTS.length)]!;
      attempt({ what: 'put', id, sha256: sha256(sealedReportText(sealed)) });
      const isKept = await store.put(id, sealed, summaryOf(id, verdict)).then(
        () => true,
        () => false,
      );
      if (isKept) ack({ what: 'put', id });
      if (isKept) own.push(id);
      const other = own[Math.floor(random() * own.length)];
      if (other === undefined) continue;
      const luck = random();
      if (luck < 0.15 && (await store.acknowledge(other, 'noc', null))) ack({ what: 'receipt', id: other });
      if (luck > 0.9) {
        attempt({ what: 'deleted', id: other });
        const [removed] = await store.remove({ ids: [other] }, 'operator/ann');
        if (removed !== undefined) ack({ what: 'deleted', id: other });
      }
    }
    await store.close();
  },
  async check(after) {
    const path = join(after.dir, REPORT_DATABASE);
    const found = await checkReportDatabase(path);
    if (found.kind === 'damaged') return [`the database is damaged: ${found.reason}`];
    // As the store's thread does it.
    const database = openReportDatabase(path, LIMITS);
    try {
      return [...faultsOfPromised(after, database), ...faultsOfAll(after, database)];
    } finally {
      database.close();
    }
  },
};

function faultsOfPromised({ notes }: After, database: ReportDatabase): string[] {
  const faults: string[] = [];
  for (const { id } of acksOf(notes, 'put'))
    if (database.get(String(id)) === undefined && database.removalOf(String(id)) === undefined)
      faults.push(`report ${id} is lost`);
  for (const { id } of acksOf(notes, 'deleted'))
    if (database.get(String(id)) !== undefined) faults.push(`report ${id} was deleted, and is there again`);
  for (const { id } of acksOf(notes, 'receipt'))
    if (database.get(String(id))?.receipts.length === 0) faults.push(`the receipt of report ${id} is lost`);
  return faults;
}

/** Also what was never answered for is there as a whole or not at all. */
function faultsOfAll({ notes }: After, database: ReportDatabase): string[] {
  const digests = new Map(attemptsOf(notes, 'put').map(({ id, sha256: digest }) => [id, digest]));
  const faults: string[] = [];
  const { reports: listed } = database.page({ limit: LIMITS.count });
  for (const { id } of listed)
    if (sha256(database.get(id)?.text ?? '') !== digests.get(id)) faults.push(`report ${id} is not as it was put`);
  if (database.status().count !== listed.length)
    faults.push(`${database.status().count} reports, ${listed.length} in the list`);
  return faults;
}

function sealedOf(random: () => number): SealedReport {
  // Octets that do not compress: of some hundred to some ten thousand, over many pages of the database.
  const payload = Array.from({ length: 20 + Math.floor(random() ** 4 * 1_500) }, () =>
    Math.floor(random() * 2 ** 32).toString(36),
  );
  return {
    schemaVersion: 1,
    report: { payloadType: PAYLOAD_TYPES.report, payload: payload.join(''), signature: 'c2lnbmF0dXJl' },
    creatorChain: [],
    countersignatures: [],
  };
}

function summaryOf(id: string, verdict: string) {
  const text = { intent: 'is there loss', hypothesis: `of ${id}`, sentence: 'There is none.' };
  return { id, uri: `report/${id}`, created: '2026-01-01T00:00:00.000Z', creator: 'r1', verdict, ...text };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
