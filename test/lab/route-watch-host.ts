// Runs inside a namespace: for each line of standard input, says on standard output whether a route set by hand has changed since the
// line before, and which of what the route of the first argument steers has no way.
// Usage: route-watch-host.ts PREFIX SID
import { createInterface } from 'node:readline';
import { startRouteWatch } from '#router/drivers/linux-frr/memory/route-events.ts';
import { createSteeredWays } from '#router/drivers/linux-frr/memory/steered-routes.ts';
import { loadLibc } from '#router/native/libc.ts';

const [prefix = '', sid = ''] = process.argv.slice(2);
const libc = loadLibc();
const watch = startRouteWatch(libc);
const ways = createSteeredWays(() => performance.now());
await libc;
const steered = { prefix, kind: 'unicast', protocol: 'boot', segments: [sid] } as const;
await ways.look([steered]);
process.stdout.write('ready\n');
for await (const _ of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify([watch.changed(), ...(await ways.look([]))])}\n`);
watch.close();
