// Round trips that were measured over the links of a way: least, average, greatest, and how far they spread. Beside the verdict of a question about
// delay; the whole answer to one about jitter, which nothing here judges.
import type { Diagnosis, ToldTable } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import { type CaseFile, factsOf } from '../engine/facts.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import { type NameNodes, nodeRef } from '../network/node-ref.ts';
import { wayRows } from './path-rows.ts';

const COLUMNS = ['from', 'to', 'least', 'average', 'greatest', 'spread'];

export function withRoundTrips(diagnosis: Diagnosis, file: CaseFile, intent: Intent, nameNodes: NameNodes): Diagnosis {
  if (intent.topic !== 'delay' && intent.topic !== 'jitter') return diagnosis;
  const table = roundTrips(file, intent, nameNodes);
  if (intent.topic === 'delay') return { ...diagnosis, table };
  const { rows } = table;
  const reason = 'round trips of the probes of this question; a table judges nothing';
  return {
    ...diagnosis,
    verdict:
      rows.length > 0
        ? { kind: 'answered', reasons: [reason] }
        : { kind: 'inconclusive', reasons: ['no probe came back over a link of the way'] },
    ...{ findings: [], candidates: [], table },
    sentence:
      rows.length > 0
        ? `Jitter, as the spread of round trips over ${counted(rows.length)}.`
        : 'No round trip was measured.',
    hypothesis: 'none asked for',
  };
}

/** Of the links between nodes of the way, where that is known; else of all links in scope. */
function roundTrips(file: CaseFile, { path, destination }: Intent, nameNodes: NameNodes): ToldTable {
  const way = new Set(wayRows(file.world, path, destination).map(([, node]) => node));
  const isOnWay = ({ from, to }: { readonly from: string; readonly to: string }) =>
    way.size < 2 || (way.has(from) && way.has(to));
  const trips = factsOf(file, 'round-trip').filter(({ value }) => isOnWay(value));
  const rows = trips.map(({ value: { from, to, min, avg, max } }) => [
    ...[nodeRef(from), nodeRef(to)].map(nameNodes),
    ...[min, avg, max, Math.round((max - min) * 100) / 100].map((ms) => `${ms} ms`),
  ]);
  const shown = rows.slice(0, CORRELATE_LIMITS.tableRows);
  return { title: 'Round trips', columns: COLUMNS, rows: shown, left: rows.length - shown.length, notKnown: [] };
}

function counted(links: number): string {
  return `${links} ${links === 1 ? 'link' : 'links'}`;
}
