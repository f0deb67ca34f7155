// The two ends of the veth pair on which the speaker meets the router. Both must be in this network namespace: the speaker
// can never be pointed at a real link, where it would be a neighbour of a real router.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { macBytes } from '#codec/arp.ts';
import { readProgram } from '../programs.ts';

export type SpeakerLink = {
  readonly ifname: string;
  readonly ifindex: number;
  /** 6 octets. */
  readonly mac: Uint8Array;
  /** 16 octets. */
  readonly linkLocal: Uint8Array;
};

export async function readSpeakerLink(routerEnd: string, signal: AbortSignal): Promise<SpeakerLink> {
  const text = await readProgram('ip', ['-j', '-d', 'link', 'show', 'type', 'veth'], signal);
  return findSpeakerEnd(parseLinks(text), routerEnd);
}

/** Our end of the pair whose other end is `routerEnd`. Throws `node/isis-interface`. */
export function findSpeakerEnd(links: readonly VethEnd[], routerEnd: string): SpeakerLink {
  const theirs = links.find(({ ifname }) => ifname === routerEnd);
  const ours = links.find(({ ifname, peer }) => ifname === theirs?.peer && peer === routerEnd);
  if (ours === undefined) {
    const came = theirs === undefined ? 'no veth of that name' : 'an end whose other end is elsewhere';
    const message = `expected ${routerEnd} to be one end of a veth pair with both ends on this node, got ${came}`;
    throw new ParleyError('node/isis-interface', message);
  }
  const { ifname, ifindex, mac } = ours;
  return { ifname, ifindex, mac, linkLocal: linkLocalOf(mac) };
}

export type VethEnd = {
  readonly ifname: string;
  readonly ifindex: number;
  readonly mac: Uint8Array;
  readonly peer?: string;
};

/** `ip -j -d link show type veth`. The peer is named (`link`) only when it is in the same network namespace. */
export function parseLinks(text: string): readonly VethEnd[] {
  const rows: unknown = parseJson(text);
  return (Array.isArray(rows) ? rows : []).flatMap((row: JsonValue) => {
    if (!isJsonObject(row)) return [];
    const { ifname, ifindex, address, link } = row;
    const mac = typeof address === 'string' && /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(address) ? address : undefined;
    if (typeof ifname !== 'string' || typeof ifindex !== 'number' || mac === undefined) return [];
    const peer = typeof link === 'string' && row['link_netnsid'] === undefined ? { peer: link } : {};
    return [{ ifname, ifindex, mac: macBytes(mac), ...peer }];
  });
}

/** fe80::/64 with the modified EUI-64 of the MAC address (RFC 4291 appendix A). */
function linkLocalOf(mac: Uint8Array): Uint8Array {
  const [first = 0, ...rest] = mac;
  return Uint8Array.from([
    0xfe,
    0x80,
    0,
    0,
    0,
    0,
    0,
    0,
    first ^ 0x02,
    rest[0]!,
    rest[1]!,
    0xff,
    0xfe,
    ...rest.slice(2),
  ]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
