// An aggregator in this process, below which the agents of a bed register themselves.
import { join } from 'node:path';
import { createAggregatorProcess } from '#agent/create-aggregator.ts';
import { hostNameOf } from '#aggregate/names/names.ts';
import { silentLog } from '#base/log.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';
import type { AgentBed } from '../agent/agent-bed.ts';

/** Shows the segment `pe1` alone. `way`: options of commands by which an admin comes in over mutual TLS. */
export async function startRoot(bed: AgentBed, port: number) {
  await bed.domain.identity('root');
  await bed.domain.identity('rita', { kind: 'operator', role: 'admin' });
  const config = aggregateSchema.parse({
    ...{ node: 'root', state: join(bed.dir, 'root-state'), identity: { dir: join(bed.dir, 'root') } },
    ...{ listen: { host: '127.0.0.1', port }, loopback: { port: 0 }, view: { mount: 'pe1' } },
    budget: { callsPerMinute: 100_000 },
  });
  const running = await createAggregatorProcess(config, silentLog);
  const { core } = running.aggregator;
  return {
    loopbackPort: running.loopbackPort,
    slots: core.slots,
    /** What hosts call the prompt of the agent. */
    prompt() {
      const names = [...core.entries().prompts.keys()].map((name) => hostNameOf(name.replace(/^pe1\./, '')));
      return names.find((name) => name.includes('bgp-down')) ?? 'none';
    },
    way: ['--connect', `127.0.0.1:${port}`, '--identity', join(bed.dir, 'rita')],
    stop: () => running.stop(),
  };
}
