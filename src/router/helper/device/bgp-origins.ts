// Where bgpd has prefixes from, for single addresses: of each its best path alone, and of that what is asked for. A router with thousands of sessions has as
// many paths of one prefix, and names every neighbour that it tells: such an answer is longer than one read takes, and is left out alone.
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { askAll, converse } from './frr.ts';

const CACHES = 'show rpki cache-connection';

/**
 * A text for each address, in their order, where bgpd is connected to an RPKI cache: only then it says how prefix and origin fit. Empty where
 * bgpd did not answer in time, or said more than one read takes.
 */
export async function askBgpOrigins(
  folder: string,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(ROUTER_LIMITS.helperReadMs)]);
  // Without its module bgpd does not know the command, and refuses it.
  const [caches = ''] = await askAll(folder, 'bgpd', [CACHES], until).catch(() => []);
  signal.throwIfAborted();
  if (!/^Connected to group/m.test(caches)) return [];
  const texts: string[] = [];
  // One after the other: a daemon's queue of connections is short.
  for (const address of addresses) {
    const command = `show bgp ${address.includes(':') ? 'ipv6' : 'ipv4'} unicast ${address} bestpath json`;
    const [text = ''] = await converse(join(folder, 'bgpd.vty'), [command], until).catch(() => []);
    signal.throwIfAborted();
    texts.push(shortened(text));
  }
  return texts;
}

const MEMBERS = ['aspath', 'bestpath', 'rpkiValidationState'];

/** Without the neighbours that it is advertised to, and without other paths: 32 answers go back as one. */
function shortened(text: string): string {
  const value = objectIn(text);
  if (value === undefined) return '';
  const paths = Array.isArray(value['paths']) ? value['paths'].filter((path) => isJsonObject(path)) : [];
  const best = paths.filter(({ bestpath }) => isJsonObject(bestpath) && bestpath['overall'] === true);
  const short = best.map((path) => Object.fromEntries(Object.entries(path).filter(([name]) => MEMBERS.includes(name))));
  return JSON.stringify({ prefix: value['prefix'], paths: short });
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
