// Several aggregators in one process. Argument: a file with a JSON array of configurations. Prints their loopback ports when they listen.
import { readFile } from 'node:fs/promises';
import { createAggregatorProcess } from '#agent/create-aggregator.ts';
import { silentLog } from '#base/log.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';

const configs = JSON.parse(await readFile(process.argv[2]!, 'utf8')) as readonly unknown[];
const ports = [];
for (const config of configs) {
  const { loopbackPort } = await createAggregatorProcess(aggregateSchema.parse(config), silentLog);
  ports.push(loopbackPort);
}
process.stdout.write(`${JSON.stringify(ports)}\n`);
