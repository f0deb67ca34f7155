// Program of the device benchmark: one counter read over framed TLS, a bare exchange of the same bytes over a TLS session of the same
// kind, and the node's own reading, turn by turn in one process; prints the medians. Arguments: identity folder, node, number of turns,
// the helper's socket.

import { createSystemClock } from '#base/clock.ts';
import { createLinuxFrrDriver } from '#router/drivers/linux-frr/driver.ts';
import { percentile } from '../statistics.ts';
import { startBareExchange } from './bare-exchange.ts';
import { dialNode } from './dial-node.ts';

const TOOL = 'ietf-interface-counters';
const WARM_UP = 20;

const [identity = '', node = '', turns = '', helperSocket = ''] = process.argv.slice(2);
const { client, counted } = await dialNode(identity, node);
const driver = createLinuxFrrDriver({ node, helperSocket, clock: createSystemClock() });
const before = { ...counted };
await client.callTool(TOOL, {});
const bytes = { request: counted.sent - before.sent, answer: counted.received - before.received };
const bare = await startBareExchange(identity, bytes);
const works = {
  call: () => client.callTool(TOOL, {}),
  bare: () => bare.exchange(),
  own: () => driver.counters(),
} as const;
const times: Record<keyof typeof works, number[]> = { call: [], bare: [], own: [] };
for (let turn = 0; turn < WARM_UP + Number(turns); turn++)
  for (const name of ['call', 'bare', 'own'] as const) {
    const started = performance.now();
    await works[name]();
    if (turn >= WARM_UP) times[name].push(performance.now() - started);
  }
bare.close();
await client.close();
const shown = (values: readonly number[]) =>
  Object.fromEntries(
    [0.5, 0.99].map((fraction) => [`p${fraction * 100}`, Math.round(percentile(values, fraction) * 1_000) / 1_000]),
  );
process.stdout.write(
  `${JSON.stringify({ bytes, turns: Number(turns), callMs: shown(times.call), bareMs: shown(times.bare), ownMs: shown(times.own) })}\n`,
);
