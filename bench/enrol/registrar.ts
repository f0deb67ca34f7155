// The registrar of `npm run bench -- enrol`, a process of its own: says its port, serves until its standard input ends, then says what it cost.
import { createSystemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { createRegistrar } from '#mtls/enrol/registrar.ts';
import { listenRegistrar } from '#mtls/enrol/registrar-listener.ts';
import { loadIdentity } from '#mtls/identity.ts';

const [dir = '', identityDir = '', port = '0'] = process.argv.slice(2);
const clock = createSystemClock();
const outcomes: Record<string, number> = {};
const listener = await listenRegistrar({
  identity: await loadIdentity(identityDir, clock),
  registrar: await createRegistrar({ dir, clock, random: systemRandom }),
  host: '127.0.0.1',
  port: Number(port),
  clock,
  log: silentLog,
  onOutcome: ({ outcome }) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  },
});
const idleBytes = process.memoryUsage.rss();
process.stdout.write(`${JSON.stringify({ port: listener.port })}\n`);
process.stdin.resume();
process.stdin.on('end', async () => {
  await listener.close();
  const { user, system } = process.cpuUsage();
  const grownBytes = process.resourceUsage().maxRSS * 1_024 - idleBytes;
  process.stdout.write(`${JSON.stringify({ outcomes, cpuMs: (user + system) / 1_000, grownBytes })}\n`);
});
