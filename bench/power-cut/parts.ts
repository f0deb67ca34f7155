// All kinds of kept state that are cut, by name.
import type { Part } from './part.ts';
import { audit } from './parts/audit.ts';
import { consents } from './parts/consents.ts';
import { enrolment } from './parts/enrolment.ts';
import { journal } from './parts/journal.ts';
import { keptTimes } from './parts/kept-times.ts';
import { nonces } from './parts/nonces.ts';
import { reports } from './parts/reports.ts';

export const PARTS: readonly Part[] = [audit, reports, nonces, consents, journal, enrolment, keptTimes];

/** Folder of a part below the recorded one. */
export function folderOf({ name }: Part): string {
  return name.replaceAll(' ', '-');
}
