// `npm run replay -- PATH…`: diagnoses kept reports again from their own evidence and prints whether each diagnosis is the same
// (docs/replay.md). Verifies no signature; writes files only for --record and --select. Exits with 1 when something differs, with 2
// when it was called wrongly.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '#base/error.ts';
import { CASE, caseFiles, loadCases, type Recorded, storeRecorded } from './replay/case-files.ts';
import { idLines } from './replay/id-forms.ts';
import { firstOfEachKind, partialConclusionsOf } from './replay/partial.ts';
import { diagnosisOf, type Replayed, replayFile, type Wanted } from './replay/run.ts';
import { selectCases } from './replay/select.ts';
import { exitCodeOf, linesOf, summaryOf, sumsOf } from './replay/summary.ts';
import { surveyLines } from './replay/survey.ts';
import { translated } from './replay/translate.ts';

const USAGE = `usage: npm run replay -- [options] PATH…      (files and folders of exported reports, or of selected cases)
  --words-may-differ      words that differ are listed, and are no failure
  --expected FOLDER       recorded diagnoses are read from, and written to, this folder instead of beside each file
  --wanted FILE           differences that are meant (default scripts/replay/wanted.json)
  --json                  one JSON object
  --record                writes NAME.expected.json: what this program diagnoses
  --select N FOLDER       writes N cases of PATH…, as different as they come, without signatures
  --record-partial FILE   writes what is concluded of the first case of each kind when parts of its evidence are not there
  --table                 what kinds of cases there are
  --ids                   how many calls of each form there are, and every id that has none`;

const OPTIONS = {
  'words-may-differ': { type: 'boolean' },
  expected: { type: 'string' },
  wanted: { type: 'string' },
  json: { type: 'boolean' },
  record: { type: 'boolean' },
  'record-partial': { type: 'string' },
  select: { type: 'string' },
  table: { type: 'boolean' },
  ids: { type: 'boolean' },
} as const;

type Flags = ReturnType<typeof parsed>['values'];

function parsed(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

function main(args: readonly string[]): number {
  const { values, positionals } = parsed(args);
  const recorded = values.expected === undefined ? {} : { folder: values.expected };
  if (values.select !== undefined) return select(values.select, positionals, recorded);
  const files = caseFiles(positionals);
  if (files.length === 0) throw new Error('expected files or folders of reports, got none');
  if (values.record === true) return record(files, recorded);
  if (values['record-partial'] !== undefined) return recordPartial(files, values['record-partial']);
  if (values.ids === true) return print(idLines(files));
  if (values.table === true) return print(surveyLines(files));
  return replay(files, recorded, values);
}

function replay(files: readonly string[], recorded: Recorded, flags: Flags): number {
  const wantedFile = flags.wanted ?? join(import.meta.dirname, 'replay/wanted.json');
  const wanted = JSON.parse(readFileSync(wantedFile, 'utf8')) as Wanted;
  const started = performance.now();
  const all = files.map((file): Replayed => {
    const replayed = replayFile(file, recorded, wanted);
    if (flags.json !== true) for (const line of linesOf(replayed)) console.log(line);
    return replayed;
  });
  const [sums, seconds] = [sumsOf(all), (performance.now() - started) / 1_000];
  const cases = all.filter(({ state }) => state !== 'equal');
  console.log(
    flags.json === true ? JSON.stringify({ schemaVersion: 1, ...sums, seconds, cases }) : summaryOf(sums, seconds),
  );
  return exitCodeOf(sums, flags['words-may-differ'] === true);
}

function record(files: readonly string[], recorded: Recorded): number {
  const { found, problems } = loadCases(files);
  for (const { path, case: each } of found) storeRecorded(path, recorded, each.id, diagnosisOf(translated(each)));
  return print({ lines: [...problems, `${found.length} recorded`], isGood: problems.length === 0 });
}

function recordPartial(files: readonly string[], to: string): number {
  const cases = firstOfEachKind(files).map((file, index) => [basename(file, CASE), partialConclusionsOf(file, index)]);
  writeFileSync(to, `${JSON.stringify(Object.fromEntries(cases), undefined, 2)}\n`);
  return print({ lines: [`${cases.length} recorded`], isGood: true });
}

function select(count: string, [folder, ...paths]: readonly string[], recorded: Recorded): number {
  if (!/^[1-9][0-9]{0,3}$/.test(count) || folder === undefined || paths.length === 0) throw new Error(USAGE);
  return print(selectCases(Number(count), folder, caseFiles(paths), recorded));
}

function print({ lines, isGood }: { readonly lines: readonly string[]; readonly isGood: boolean }): number {
  for (const line of lines) console.log(line);
  return isGood ? 0 : 1;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  console.error(messageOf(error));
  console.error(USAGE);
  process.exitCode = 2;
}
