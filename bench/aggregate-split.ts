// `npm run bench -- aggregate-split [--faults N] [--seed N]`: pairs of aggregators that share a real etcd, kills and partitions at random moments.
// Says how often two served one segment (never, or the bench fails), and how long segments were not served, in heartbeats.
import { startEtcd } from '../test/aggregate/etcd.ts';
import { HEARTBEAT_MS, startPair, type Trial, trial } from '../test/aggregate/split-brain.ts';

const FAULTS = 200;
const PAIRS = 8;
const LEAVES = 3;

export async function bench(args: readonly string[]): Promise<Record<string, unknown>> {
  const numberAfter = (name: string) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : undefined);
  const faults = numberAfter('--faults') ?? FAULTS;
  const seed = numberAfter('--seed') ?? Math.trunc(performance.timeOrigin % 2 ** 31);
  const etcd = await startEtcd();
  try {
    const pairs = await Promise.all(
      Array.from({ length: PAIRS }, (_, index) => startPair(etcd.url, `p${index}`, LEAVES)),
    );
    const trials = await Promise.all(
      pairs.map((pair, index) => trial(pair, Math.ceil(faults / PAIRS), randomFrom(seed + index))),
    );
    await Promise.all(pairs.map((pair) => pair.stop()));
    return summary(trials, seed);
  } finally {
    await etcd.stop();
  }
}

function summary(trials: readonly Trial[], seed: number): Record<string, unknown> {
  const outages = trials.flatMap(({ outagesMs }) => outagesMs).toSorted((one, other) => one - other);
  const sum = (of: (trial: Trial) => number) => trials.reduce((total, each) => total + of(each), 0);
  const inHeartbeats = (ms: number | undefined) => Math.round(((ms ?? 0) / HEARTBEAT_MS) * 100) / 100;
  const doubles = sum((each) => each.doubles);
  if (doubles > 0)
    throw new Error(`expected one owner of each segment at any moment, two were seen ${doubles} times (seed ${seed})`);
  return {
    faults: sum((each) => each.faults),
    looks: sum((each) => each.looks),
    doubleOwners: doubles,
    outages: outages.length,
    heartbeatMs: HEARTBEAT_MS,
    servedAgainHeartbeats: {
      p50: inHeartbeats(outages[Math.floor(outages.length / 2)]),
      p95: inHeartbeats(outages[Math.floor(outages.length * 0.95)]),
      most: inHeartbeats(outages.at(-1)),
    },
    laterThanThree: outages.filter((ms) => ms > 3 * HEARTBEAT_MS).length,
    seed,
  };
}

function randomFrom(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
