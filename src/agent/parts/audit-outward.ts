// Sends the audit trail to the collector that the configuration names, for as long as the agent runs (TS-31). Off without one.
import { join } from 'node:path';
import { createForwarder } from '#audit/outward/forward.ts';
import { POSITION_FILE } from '#audit/outward/position.ts';
import type { AuditHead } from '#audit/verify.ts';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { Config } from '#config/schema.ts';
import type { AuditSink } from '#model/ports.ts';
import { dialCollector } from '#mtls/collector/dial-collector.ts';
import type { Part } from '../lifecycle.ts';

export function createAuditOutward(init: {
  readonly config: Pick<Config, 'node' | 'state' | 'audit'>;
  readonly audit: AuditSink & { readonly head: AuditHead };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}): Part {
  const { config, audit, clock } = init;
  const { collector } = config.audit;
  const ended = new AbortController();
  let running: Promise<void> = Promise.resolve();
  return {
    name: 'audit trail outwards',
    async start() {
      if (collector === undefined) return;
      const forwarder = createForwarder({
        ...init,
        dir: join(config.state, 'audit'),
        path: join(config.state, POSITION_FILE),
        node: config.node,
        head: () => audit.head,
        connect: (signal) => dialCollector(collector, clock, signal),
        record: (record) => audit.append(record),
      });
      running = forwarder.run(ended.signal);
    },
    async stop() {
      ended.abort();
      await running;
    },
  };
}
