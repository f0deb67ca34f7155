// Runs inside a namespace: the linux-frr driver with its memory of days. For each line of standard input it says on standard output for
// how long it has been sampling, and which changes of settings it remembers; when the input ends it stops in order.
// Usage: day-memory-host.ts FOLDER HELPER_SOCKET
import { createInterface } from 'node:readline';
import { createSystemClock } from '#base/clock.ts';
import { createLog } from '#base/log.ts';
import { createLinuxFrrDriver } from '#router/drivers/linux-frr/driver.ts';
import { openDayStore } from '#router/drivers/linux-frr/memory/store/day-store.ts';

const [dir = '', helperSocket = ''] = process.argv.slice(2);
const clock = createSystemClock();
const log = createLog({ level: 'warn', sink: (line) => process.stderr.write(`${line}\n`), now: () => clock.nowMs() });
const days = await openDayStore({ dir, clock, log });
const router = createLinuxFrrDriver({ node: 'r1', helperSocket, clock, days });
process.stdout.write('ready\n');
for await (const _ of createInterface({ input: process.stdin })) {
  const { history } = await router.state(undefined, 'all');
  process.stdout.write(`${JSON.stringify([history?.spanMs, history?.settings])}\n`);
}
await router.close();
