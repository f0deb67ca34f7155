// Runs inside a router’s namespace: asks DHCP servers, times name servers, or listens while a program runs, as the privileged helper does.
import { execFileSync } from 'node:child_process';
import { createSystemClock } from '#base/clock.ts';
import { systemRandom } from '#base/random.ts';
import { askDhcp } from '#router/helper/hosts/dhcp-request.ts';
import { probeServices } from '#router/helper/hosts/service-probe.ts';
import { createHeardListener } from '#router/helper/snoop/requests.ts';

const parts = { clock: createSystemClock(), random: systemRandom, reflectPort: 9_515 };
const { asks, serviceProbes, ifnames, meanwhile, both } = JSON.parse(process.argv[2] ?? '{}');
const signal = AbortSignal.timeout(8_000);
if (asks !== undefined) process.stdout.write(JSON.stringify(await askDhcp(asks, false, parts, signal)));
else if (serviceProbes !== undefined)
  process.stdout.write(JSON.stringify(await probeServices(serviceProbes, {}, parts, signal)));
else {
  const heard = createHeardListener();
  await heard(ifnames);
  const [program, ...args] = meanwhile;
  execFileSync(program, args, { stdio: 'ignore' });
  const { rows, signs } = await heard(ifnames);
  process.stdout.write(JSON.stringify(both === true ? { rows, signs } : rows));
  process.exit(0);
}
