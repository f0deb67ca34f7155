// Time from intent to sealed report on three real routers, split into probing (which has a fixed length) and everything else, with open sessions
// (warm), without (cold), and over a network that loses 3 % (lossy); resident memory of an idle agent. Agents run from dist/.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ASKED, INTENT } from '../simulations/demo/acts.ts';
import { askNode } from '../simulations/lab/ask.ts';
import { inject } from '../simulations/lab/injection.ts';
import { type RunningLab, upLab } from '../simulations/lab/network-lab.ts';
import { REPOSITORY } from '../simulations/lab/node-processes.ts';
import { pause } from '../simulations/lab/wait.ts';
import { bareTlsMs } from './bare-tls.ts';
import type { Benchmark } from './main.ts';
import { summary, tenths } from './statistics.ts';

const TOPOLOGY = join(REPOSITORY, 'simulations/topologies/srv6-three.clab.yml');
const IDLE_MS = 15_000;
/** Longer than an agent with idleMs 0 keeps a session, and than its look at idle ones. */
const COLD_PAUSE_MS = 2_500;
const CABLE_LOSS =
  "nft 'add table netdev z; add chain netdev z c { type filter hook ingress device {a} priority 0; }; add rule netdev z c numgen random mod 100 < 3 drop'";

type Timings = { readonly totalMs: number; readonly probingMs: number; readonly restMs: number };

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: { count: { type: 'string' }, json: { type: 'boolean' }, prefix: { type: 'string' } },
  });
  const count = Number(values.count ?? 30);
  const prefix = values.prefix ?? 'ba';
  execFileSync(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', join(REPOSITORY, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  const bareMs = await bareTlsMs();
  const warmLab = await upLab({ topologyFile: TOPOLOGY, name: 'bench-ask', prefix, dist: true, say });
  const measured = await measureWarm(warmLab, count, say).finally(() => warmLab.down());
  const coldLab = await upLab({
    topologyFile: TOPOLOGY,
    name: 'bench-ask',
    prefix,
    dist: true,
    say,
    agentEnvironment: { PARLEY_SESSIONS_IDLEMS: '0' },
  });
  const cold = await askMany(coldLab, Math.ceil(count / 2), COLD_PAUSE_MS).finally(() => coldLab.down());
  const rest = (timings: readonly Timings[]) => summary(timings.map((each) => each.restMs));
  const warmRest = rest(measured.warm);
  return {
    probingMs: summary(measured.warm.map((each) => each.probingMs)),
    restWarmMs: warmRest,
    restColdMs: rest(cold),
    restLossyMs: rest(measured.lossy),
    totalWarmMs: summary(measured.warm.map((each) => each.totalMs)),
    residentIdleMb: measured.residentMb,
    bareTlsMs: tenths(bareMs),
    ratios: {
      restWarmToTarget150: tenths(warmRest.p50 / 150),
      restColdToTarget400: tenths(rest(cold).p50 / 400),
      residentToTarget110: Math.round((measured.residentMb / 110) * 100) / 100,
      restWarmToBareTls: tenths(warmRest.p50 / bareMs),
    },
  };
};

async function measureWarm(lab: RunningLab, count: number, say: (line: string) => void) {
  await pause(IDLE_MS);
  const residentMb = residentOf(lab);
  say(`idle agent: ${residentMb} MB resident`);
  await askMany(lab, 3, 0);
  const warm = await askMany(lab, count, 0);
  say(`${count} warm questions asked`);
  const landed = await inject(lab.record, [
    { where: 'cable', cable: 'pe1:eth1--p2:eth1', exec: [CABLE_LOSS], repaired: false },
  ]);
  const lossy = await askMany(lab, count, 0);
  await landed.undo();
  say(`${count} questions asked over a lossy cable`);
  return { warm, lossy, residentMb };
}

async function askMany(lab: RunningLab, count: number, pauseMs: number): Promise<Timings[]> {
  const node = lab.record.nodes.find((entry) => entry.name === ASKED)!;
  const timings: Timings[] = [];
  for (let index = 0; index < count; index++) {
    if (pauseMs > 0) await pause(pauseMs);
    const answer = await askNode(node, lab.record, INTENT, { dist: true });
    timings.push(answer.printed['timings'] as Timings);
  }
  return timings;
}

/** Resident set of the asked node's agent in MB (10^6 octets). */
function residentOf(lab: RunningLab): number {
  const node = lab.record.nodes.find((entry) => entry.name === ASKED)!;
  const pids = execFileSync('ip', ['netns', 'pids', node.namespace], { encoding: 'utf8' }).split('\n').filter(Boolean);
  const agent = pids.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.js\0agent'));
  if (agent === undefined) throw new Error('expected an agent process in the asked node');
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${agent}/status`, 'utf8'))?.[1];
  return Math.round((Number(kib) * 1_024) / 100_000) / 10;
}
