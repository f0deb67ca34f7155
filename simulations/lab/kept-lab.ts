// One lab for many runs: kept while runs want the same network and leave it as it was, proven healthy before each, with agents that
// remember nothing of the run before; built anew, with a self-test of its cables, whenever any of that fails.
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, ParleyError } from '#base/error.ts';
import { DRIVER_LIMITS } from '#router/drivers/limits.ts';
import { restartAgents } from './agents.ts';
import { waitForBaseline } from './health.ts';
import { downOwn, type LabOptions, type RunningLab, upLab } from './network-lab.ts';
import { runInNode } from './node-processes.ts';
import { createRegistry, labDir } from './registry.ts';
import type { Scenario } from './scenario.ts';
import { selfTest } from './self-test.ts';
import { missingServices } from './services.ts';
import { type SettledRoutes, settledRoutes, waitForRoutes } from './settled-routes.ts';
import { waitUntil } from './wait.ts';

/** An agent listens on the ports that it has found in its first sample: from its second one on. */
const LISTENING_MS = 2_500;
const SERVICES_MS = 30_000;
/** What hosts serve and are asked for is fetched with the next sample, and tried with the look after that: then it is known how it was when it was well. */
const WATCHING_MS = DRIVER_LIMITS.historySampleMs + DRIVER_LIMITS.hostScanMs + 1_000;

export type KeptLabOptions = Omit<LabOptions, 'topologyFile' | 'timers' | 'keep'> & {
  /** How long agents watch the healthy network in use before each run, in milliseconds; absent: until services were heard. */
  readonly watchMs?: number;
};

export type KeptLab = {
  /** A healthy lab for `scenario`, and why it was built anew for it; nothing when it was kept. */
  ready(scenario: Scenario): Promise<{ readonly lab: RunningLab; readonly rebuilt?: string }>;
  /** Something happens to the lab that agents would remember. */
  touched(): void;
  /** The next run gets another one. */
  discard(why: string): Promise<void>;
  down(): Promise<void>;
};

export function createKeptLab(options: KeptLabOptions): KeptLab {
  const say = options.say ?? (() => {});
  let lab: RunningLab | undefined;
  let routes: SettledRoutes | undefined;
  let dirty = false;
  let why = 'first run';
  const discard = async (reason: string) => {
    why = reason;
    const old = lab;
    lab = undefined;
    // What cannot be taken down now is tried again before the next is built.
    await old?.down().catch((error: unknown) => say(`the lab could not be taken down: ${messageOf(error)}`));
  };
  const clearOwn = async () => {
    if (options.name !== undefined) await downOwn(createRegistry(options.dir ?? labDir()), options.name);
  };
  const raise = async (scenario: Scenario) => {
    const rebuilt = why;
    await clearOwn();
    lab = await raiseTested(scenario, options);
    dirty = false;
    await usedAndWell(lab, scenario, options);
    routes = await settledRoutes(lab.record, options.signal);
    return { lab, rebuilt };
  };
  return {
    ready: async (scenario) => {
      if (lab && !fits(lab, scenario)) await discard('another network');
      if (!lab) return raise(scenario);
      try {
        if (dirty) await mended(lab);
        dirty = false;
        await usedAndWell(lab, scenario, options);
        if (routes) await waitForRoutes(lab.record, routes, options.signal);
        return { lab };
      } catch (error) {
        options.signal?.throwIfAborted();
        say(`${scenario.name}: the lab is not healthy any more, building it anew: ${messageOf(error)}`);
        await discard('not healthy');
        return raise(scenario);
      }
    },
    touched: () => {
      dirty = true;
    },
    discard,
    down: async () => {
      await discard('over');
      await clearOwn();
    },
  };
}

/** Agents that have just begun hear from the hosts' users what they would have heard for months: names, pages, addresses. */
async function usedAndWell(
  { record }: RunningLab,
  { inject }: Scenario,
  { watchMs = 0, signal }: Pick<KeptLabOptions, 'watchMs' | 'signal'>,
): Promise<void> {
  await waitForBaseline(record, () => {}, signal);
  if (record.agents !== 'real') return;
  await pause(LISTENING_MS, undefined, signal ? { signal } : {});
  await waitUntil('services answering', () => missingServices(record), {
    timeoutMs: SERVICES_MS,
    intervalMs: 100,
    ...(signal ? { signal } : {}),
  });
  // Whoever is to remember a fault that is over has watched before it began.
  const isOver = inject.some((injection) => 'lastsMs' in injection && injection.lastsMs !== undefined);
  const watchingMs = Math.max(watchMs, isOver ? WATCHING_MS : 0);
  if (watchingMs > 0) await pause(watchingMs, undefined, signal ? { signal } : {});
}

/** With default timers a closed BGP session waits two minutes for its next try: an operator would clear it, and so does the lab. */
async function mended(lab: RunningLab): Promise<void> {
  await restartAgents(lab.record);
  if (lab.record.timers === 'fast') return;
  const routers = lab.record.nodes.filter((node) => node.role === 'router');
  await Promise.all(routers.map((node) => runInNode(node, ['bash', '--norc', '-c', CLEAR_CLOSED_SESSIONS])));
}

const CLEAR_CLOSED_SESSIONS = [
  '[ -S /run/frr/bgpd.vty ] || exit 0',
  `vtysh -c 'show bgp summary json' | tr -d ' \\n\\t' | grep -oE '"[0-9a-f.:]+":\\{"(hostname|remoteAs)[^}]*"state":"[^"]*"' |`,
  `grep -v '"state":"Established"' | cut -d'"' -f2 | sort -u | while read -r peer; do vtysh -c "clear bgp $peer"; done`,
].join('\n');

async function raiseTested(scenario: Scenario, options: KeptLabOptions): Promise<RunningLab> {
  const lab = await upLab({ ...options, topologyFile: scenario.topologyFile, timers: scenario.timers });
  const problems = await selfTest(lab.record);
  if (problems.length === 0) {
    options.say?.('self-test: tx = rx on every cable under TCP load');
    return lab;
  }
  await lab.down();
  throw new ParleyError('node/lab-self-test', `expected perfect cables: ${problems.join('; ')}`);
}

function fits(lab: RunningLab, scenario: Scenario): boolean {
  return lab.topology.file === scenario.topologyFile && lab.record.timers === scenario.timers;
}
