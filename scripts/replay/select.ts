// Picks cases that are as unlike each other as possible and writes them in the names of the present program, without signatures,
// certificates and packets of probes, which diagnosis does not read. Refuses a case whose diagnosis this program does not repeat,
// and one that holds what must not be kept (harmless.ts).
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '#base/json.ts';
import { CASE, decodeCase, encodeCase, loadCases, type Recorded } from './case-files.ts';
import { featuresOf } from './features.ts';
import { unfitIn } from './harmless.ts';
import type { CaseEvidence, ReplayCase } from './replay-case.ts';
import { diagnosisOf, replayCase } from './run.ts';
import { translated } from './translate.ts';

/** All that is selected, compressed. */
const MOST_BYTES = 5_000_000;

type Candidate = { readonly case: ReplayCase; readonly name: string; readonly features: ReadonlySet<string> };
type Selection = { readonly lines: readonly string[]; readonly isGood: boolean };

export function selectCases(count: number, folder: string, files: readonly string[], recorded: Recorded): Selection {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).some((name) => name.endsWith(CASE)))
    throw new Error(`expected no cases in ${folder}, got some: a selection is made whole`);
  const { found, problems } = loadCases(files, recorded);
  const lines = [...problems];
  const candidates = found.flatMap(({ path, case: each }): readonly Candidate[] => {
    const problem = problemOf(each);
    if (problem !== undefined) lines.push(`${path}: left out: ${problem}`);
    return problem === undefined ? [candidateOf(translated(each))] : [];
  });
  let bytes = 0;
  let written = 0;
  for (const { case: chosen, name } of inTurn(candidates)) {
    const packed = encodeCase(chosen);
    if (written === count || bytes + packed.length > MOST_BYTES) break;
    if (!isDeepStrictEqual(diagnosisOf(decodeCase(packed)), chosen.expected))
      throw new Error(`expected the diagnosis of ${chosen.id} to stay the same without packets, got another`);
    writeFileSync(join(folder, name), packed);
    bytes += packed.length;
    written++;
  }
  lines.push(`${written} of ${candidates.length} cases, ${bytes} bytes`);
  return { lines, isGood: true };
}

function problemOf(found: ReplayCase): string | undefined {
  const [difference] = replayCase(found);
  if (difference !== undefined) return `its diagnosis differs in ${difference.what}`;
  if (found.lacking.length > 0) return found.lacking.join(', ');
  return unfitIn(JSON.stringify(found));
}

function candidateOf(found: ReplayCase): Candidate {
  const expected = diagnosisOf(found);
  const faults = [...new Set(expected.findings.map(({ fault }) => fault))].slice(0, 3);
  return {
    case: { ...found, evidence: found.evidence.map(withoutProbes), expected },
    name: `${[expected.verdict.kind, ...faults, found.id].join('-')}${CASE}`,
    features: featuresOf(found, expected),
  };
}

/** Packets of a handshake are read; those of probes are there for people. */
function withoutProbes(entry: CaseEvidence): CaseEvidence {
  const args = entry.request.params['arguments'];
  if (entry.kind !== 'capture' || !isJsonObject(args) || args['filter'] !== 'probe' || !isJsonObject(entry.body))
    return entry;
  const { pcap: _, ...body } = entry.body;
  return { ...entry, body };
}

/** Next comes the case with most that was not seen yet; what was seen often counts little. */
function* inTurn(candidates: readonly Candidate[]): Generator<Candidate> {
  const seen = new Map<string, number>();
  const worthOf = ({ features }: Candidate) =>
    [...features].reduce((sum, each) => sum + 4 ** -(seen.get(each) ?? 0), 0);
  const left = [...candidates].sort((one, other) => (one.name < other.name ? -1 : 1));
  while (left.length > 0) {
    const worths = left.map(worthOf);
    const [next] = left.splice(worths.indexOf(Math.max(...worths)), 1);
    for (const each of next!.features) seen.set(each, (seen.get(each) ?? 0) + 1);
    yield next!;
  }
}
