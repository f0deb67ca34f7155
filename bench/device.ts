// `npm run bench -- device [--routes 1000000] [--calls 400] [--prefix P]`: one router with real FRR. (a) a counter read over framed TLS against a
// bare TLS exchange of the same bytes plus the node's own reading; (b) a table of a million routes page by page against `ip -j route`,
// with the agent's peak memory, and zebra's answers and memory all the while. The agent runs from dist/.
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type RunningLab, upLab } from '../simulations/lab/network-lab.ts';
import { REPOSITORY } from '../simulations/lab/node-processes.ts';
import { measureCall } from './device/call.ts';
import { measureTable } from './device/table.ts';
import { DEVICE_TOPOLOGY } from './device/topology.ts';
import type { Benchmark } from './main.ts';

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean' },
      routes: { type: 'string', default: '1000000' },
      calls: { type: 'string', default: '400' },
      prefix: { type: 'string', default: 'bd' },
    },
  });
  const load = loadavg()[0]!;
  execFileSync(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', join(REPOSITORY, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  const lab: RunningLab = await upLab({
    topologyFile: DEVICE_TOPOLOGY,
    name: 'bench-device',
    prefix: values.prefix,
    dist: true,
    say,
  });
  try {
    const call = await measureCall(lab.record, Number(values.calls), say);
    const table = await measureTable(lab.record, Number(values.routes), say);
    return { load: Math.round(load * 100) / 100, call, table };
  } finally {
    await lab.down();
  }
};
