// How users' traffic fares, measured at the hosts themselves and without Parley: echoes small and large, and pages, before and during a fault.
import pLimit from 'p-limit';
import { flowCheck, flowText, type RouterCheck } from '../generate/odd/flows.ts';
import type { Flow } from '../generate/odd/model.ts';
import { runInNetwork } from './node-processes.ts';
import type { LabRecord } from './registry.ts';

/** What came back. */
export type Fared = {
  readonly flow: Flow;
  /** Of `SMALL` echoes of 56 octets, and of `LARGE` ones of 1,400 octets, sent at 5 Mbit/s. */
  readonly small: number;
  readonly large: number;
  readonly averageMs: number;
  /** Of `PAGES` tries. */
  readonly pages: number;
};

const [SMALL, LARGE, PAGES] = [100, 200, 3];
const LARGE_OCTETS = 1_372;
const TRY_MS = 30_000;
/** More than a busy machine loses by itself. */
const [LOST_MORE, LARGE_LOST_MORE, LATER_MS] = [3, 8, 20];

/** Each flow that must work, tried as often as tells a share of loss; one host after the other, so that they do not disturb each other. */
export async function measureFlows(lab: LabRecord, flows: readonly Flow[]): Promise<readonly Fared[]> {
  const byHost = Map.groupBy(
    flows.filter(({ works }) => works),
    ({ from }) => from,
  );
  const groups = await Promise.all(
    [...byHost.values()].map(async (group) => {
      const fared: Fared[] = [];
      for (const flow of group) fared.push(await measureFlow(lab, flow));
      return fared;
    }),
  );
  return groups.flat();
}

async function measureFlow(lab: LabRecord, flow: Flow): Promise<Fared> {
  const none = { flow, small: 0, large: 0, averageMs: 0, pages: 0 };
  if (flow.kind === 'http') {
    const tries = Array.from({ length: PAGES }, () => runAt(lab, flow, flowCheck(flow)));
    return { ...none, pages: (await Promise.all(tries)).filter(({ exitCode }) => exitCode === 0).length };
  }
  const ping = (count: number, more: string) =>
    runAt(lab, flow, `ping -n -q -c ${count} -W 1 ${more} ${flow.address}; true`);
  const small = await ping(SMALL, '-i 0.01');
  const large = await ping(LARGE, `-i 0.002 -s ${LARGE_OCTETS}`);
  return {
    ...none,
    small: receivedOf(small.stdout),
    large: receivedOf(large.stdout),
    averageMs: Number(/= [\d.]+\/([\d.]+)\//.exec(small.stdout)?.[1] ?? 0),
  };
}

const receivedOf = (said: string): number => Number(/(\d+) received/.exec(said)?.[1] ?? 0);

/** How each flow fares worse than before; empty when none does. */
export function harmIn(before: readonly Fared[], now: readonly Fared[]): ReadonlyMap<Flow, string> {
  const harm = new Map<Flow, string>();
  for (const is of now) {
    const was = before.find(({ flow }) => flow === is.flow);
    if (was === undefined) continue;
    const worse = [
      ...(is.pages < was.pages ? [`${is.pages} of ${PAGES} pages`] : []),
      ...(was.small - is.small >= LOST_MORE ? [`${is.small} of ${SMALL} echoes`] : []),
      ...(was.large - is.large >= LARGE_LOST_MORE ? [`${is.large} of ${LARGE} large echoes`] : []),
      ...(is.averageMs - was.averageMs >= LATER_MS
        ? [`${Math.round(is.averageMs)} ms after ${Math.round(was.averageMs)}`]
        : []),
    ];
    if (worse.length > 0) harm.set(is.flow, `${flowText(is.flow)}: ${worse.join(', ')}`);
  }
  return harm;
}

/** Tries that run at the same time. */
const AT_ONCE = 8;

/** What is not as it must be: flows, those that a filter denies among them, and the ways of routers. One more try for each that failed. */
export async function failingChecks(
  lab: LabRecord,
  flows: readonly Flow[],
  routers: readonly RouterCheck[],
): Promise<readonly string[]> {
  const limited = pLimit(AT_ONCE);
  const all = [
    ...flows.map((flow) => ({ node: flow.from, sh: flowCheck(flow), text: flowText(flow) })),
    ...routers.map(({ node, sh }) => ({ node, sh, text: `${node}: ${sh}` })),
  ];
  const fails = async ({ node, sh }: RouterCheck) => (await limited(() => runIn(lab, node, sh))).exitCode !== 0;
  const found = await Promise.all(all.map(async (each) => (await fails(each)) && (await fails(each))));
  return all.filter((_, index) => found[index]).map(({ text }) => text);
}

const runAt = (lab: LabRecord, flow: Flow, script: string) => runIn(lab, flow.from, script);

function runIn(lab: LabRecord, name: string, script: string) {
  const node = lab.nodes.find((each) => each.name === name)!;
  return runInNetwork(node.namespace, ['bash', '--norc', '-c', script], TRY_MS);
}
