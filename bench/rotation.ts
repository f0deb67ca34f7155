// Rotations under load: every node renews its certificate again and again while calls go between them. Counts calls that got no answer, of
// which there must be none, and says how long calls and renewals took. `--calls`, `--rotations`, `--nodes`, `--life SECONDS`, `--minutes` at most.
import { parseArgs } from 'node:util';
import type { Benchmark } from './main.ts';
import { runRotations } from './rotation/run.ts';
import { summary, tenths } from './statistics.ts';

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean' },
      calls: { type: 'string', default: '100000' },
      rotations: { type: 'string', default: '1000' },
      nodes: { type: 'string', default: '4' },
      life: { type: 'string', default: '600' },
      minutes: { type: 'string', default: '60' },
    },
  });
  const plan = {
    ...{ calls: Number(values.calls), rotations: Number(values.rotations), nodes: Number(values.nodes) },
    ...{ atOnce: 8, lifeSeconds: Number(values.life), boundMs: Number(values.minutes) * 60_000 },
  };
  const { answered, dropped, rotated, notRotated, callMs, renewalMs, runMs } = await runRotations(plan, say);
  return {
    ...plan,
    answered,
    dropped: dropped.length,
    whyDropped: [...new Set(dropped)].slice(0, 5),
    rotated,
    notRotated: notRotated.length,
    whyNotRotated: [...new Set(notRotated)].slice(0, 5),
    callMs: { ...summary(callMs), longest: tenths(callMs.reduce((one, other) => Math.max(one, other), 0)) },
    renewalMs: summary(renewalMs),
    callsASecond: Math.round(answered / (runMs / 1_000)),
  };
};
