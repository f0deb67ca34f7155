// Runs scenario files: brings their network up (once for many), proves it healthy, injects, lets it settle, asks, scores against the truth,
// takes the fault out. A run whose injection did not land, or is gone afterwards, is invalid: counted and printed, never scored as right.
import { messageOf, ParleyError } from '#base/error.ts';
import { type Answer, askNode } from './ask.ts';
import { waitForBaseline } from './health.ts';
import { inject, type Landed } from './injection.ts';
import { type LabOptions, type RunningLab, upLab } from './network-lab.ts';
import { loadScenario, type Scenario } from './scenario.ts';
import { type Pair, scoreRun } from './scoring.ts';
import { selfTest } from './self-test.ts';
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

export type CampaignOptions = Omit<LabOptions, 'topologyFile' | 'timers' | 'keep'> & {
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
  let lab: RunningLab | undefined;
  const lines: RunLine[] = [];
  try {
    for (const scenario of Array.from({ length: options.repeat ?? 1 }, () => scenarios).flat()) {
      options.signal?.throwIfAborted();
      if (lab && !fits(lab, scenario)) lab = await discard(lab);
      const done: { line: RunLine; clean: boolean } = await runOne(scenario, options, async () => {
        lab ??= await raise(scenario, options);
        return lab;
      });
      lines.push(done.line);
      options.print(done.line);
      if (!done.clean && lab) lab = await discard(lab);
    }
  } finally {
    await lab?.down();
  }
  const invalid = lines.filter((line) => line.invalid !== undefined).length;
  const right = lines.filter((line) => line.invalid === undefined && line.detection === 1 && line.rcaF1 === 1).length;
  return { runs: lines.length, right, wrong: lines.length - right - invalid, invalid };
}

async function runOne(
  scenario: Scenario,
  options: CampaignOptions,
  raised: () => Promise<RunningLab>,
): Promise<{ line: RunLine; clean: boolean }> {
  const say = options.say ?? (() => {});
  let landed: Landed | undefined;
  let problems: string[] = [];
  let asked: { answer?: Answer; failed?: string } = {};
  try {
    const lab = await raised();
    await waitForBaseline(lab.record, () => {}, options.signal);
    landed = await inject(lab.record, scenario.inject);
    if (scenario.inject.length > 0) say(`${scenario.name}: injected, settling ${scenario.settleMs} ms`);
    await pause(scenario.settleMs, options.signal);
    asked = await ask(lab, scenario, options);
    problems = await landed.problems();
  } catch (error) {
    problems = [messageOf(error)];
  }
  const left = landed ? await landed.undo().catch((error: unknown) => [messageOf(error)]) : [];
  if (left.length > 0) say(`${scenario.name}: left in the lab, building it anew: ${left.join('; ')}`);
  options.signal?.throwIfAborted();
  return { line: lineOf(scenario, asked, problems), clean: left.length === 0 && landed !== undefined };
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
  const score = scoreRun({ anomaly: answer?.verdict === 'fault', causes: predicted }, scenario.truth);
  const counts = answer !== undefined && answer.verdict !== 'inconclusive';
  return {
    scenario: scenario.name,
    seconds: answer?.seconds ?? 0,
    verdict: answer?.verdict ?? 'none',
    predicted,
    truth: scenario.truth,
    detection: counts ? score.detection : 0,
    localizationF1: counts ? score.localization.f1 : 0,
    rcaF1: counts ? score.rca.f1 : 0,
    report: answer?.report ?? null,
    ...(problems.length > 0 ? { invalid: problems.join('; ') } : {}),
    ...(failed === undefined ? {} : { failed }),
  };
}

function fits(lab: RunningLab, scenario: Scenario): boolean {
  return lab.topology.file === scenario.topologyFile && lab.record.timers === scenario.timers;
}

async function raise(scenario: Scenario, options: CampaignOptions): Promise<RunningLab> {
  const { print: _print, ask: _ask, repeat: _repeat, mutualTls: _tls, ...labOptions } = options;
  const lab = await upLab({ ...labOptions, topologyFile: scenario.topologyFile, timers: scenario.timers });
  const problems = await selfTest(lab.record);
  if (problems.length === 0) {
    options.say?.('self-test: tx = rx on every cable under TCP load');
    return lab;
  }
  await lab.down();
  throw new ParleyError('node/lab-self-test', `expected perfect cables: ${problems.join('; ')}`);
}

async function discard(lab: RunningLab): Promise<undefined> {
  await lab.down();
  return undefined;
}
