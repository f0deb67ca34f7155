// `npm run bench -- commit-crash [--repeat 10] [--points 40] [--only undoing] [--prefix P]`: kill -9 at named points of a confirmed commit on real FRR. Prints how many
// runs ended in exactly the old or the new configuration, and how long recovery took.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FAILPOINT_NAMES } from '#router/config/failpoint.ts';
import { upLab } from '../simulations/lab/network-lab.ts';
import { createNodeUnderTest } from './crash/node-under-test.ts';
import { planRuns, spread } from './crash/plan.ts';
import { playRun, type RunResult } from './crash/run.ts';
import type { Benchmark } from './main.ts';

const TOPOLOGY = join(import.meta.dirname, '../simulations/topologies/pair.clab.yml');
const CRASH_FOLDER = join(import.meta.dirname, 'crash');
const ROLLBACK = 'node --conditions=parley-source /opt/extra/rollback.ts';

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean' },
      repeat: { type: 'string', default: '10' },
      points: { type: 'string', default: String(FAILPOINT_NAMES.length) },
      only: { type: 'string', default: '' },
      prefix: { type: 'string', default: 'crash' },
    },
  });
  const points = spread(Number(values.points)).filter((point) => point.startsWith(values.only));
  const runs = planRuns(Number(values.repeat), points);
  const lab = await upLab({
    topologyFile: TOPOLOGY,
    name: `crash-${values.prefix}`,
    prefix: values.prefix,
    agents: false,
    extra: CRASH_FOLDER,
    configuration: { helper: '', rollback: ROLLBACK },
    say,
  });
  try {
    const [a, b] = lab.record.nodes;
    const node = createNodeUnderTest(a!, b!);
    const results: RunResult[] = [];
    for (const run of runs) {
      const result = await playRun(node, run);
      results.push(result);
      const { recoverySeconds, faults, reached } = result;
      const said = faults.length > 0 ? `WRONG: ${faults.join('; ')}` : reached ? 'ok' : 'NOT REACHED';
      say(
        `${run.number + 1}/${runs.length} ${run.point} (${run.story}${run.restarted ? '' : ', never again'}${run.persist ? ', persist' : ''}): ${said}, ${recoverySeconds.toFixed(2)} s${result.lateSeconds === undefined ? '' : `, ${result.lateSeconds.toFixed(2)} s late`}`,
      );
    }
    return figuresOf(results);
  } finally {
    await lab.down();
  }
};

function figuresOf(results: readonly RunResult[]) {
  const wrong = results.filter(({ faults }) => faults.length > 0);
  const recovery = results.map(({ recoverySeconds }) => recoverySeconds).toSorted((one, other) => one - other);
  // An undoing that was itself killed and begun again is a second fault within the same five seconds.
  const late = (twice: boolean) =>
    results
      .filter(({ run }) => (run.story === 'deadline') === twice)
      .flatMap(({ lateSeconds }) => (lateSeconds === undefined ? [] : [lateSeconds]));
  const round = (value: number) => Math.round(value * 1_000) / 1_000;
  return {
    points: new Set(results.map(({ run }) => run.point)).size,
    runs: results.length,
    notReached: results.filter(({ reached }) => !reached).map(({ run }) => run.point),
    neverRestarted: results.filter(({ run }) => !run.restarted).length,
    endedOld: results.filter(({ run, faults }) => faults.length === 0 && run.expected === 'old').length,
    endedNew: results.filter(({ run, faults }) => faults.length === 0 && run.expected === 'new').length,
    wrong: wrong.map(({ run, faults }) => ({
      point: run.point,
      story: run.story,
      restarted: run.restarted,
      persist: run.persist,
      faults,
    })),
    recoverySecondsMedian: round(recovery[Math.floor(recovery.length / 2)] ?? 0),
    recoverySecondsMost: round(recovery.at(-1) ?? 0),
    undoneAfterDeadline: late(false).length,
    lateSecondsMost: round(Math.max(0, ...late(false))),
    undoingKilledToo: late(true).length,
    lateSecondsMostKilledToo: round(Math.max(0, ...late(true))),
  };
}
