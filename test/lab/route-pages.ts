// Reads the kernel's routing table page by page inside a network namespace while routes come and go, and prints what it saw.
import { execFileSync } from 'node:child_process';
import { createSystemClock } from '#base/clock.ts';
import type { RouteEntry } from '#model/router/device-port.ts';
import { createRouteReader } from '#router/drivers/linux-frr/routing-table/route-dump.ts';

const PAGE = 1_000;
const PASSING = 30;

const family = process.argv[2] === 'ipv6' ? 'ipv6' : 'ipv4';
const forget = process.argv[3] === 'forget';
const flag = family === 'ipv6' ? '-6' : '-4';
const churned = (index: number) =>
  family === 'ipv6' ? `fd00:ffff:${index.toString(16)}::/64` : `198.19.${index}.0/24`;

/** In order before the routes that stay: when one goes, the kernel's count of what it has passed is wrong. */
const passing = (index: number) => (family === 'ipv6' ? `2001:db8::1:${index.toString(16)}/128` : `10.0.0.${index}/32`);

for (let index = 1; index <= PASSING; index++)
  execFileSync('ip', [flag, 'route', 'replace', passing(index), 'dev', 'd0']);
let reader = createRouteReader({ clock: createSystemClock() });
const seen: string[] = [];
let cursor: string | undefined;
let pages = 0;
do {
  const each = (routes: readonly RouteEntry[]) => void seen.push(...routes.map(({ prefix }) => prefix));
  cursor = await reader.page({ family, cursor, most: PAGE, each });
  pages++;
  // One route comes behind, one goes there, one goes before; and now and then the dump is forgotten, as after a pause of the caller.
  execFileSync('ip', [flag, 'route', 'replace', churned(pages % 200), 'dev', 'd0']);
  if (pages > 1) execFileSync('ip', [flag, 'route', 'del', churned((pages - 1) % 200), 'dev', 'd0']);
  if (pages <= PASSING) execFileSync('ip', [flag, 'route', 'del', passing(pages), 'dev', 'd0']);
  if (forget) {
    reader.close();
    reader = createRouteReader({ clock: createSystemClock() });
  }
} while (cursor !== undefined);
reader.close();
const stable = seen.filter((prefix) => /^(10\..*\/24|2001:db8:.*\/48)$/.test(prefix));
console.log(JSON.stringify({ pages, stable: stable.length, distinct: new Set(stable).size }));
