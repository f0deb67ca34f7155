// One run of the crash campaign: a change is played until the process dies at its point; then whatever is left must end in the old or in
// the new configuration as a whole, with the start-up configuration and the neighbour's adjacency to match.
import { fingerprint } from '#router/config/text.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';
import { type NodeUnderTest, SPARE_LINK } from './node-under-test.ts';
import type { CrashRun, Outcome } from './plan.ts';

export type RunResult = {
  readonly run: CrashRun;
  readonly reached: boolean;
  readonly faults: readonly string[];
  /** From death to a settled journal. */
  readonly recoverySeconds: number;
  /** How long after its deadline an unconfirmed change was undone; undefined when it was undone before. */
  readonly lateSeconds?: number;
};

const TIMEOUT_MS = 4_000;
const RECOVERY_MS = 60_000;
const HOLDER = 'campaign';
const TOKEN = 'campaign-token';

export async function playRun(node: NodeUnderTest, run: CrashRun): Promise<RunResult> {
  if (!node.helperLives()) await node.startHelper();
  const before = { running: await node.running(), startup: node.startup(), mtu: await node.spareMtu() };
  node.setPoint({ point: run.point, program: run.program, applying: run.applying });
  const persist = run.persist ? { persist: TOKEN } : {};
  await play(node, run, before.mtu, persist).catch(ignoreDeath);
  await waitUntil('the process to die', () => (node.pointReached() ? undefined : run.point), {
    timeoutMs: run.story === 'deadline' ? TIMEOUT_MS + 20_000 : 2_000,
  }).catch(ignoreMissed);
  const reached = node.pointReached();
  node.clearPoint();
  const diedAt = performance.now();
  const deadlineMs = node.openRecord()?.deadline.wallMs;
  if (run.restarted && !node.helperLives()) await node.startHelper();
  await waitUntil(
    'the change to be settled',
    () => (node.openRecord() === undefined ? undefined : node.openRecord()?.state),
    {
      timeoutMs: RECOVERY_MS,
      intervalMs: 20,
    },
  ).catch(ignoreMissed);
  const recoverySeconds = (performance.now() - diedAt) / 1_000;
  const lateMs = deadlineMs === undefined ? -1 : Date.now() - deadlineMs;
  const faults = await faultsAfter(node, run, before);
  return { run, reached, faults, recoverySeconds, ...(lateMs < 0 ? {} : { lateSeconds: lateMs / 1_000 }) };
}

/** Several lines, one of them removed, and beside them an MTU, so that there is a half-applied state to die in. */
function linesOf(run: CrashRun): readonly string[] {
  const description = ` description run ${run.number}`;
  return [
    `no ipv6 route ${routeOf(run.number - 1)} blackhole`,
    `ipv6 route ${routeOf(run.number)} blackhole`,
    'interface eth1',
    description,
    ` isis metric ${metricOf(run.number)}`,
  ];
}

async function play(node: NodeUnderTest, run: CrashRun, now: number, persist: { persist?: string }): Promise<void> {
  // What ran before may be any earlier run's: its route goes, so that every change removes something.
  const earlier = (await node.running()).match(/^ipv6 route fd00:99:.*$/gm) ?? [];
  const lines = [...earlier.map((line) => `no ${line}`), ...linesOf(run).slice(1)];
  const live = [{ kind: 'link-mtu', ifname: SPARE_LINK, mtu: otherMtu(now), now }];
  await node.ask('edit', { holder: HOLDER, lines, live });
  const committed = await node.ask('commit', { holder: HOLDER, timeoutMs: TIMEOUT_MS, ...persist });
  node.hold(committed['id']);
  const persistId = persist.persist === undefined ? {} : { persistId: persist.persist };
  if (run.story === 'cancel') await node.ask('cancel', { holder: HOLDER, ...persistId });
  if (run.story === 'deadline' && !run.restarted) await node.killHelper();
  if (run.story !== 'confirm') return;
  await node.ask('verified', { commit: String(committed['id']) });
  await node.ask('confirm', { holder: HOLDER, ...persistId });
}

async function faultsAfter(
  node: NodeUnderTest,
  run: CrashRun,
  before: { running: string; startup: string; mtu: number },
): Promise<readonly string[]> {
  const faults: string[] = [];
  const [running, startup] = [await node.running(), node.startup()];
  const ran = outcomeOf(running, before.running, run);
  if (ran !== run.expected) faults.push(`expected the ${run.expected} configuration to run, got ${ran}`);
  const mtu = run.expected === 'old' ? before.mtu : otherMtu(before.mtu);
  const has = await node.spareMtu();
  if (has !== mtu) faults.push(`expected MTU ${mtu} on ${SPARE_LINK}, got ${has}`);
  const starts = outcomeOf(startup, before.startup, run);
  if (starts !== run.expected) faults.push(`expected the ${run.expected} start-up configuration, got ${starts}`);
  const adjacent = async () =>
    (await node.neighbourSeesUs()) && (await node.weSeeNeighbour()) ? undefined : 'an adjacency';
  await waitUntil('the adjacency from both ends', adjacent, { timeoutMs: 15_000 }).catch((error) =>
    faults.push(String(error)),
  );
  if (node.openRecord() !== undefined) faults.push(`expected no open change, got ${node.openRecord()?.state}`);
  return faults;
}

function outcomeOf(text: string, before: string, run: CrashRun): Outcome | 'mixed' {
  if (fingerprint(text) === fingerprint(before)) return 'old';
  const wanted = [
    `description run ${run.number}`,
    `isis metric ${metricOf(run.number)}`,
    `ipv6 route ${routeOf(run.number)} blackhole`,
  ];
  const lines = text.split('\n').map((line) => line.trim());
  const routes = lines.filter((line) => line.startsWith('ipv6 route fd00:99:'));
  return wanted.every((line) => lines.includes(line)) && routes.length === 1 ? 'new' : 'mixed';
}

function otherMtu(mtu: number): number {
  return mtu === 1_500 ? 1_400 : 1_500;
}

function routeOf(number: number): string {
  return `fd00:99:${((number + 16) % 65_536).toString(16)}::/48`;
}

function metricOf(number: number): number {
  return 20 + (number % 60_000);
}

/** The helper died under the call, which is what the run is about; a call that failed otherwise shows in the checks. */
function ignoreDeath(): void {}

/** A point that is not reached is counted by the caller. */
function ignoreMissed(): void {}
