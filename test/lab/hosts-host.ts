// Runs inside a router's namespace: looks for hosts or serviceProbes at services, as the privileged helper does, and prints what it found; with `againAfterMs`
// what a second look found.
import { createSystemClock } from '#base/clock.ts';
import { systemRandom } from '#base/random.ts';
import { scanHosts } from '#router/helper/hosts/hosts.ts';
import { probeServices } from '#router/helper/hosts/service-probe.ts';
import { brieflyOpen } from '#router/helper/port-sockets.ts';

const parts = { clock: createSystemClock(), random: systemRandom, reflectPort: 9_515 };
const { hosts, serviceProbes, againAfterMs } = JSON.parse(process.argv[2] ?? '{}');
const signal = AbortSignal.timeout(8_000);
const look = async () => scanHosts(hosts, parts, signal, { sockets: await brieflyOpen(), turnMs: 5, solicit: true });
if (againAfterMs !== undefined) {
  await look();
  await parts.clock.sleep(againAfterMs, signal);
}
const found = hosts === undefined ? await probeServices(serviceProbes, {}, parts, signal) : await look();
process.stdout.write(JSON.stringify(found));
