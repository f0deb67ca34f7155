// Accuracy on the three-router path: losses of 2–10 % on a random link in a random direction, and healthy runs (idle, under load, after an old
// repaired fault). Every run is printed to standard error; the line at the end counts them. A seed replays the same faults.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ASKED, INTENT } from '../simulations/demo/acts.ts';
import { loadScenarios, type RunLine, runCampaign } from '../simulations/lab/campaign.ts';
import { mulberry32 } from '../simulations/lab/node-files.ts';
import { REPOSITORY } from '../simulations/lab/node-processes.ts';
import type { Scenario } from '../simulations/lab/scenario.ts';
import type { Benchmark } from './main.ts';
import { summary } from './statistics.ts';

const SCENARIOS = join(REPOSITORY, 'simulations/scenarios');
/** Both directions of both cables: the sending interface is what has to be found. */
const DIRECTIONS = [
  { cable: 'pe1:eth1--p2:eth1', port: '{a}', sender: 'interface/pe1/eth1' },
  { cable: 'pe1:eth1--p2:eth1', port: '{b}', sender: 'interface/p2/eth1' },
  { cable: 'p2:eth2--pe3:eth1', port: '{a}', sender: 'interface/p2/eth2' },
  { cable: 'p2:eth2--pe3:eth1', port: '{b}', sender: 'interface/pe3/eth1' },
] as const;
const SETTLE_MS = 300;

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      count: { type: 'string' },
      healthy: { type: 'string' },
      prefix: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const seed = Number(values.seed ?? 20_261_121);
  const healthyCount = Number(values.healthy ?? 30);
  const scenarios = [...lossScenarios(seed, Number(values.count ?? 100)), ...(await healthyScenarios(healthyCount))];
  const lines: RunLine[] = [];
  await runCampaign(scenarios, {
    name: 'bench-loss',
    prefix: values.prefix ?? 'bl',
    seed,
    say,
    print: (line) => {
      lines.push(line);
      say(JSON.stringify(line));
    },
  });
  return { seed, ...figuresOf(lines) };
};

function lossScenarios(seed: number, count: number): readonly Scenario[] {
  const random = mulberry32(seed);
  return Array.from({ length: count }, (_, index) => {
    const { cable, port, sender } = DIRECTIONS[Math.floor(random() * DIRECTIONS.length)]!;
    const perMille = 20 + Math.floor(random() * 81);
    const rule = `nft 'add table netdev z; add chain netdev z c { type filter hook ingress device ${port} priority 0; }; add rule netdev z c numgen random mod 1000 < ${perMille} drop'`;
    return {
      ...base(`loss-${index}-${perMille}`),
      inject: [{ where: 'cable', cable, exec: [rule], repaired: false }],
      truth: [{ resource: sender, fault: 'packet_loss' }],
    };
  });
}

/** A third idle, a third under load, a third after a fault that was repaired. */
async function healthyScenarios(count: number): Promise<readonly Scenario[]> {
  const files = ['srv6-healthy', 'srv6-healthy-load', 'srv6-healthy-repaired'].map((name) =>
    join(SCENARIOS, `${name}.yml`),
  );
  const kinds = await loadScenarios(files);
  return Array.from({ length: count }, (_, index) => kinds[Math.floor((index * kinds.length) / count)]!);
}

function base(name: string): Omit<Scenario, 'inject' | 'truth'> {
  const topologyFile = join(REPOSITORY, 'simulations/topologies/srv6-three.clab.yml');
  return {
    name,
    file: 'generated',
    topologyFile,
    timers: 'fast',
    settleMs: SETTLE_MS,
    ask: { node: ASKED, intent: INTENT },
  };
}

function figuresOf(lines: readonly RunLine[]): Readonly<Record<string, unknown>> {
  const valid = lines.filter((line) => line.invalid === undefined);
  const losses = valid.filter((line) => line.truth.length > 0);
  const healthy = valid.filter((line) => line.truth.length === 0);
  const right = (line: RunLine) => line.detection === 1 && line.rcaF1 === 1;
  return {
    losses: losses.length,
    lossesRight: losses.filter(right).length,
    healthy: healthy.length,
    healthyRight: healthy.filter((line) => line.verdict === 'healthy').length,
    healthyWithFinding: healthy.filter((line) => line.predicted.length > 0).length,
    invalid: lines.length - valid.length,
    wrong: valid.filter((line) => !right(line) && !(line.truth.length === 0 && line.verdict === 'healthy')),
    ratios: {
      lossesRight: ratio(losses.filter(right).length, losses.length),
      healthyRight: ratio(healthy.filter((line) => line.verdict === 'healthy').length, healthy.length),
    },
    askSeconds: summary(valid.map((line) => line.seconds)),
  };
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : Math.round((part / whole) * 1_000) / 1_000;
}
