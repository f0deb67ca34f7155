// Runs scenario files: brings their network up (once for many), proves it healthy, injects, lets it settle, asks, scores against the truth,
// takes the fault out. A run whose injection did not land, or is gone afterwards, is invalid: counted and printed, never scored as right.
import { messageOf, ParleyError } from '#base/error.ts';
import { type Answer, askNode } from './ask.ts';
import { inject, type Landed } from './injection.ts';
import { createKeptLab, type KeptLab, type KeptLabOptions } from './kept-lab.ts';
import type { RunningLab } from './network-lab.ts';
import { loadScenario, type Scenario } from './scenario.ts';
import { type Pair, scoreAnswer } from './scoring.ts';
import { pause } from './wait.ts';

export type RunLine = {
  readonly scenario: string;
  /** From the question to the answer. */
  readonly seconds: number;
  readonly verdict: string;
  readonly predicted: readonly Pair[];
  readonly truth: readonly Pair[];
  readonly detection: number;
  readonly localizationF1: number;
  readonly rcaF1: number;
  readonly report: string | null;
  /** Seconds of the run beside the question, by what they went to. */
  readonly overhead?: Readonly<Record<string, number>>;
  /** Why the lab was built for this run. */
  readonly rebuilt?: string;
  /** Why the run does not count. */
  readonly invalid?: string;
  /** Why there is no answer; the run counts, as wrong. */
  readonly failed?: string;
};

export type Summary = {
  readonly runs: number;
  readonly right: number;
  readonly wrong: number;
  readonly invalid: number;
};

export type CampaignOptions = KeptLabOptions & {
  readonly repeat?: number;
  readonly mutualTls?: boolean;
  /** Hears each line as soon as it is known. */
  readonly print: (line: RunLine) => void;
  /** Stands in for `parley ask` in tests. */
  readonly ask?: typeof askNode;
};

/** Loads all scenarios; throws with the problems of all of them at once. */
export async function loadScenarios(files: readonly string[]): Promise<Scenario[]> {
  const loaded = await Promise.all(files.map(loadScenario));
  const problems = loaded.flatMap((result, index) => (result.ok ? [] : [`${files[index]}:\n${result.reason}`]));
  if (problems.length > 0) throw new ParleyError('caller/scenario', problems.join('\n'));
  return loaded.flatMap((result) => (result.ok ? [result.value] : []));
}

export async function runCampaign(scenarios: readonly Scenario[], options: CampaignOptions): Promise<Summary> {
  const { print, ask: _ask, repeat, mutualTls: _tls, ...labOptions } = options;
  const kept = createKeptLab(labOptions);
  const lines: RunLine[] = [];
  try {
    for (const scenario of Array.from({ length: repeat ?? 1 }, () => scenarios).flat()) {
      options.signal?.throwIfAborted();
      const line = await runOne(scenario, kept, options);
      lines.push(line);
      print(line);
    }
  } finally {
    await kept.down();
  }
  const invalid = lines.filter((line) => line.invalid !== undefined).length;
  const right = lines.filter((line) => line.invalid === undefined && line.detection === 1 && line.rcaF1 === 1).length;
  return { runs: lines.length, right, wrong: lines.length - right - invalid, invalid };
}

async function runOne(scenario: Scenario, kept: KeptLab, options: CampaignOptions): Promise<RunLine> {
  const say = options.say ?? (() => {});
  const watch = stopwatch();
  let landed: Landed | undefined;
  let rebuilt: string | undefined;
  let problems: string[] = [];
  let asked: { answer?: Answer; failed?: string } = {};
  try {
    const ready = await kept.ready(scenario);
    rebuilt = ready.rebuilt;
    watch.lap(rebuilt === undefined ? 'baseline' : 'lab');
    if (scenario.inject.length > 0) kept.touched();
    landed = await inject(ready.lab.record, scenario.inject);
    watch.lap('inject');
    if (scenario.inject.length > 0) say(`${scenario.name}: injected, settling ${scenario.settleMs} ms`);
    await pause(scenario.settleMs, options.signal);
    watch.lap('settle');
    asked = await ask(ready.lab, scenario, options);
    watch.lap('question');
    problems = await landed.problems();
    watch.lap('check');
  } catch (error) {
    problems = [messageOf(error)];
    watch.lap('failed');
  }
  const left = landed === undefined ? ['no injection to undo'] : await undone(landed);
  watch.lap('undo');
  if (left.length > 0) {
    say(`${scenario.name}: building the lab anew: ${left.join('; ')}`);
    await kept.discard('something was left behind');
  }
  options.signal?.throwIfAborted();
  const { question: _question, ...overhead } = watch.seconds();
  return { ...lineOf(scenario, asked, problems), overhead, ...(rebuilt === undefined ? {} : { rebuilt }) };
}

function undone(landed: Landed): Promise<string[]> {
  return landed.undo().catch((error: unknown) => [messageOf(error)]);
}

/** Seconds between its laps, by name. */
function stopwatch() {
  const laps: Record<string, number> = {};
  let since = performance.now();
  return {
    lap: (name: string) => {
      const now = performance.now();
      laps[name] = Math.round(now - since) / 1_000;
      since = now;
    },
    seconds: (): Readonly<Record<string, number>> => laps,
  };
}

async function ask(
  lab: RunningLab,
  scenario: Scenario,
  options: CampaignOptions,
): Promise<{ answer?: Answer; failed?: string }> {
  const node = lab.record.nodes.find((entry) => entry.name === scenario.ask.node);
  if (!node) throw new ParleyError('caller/scenario', `ask.node: there is no node ${scenario.ask.node}`);
  const asking = options.ask ?? askNode;
  try {
    const how = { ...(options.dist ? { dist: true } : {}), ...(options.mutualTls ? { mutualTls: true } : {}) };
    return { answer: await asking(node, lab.record, scenario.ask.intent, how) };
  } catch (error) {
    return { failed: messageOf(error) };
  }
}

export function lineOf(
  scenario: Scenario,
  asked: { answer?: Answer; failed?: string },
  problems: readonly string[],
): RunLine {
  const { answer, failed } = asked;
  const predicted = answer?.findings ?? [];
  const verdict = answer?.verdict ?? 'none';
  const score = scoreAnswer({ verdict, causes: predicted }, scenario.truth);
  return {
    scenario: scenario.name,
    seconds: answer?.seconds ?? 0,
    verdict,
    predicted,
    truth: scenario.truth,
    detection: score.detection,
    localizationF1: score.localization.f1,
    rcaF1: score.rca.f1,
    report: answer?.report ?? null,
    ...(problems.length > 0 ? { invalid: problems.join('; ') } : {}),
    ...(failed === undefined ? {} : { failed }),
  };
}
