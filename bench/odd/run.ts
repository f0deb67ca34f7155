// One drawn network from nothing to down again: its own check, the agents' watch, the fault and whether users feel it, the questions. Whatever
// does not count is said (`invalid`): a network whose own check fails, or a fault that did not stay.
import { messageOf } from '#base/error.ts';
import type { OddCase, Question } from '../../simulations/generate/odd/draw.ts';
import type { Flow } from '../../simulations/generate/odd/model.ts';
import { writeOdd } from '../../simulations/generate/odd/write.ts';
import { restartAgents } from '../../simulations/lab/agents.ts';
import { type ForeignAnswer, put, tellAgents } from '../../simulations/lab/foreign/run.ts';
import { agentsAnswering, type BaselineCheck, waitForBaseline } from '../../simulations/lab/health.ts';
import { inject } from '../../simulations/lab/injection.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import type { LabRecord } from '../../simulations/lab/registry.ts';
import { failingChecks, harmIn, measureFlows } from '../../simulations/lab/user-flows.ts';
import { pause } from '../../simulations/lab/wait.ts';
import type { OddAnswer } from './score.ts';

export type OddRun = {
  readonly answers: readonly OddAnswer[];
  /** How users' traffic fared worse while the questions were asked. */
  readonly harm: readonly string[];
  readonly invalid?: string;
};

export type RunOptions = {
  readonly folder: string;
  readonly prefix: string;
  /** What agents see of the healthy network before anything happens. */
  readonly watchMs: number;
  readonly say: (line: string) => void;
  /** Of this case alone, which may take too long. */
  readonly signal: AbortSignal;
  /** Of the whole run. */
  readonly ended: AbortSignal;
  /** Hears each whole answer, of a node of this lab. */
  readonly keep?: (answer: ForeignAnswer, index: number, lab: LabRecord) => Promise<void>;
};

/** Time that a fault has before it is asked about: sessions notice by their timers. */
const SETTLE_MS = 8_000;
/** LLDP neighbours of an interface that was up for a moment are gone after four of their seconds. */
const FORGOTTEN_MS = 5_000;
/** Between two uses of everything by hosts, while agents watch. */
const USE_EACH_MS = 3_000;
/** Learned and static routes move when a link goes: they follow from the fault. */
const FOLLOWING = /^node [^:]+: (?:routes[46] ?)+changed during the run$/;

export async function runOdd(entry: OddCase, options: RunOptions): Promise<OddRun> {
  let lab: RunningLab | undefined;
  try {
    lab = await raised(entry, options);
    return await asked(entry, lab.record, options);
  } catch (error) {
    options.ended.throwIfAborted();
    return { answers: [], harm: [], invalid: messageOf(error).slice(0, 400) };
  } finally {
    await lab?.down();
  }
}

async function raised(entry: OddCase, options: RunOptions): Promise<RunningLab> {
  const { draft, flows, routerChecks } = entry;
  const baseline = (lab: LabRecord): readonly BaselineCheck[] => [
    { step: 'hosts use each other', missing: async () => (await failingChecks(lab, flows, routerChecks))[0] },
    ...agentsAnswering(lab),
  ];
  const withoutAgent = draft.routers.filter(({ hasAgent }) => !hasAgent).map(({ name }) => name);
  const { prefix, say, signal } = options;
  const topologyFile = await writeOdd(draft, options.folder);
  const lab = await upLab({
    topologyFile,
    prefix,
    name: `${draft.name}-${prefix}`,
    say,
    signal,
    withoutAgent,
    baseline,
    dist: true,
  });
  try {
    await begunAnew(lab, entry, options);
  } catch (error) {
    await lab.down();
    throw error;
  }
  return lab;
}

/**
 * Agents begin when the network has long been as it is: what its interfaces did while it started is forgotten. Each is told of the others
 * where LLDP does not show them.
 */
async function begunAnew(lab: RunningLab, { draft }: OddCase, options: RunOptions): Promise<void> {
  await pause(FORGOTTEN_MS, options.signal);
  if (draft.isTold) {
    const told = draft.routers.filter(({ hasAgent }) => hasAgent);
    const addresses = told.map(({ name, loopback4, loopback6 }) => [name, loopback6 ?? loopback4!]);
    await tellAgents(lab.record, { static: Object.fromEntries(addresses) }, options);
  }
  await restartAgents(lab.record);
  await waitForBaseline(lab.record, () => {}, options.signal, agentsAnswering(lab.record));
}

async function asked(entry: OddCase, lab: LabRecord, options: RunOptions): Promise<OddRun> {
  const { fault, flows, measured, routerChecks } = entry;
  await watched(entry, lab, options);
  const before = await measureFlows(lab, measured);
  const failing = await failingChecks(lab, flows, routerChecks);
  if (failing.length > 0) return { answers: [], harm: [], invalid: `its own check: ${failing.join('; ')}` };
  const landed = fault && (await inject(lab, fault.inject));
  try {
    if (fault !== undefined) await pause(SETTLE_MS, options.signal);
    const harm: ReadonlyMap<Flow, string> =
      fault === undefined ? new Map() : harmIn(before, await measureFlows(lab, measured));
    for (const line of harm.values()) options.say(`harm: ${line}`);
    const answers: OddAnswer[] = [];
    for (const [index, question] of entry.questions.entries()) {
      const answer = await put(lab, question, { dist: true });
      await options.keep?.(answer, index, lab);
      const { printed: _printed, ...rest } = answer;
      answers.push({ ...rest, isHarmed: isHarmed(question, harm) });
    }
    const problems = landed === undefined ? await failingChecks(lab, flows, routerChecks) : await landed.problems();
    const counting = problems.filter((problem) => !FOLLOWING.test(problem));
    const invalid = counting.length === 0 ? {} : { invalid: `afterwards: ${counting.join('; ')}` };
    return { answers, harm: [...harm.values()], ...invalid };
  } finally {
    await landed?.undo().catch((error: unknown) => options.say(`undoing: ${messageOf(error)}`));
  }
}

/** A question about two hosts is about all that one does with that address of the other. */
function isHarmed({ flow }: Question, harm: ReadonlyMap<Flow, string>): boolean {
  if (flow === undefined) return harm.size > 0;
  return [...harm.keys()].some(({ from, address }) => from === flow.from && address === flow.address);
}

/** Users' traffic goes on while agents watch: a host that sends nothing is not heard. */
async function watched({ flows }: OddCase, lab: LabRecord, { watchMs, signal }: RunOptions): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < watchMs) {
    await pause(Math.min(USE_EACH_MS, watchMs), signal);
    await failingChecks(lab, flows, []);
  }
}
