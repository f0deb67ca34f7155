// A second opinion on IPv6 lookups that say "no route". Linux keeps per-CPU copies of a route with its next hop object; when the
// route that such a copy was made for is deleted, `ip route get` answers "unreachable" for every other route over the same next hop,
// though packets are still forwarded. So the kernel is asked to connect a socket, which sends nothing, and where that works the
// way is taken from the kernel's list. What cannot be told is left out: no answer is better than a wrong one.
import { createSocket } from 'node:dgram';
import { readWhole } from '#base/files.ts';
import { parsePrefix } from '#base/ip.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

/** Discard (RFC 863): nothing is ever sent to it. */
const PORT = 9;
const LIST = '/proc/net/ipv6_route';
const HEX_CHARS = 32;

/** What is known of destinations for which a lookup found no route; those that cannot be told are left out. */
export async function doubtNone(destinations: readonly string[]): Promise<ReadonlyMap<string, RouteAnswer>> {
  const kinds = await Promise.all(destinations.map(connectKind));
  const found = new Map<string, RouteAnswer>();
  const reachable: string[] = [];
  for (const [index, destination] of destinations.entries()) {
    const kind = kinds[index];
    if (kind === 'unicast') reachable.push(destination);
    else if (kind !== undefined) found.set(destination, { destination, kind });
  }
  if (reachable.length === 0) return found;
  const list = await readWhole(LIST, DRIVER_LIMITS.kernelReadBytes);
  if (list === undefined) return found;
  for (const destination of reachable) {
    const answer = bestOf(list, destination);
    if (answer !== undefined) found.set(destination, answer);
  }
  return found;
}

/** The kernel's own lookup for a packet of ours (route(7): EINVAL is a blackhole, EACCES a prohibition). */
export function connectKind(destination: string): Promise<RouteAnswer['kind'] | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp6');
    const end = (kind: RouteAnswer['kind'] | undefined) => {
      socket.close();
      resolve(kind);
    };
    socket.once('error', (error: NodeJS.ErrnoException) => end(REFUSALS[error.code ?? '']));
    socket.once('connect', () => end('unicast'));
    socket.connect(PORT, destination);
  });
}

const REFUSALS: Readonly<Record<string, RouteAnswer['kind']>> = {
  ENETUNREACH: 'none',
  EHOSTUNREACH: 'unreachable',
  EACCES: 'unreachable',
  EINVAL: 'blackhole',
};

/** Longest match, then lowest metric, of lines `destination length source length next-hop metric refs use flags device`. */
export function bestOf(list: string, destination: string): RouteAnswer | undefined {
  const wanted = parsePrefix(destination)?.value;
  if (wanted === undefined) return undefined;
  let best:
    | { readonly length: number; readonly metric: number; readonly hop: string; readonly ifname: string }
    | undefined;
  for (const line of list.split('\n')) {
    const words = line.trim().split(/\s+/);
    const [target = '', size = '', , sourceSize, hop = '', cost = '', , , , ifname = ''] = words;
    if (words.length !== 10 || target.length !== HEX_CHARS || sourceSize !== '00' || ifname === 'lo') continue;
    const [length, metric] = [Number.parseInt(size, 16), Number.parseInt(cost, 16)];
    const shift = BigInt(128 - length);
    if (BigInt(`0x${target}`) >> shift !== wanted >> shift) continue;
    if (best !== undefined && (length < best.length || (length === best.length && metric >= best.metric))) continue;
    best = { length, metric, hop, ifname };
  }
  if (best === undefined) return undefined;
  const nextHop = /^0*$/.test(best.hop) ? undefined : (best.hop.match(/.{4}/g) ?? []).join(':');
  return { destination, kind: 'unicast', ifname: best.ifname, ...(nextHop === undefined ? {} : { nextHop }) };
}
