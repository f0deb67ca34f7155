// Plays the acts on a stage: injects, asks, verifies the report, compares with what was injected. Judges by equality only.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '#base/error.ts';
import { REPOSITORY } from '../lab/node-processes.ts';
import type { Pair } from '../lab/scoring.ts';
import { type Act, INTENT } from './acts.ts';
import { runLive } from './live.ts';
import type { Stage } from './stage.ts';

export type Played = {
  readonly act: string;
  readonly door: Act['door'];
  readonly injected: readonly Pair[];
  readonly found: readonly Pair[];
  readonly verdict: string;
  /** For `healthy`: what proves it. */
  readonly reasons: readonly string[];
  readonly hypothesis: string;
  readonly sentence: string;
  readonly segments: unknown;
  readonly timings: unknown;
  readonly reportFile: string;
  readonly reportVerifies: boolean;
  /** A copy of the report with one byte changed has to fail. */
  readonly tamperedFails: boolean;
  readonly seconds: number;
  readonly right: boolean;
  readonly problems: readonly string[];
};

const MAIN = join(REPOSITORY, 'src/main.ts');

export async function playAct(stage: Stage, act: Act, say: (line: string) => void): Promise<Played> {
  const started = performance.now();
  const file = join(stage.reportFolder, `${act.name}.json`);
  const undo = await stage.inject(act);
  let live: Awaited<ReturnType<typeof runLive>>;
  let left: readonly string[] = [];
  try {
    say(
      `  $ parley ask "${INTENT}"   (${act.door === 'unix-socket' ? 'Unix socket on PE-1' : 'mutual TLS with an operator certificate'})`,
    );
    live = await runLive(stage.askCommand(act, INTENT, file), (line) => say(`    ${line}`));
    await stage.fetchReport(act, file);
  } finally {
    left = await undo().catch((error: unknown) => [messageOf(error)]);
  }
  const { answer } = live;
  const verified = await verify(stage, file);
  const found = ((answer['findings'] ?? []) as readonly Pair[]).map(({ resource, fault }) => ({ resource, fault }));
  const verdict = String((answer['verdict'] as { kind?: string } | undefined)?.kind ?? 'none');
  const hypothesis = String(answer['hypothesis'] ?? '');
  const problems = [
    ...left,
    ...wrongs(act, { found, verdict, hypothesis }),
    ...(verified.ok ? [] : ['the report does not verify']),
  ];
  if (!verified.tamperedFails) problems.push('a changed report verifies');
  return {
    act: act.name,
    door: act.door,
    injected: act.truth,
    found,
    verdict,
    reasons: ((answer['verdict'] as { reasons?: readonly string[] } | undefined)?.reasons ?? []) as readonly string[],
    hypothesis,
    sentence: String(answer['sentence'] ?? ''),
    segments: answer['segments'],
    timings: answer['timings'],
    reportFile: file,
    reportVerifies: verified.ok,
    tamperedFails: verified.tamperedFails,
    seconds: Math.round(performance.now() - started) / 1_000,
    right: problems.length === 0,
    problems,
  };
}

function wrongs(act: Act, said: { found: readonly Pair[]; verdict: string; hypothesis: string }): string[] {
  const key = (pairs: readonly Pair[]) =>
    pairs
      .map((pair) => `${pair.resource} ${pair.fault}`)
      .sort()
      .join(', ');
  const expected = act.truth.length === 0 ? 'healthy' : 'fault';
  return [
    ...(said.verdict === expected ? [] : [`expected verdict ${expected}, got ${said.verdict}`]),
    ...(key(said.found) === key(act.truth) ? [] : [`expected findings {${key(act.truth)}}, got {${key(said.found)}}`]),
    ...act.words
      .filter((word) => !said.hypothesis.includes(word))
      .map((word) => `expected the hypothesis to name ${word}`),
  ];
}

/** `parley report verify`, as anybody would run it, on the file and on a copy with one byte changed. */
async function verify(stage: Stage, file: string): Promise<{ readonly ok: boolean; readonly tamperedFails: boolean }> {
  const command = (path: string) => [
    process.execPath,
    '--conditions=parley-source',
    MAIN,
    'report',
    'verify',
    path,
    '--ca',
    stage.caFile,
    '--json',
  ];
  const whole = await runLive(command(file), () => {});
  const bytes = await readFile(file);
  const tampered = join(stage.reportFolder, 'tampered.json');
  bytes[Math.floor(bytes.length / 2)]! ^= 0x01;
  await writeFile(tampered, bytes);
  const changed = await runLive(command(tampered), () => {});
  await rm(tampered);
  return { ok: whole.exitCode === 0 && whole.answer['ok'] === true, tamperedFails: changed.exitCode === 5 };
}
