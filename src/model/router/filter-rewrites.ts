// What a filter rule writes into packets, as its node words it: `tcp checksum = 57005`, `ip6 dscp ef = cs0`, `destination = 192.0.2.1`,
// `source = 203.0.113.5`. Says what a rule would do, and accuses no node: whether it does is a matter of measurement.
import { FORWARDING_HOOKS } from './packet-match.ts';
import type { FilterRule } from './router-port.ts';

export type Remark = { readonly was: string; readonly becomes: string };

/** A change of priority marks (RFC 2474) that demands the old one; undefined for everything else, and where nothing changes. */
export function remarkOf(text: string): Remark | undefined {
  const [, was, becomes] = /^ip6? dscp (\S+) = (\S+)$/.exec(text) ?? [];
  if (was === undefined || becomes === undefined || dscpOf(was) === dscpOf(becomes)) return undefined;
  return { was, becomes };
}

/** The six bits of a mark by its name (RFC 2474, 2597, 3246, 8622) or number. */
export function dscpOf(name: string): number | undefined {
  const [, classes, drop] = /^af([1-4])([1-3])$/.exec(name) ?? [];
  if (classes !== undefined && drop !== undefined) return Number(classes) * 8 + Number(drop) * 2;
  const [, selector] = /^cs([0-7])$/.exec(name) ?? [];
  if (selector !== undefined) return Number(selector) * 8;
  if (name === 'ef') return 46;
  if (name === 'va') return 44;
  if (name === 'le' || name === 'lephb') return 1;
  const number = Number(name);
  return Number.isInteger(number) && number >= 0 && number < 64 ? number : undefined;
}

export type WrittenTtl = { readonly ttl: number; readonly network: 'ip' | 'ip6'; readonly text: string };

/** The TTL that a rule writes into packets under way, of IPv6 the hop limit, with its words; undefined for every other rule. */
export function ttlWritten({ hook, rewrites = [] }: Pick<FilterRule, 'hook' | 'rewrites'>): WrittenTtl | undefined {
  const text = rewrites.find((each) => /^(?:ip ttl|ip6 hoplimit) (?:\S+ )?= \d+$/.test(each));
  if (text === undefined || !FORWARDING_HOOKS.has(hook)) return undefined;
  const [network, ...words] = text.split(' ');
  return { ttl: Number(words.at(-1)), network: network as WrittenTtl['network'], text };
}

/**
 * Before the node forwards it writes so small a TTL that its own kernel discards what is to be forwarded (RFC 1812 §5.3.1, RFC 8200 §3); what is for the node
 * itself arrives.
 */
export function expiresAtOnce(rule: Pick<FilterRule, 'hook' | 'rewrites'>): boolean {
  const written = ttlWritten(rule);
  return rule.hook === 'prerouting' && written !== undefined && written.ttl <= 1;
}

/** True when it would write a checksum of its own into what the node forwards. */
export function spoilsChecksums({ hook, rewrites }: Pick<FilterRule, 'hook' | 'rewrites'>): boolean {
  return hook !== 'input' && hook !== 'output' && rewrites?.some((text) => / checksum\b.* = /.test(text)) === true;
}

/** Where a rule sends packets instead: an address, `own` for the node itself, `same` where only the port is another, `another` where it does not say. */
export type NewDestination = { readonly address: string; readonly port?: number };

export function newDestinationOf({ rewrites = [] }: Pick<FilterRule, 'rewrites'>): NewDestination | undefined {
  for (const text of rewrites) {
    const [, address, port] = /^destination = ([0-9.]+|own|same|another)(?::(\d+))?$/.exec(text) ?? [];
    if (address !== undefined) return { address, ...(port === undefined ? {} : { port: Number(port) }) };
  }
  return undefined;
}

/** The address that a rule writes into packets as their source; of a range the first. Undefined for the node's own, and where it does not say. */
export function newSourceOf({ rewrites = [] }: Pick<FilterRule, 'rewrites'>): string | undefined {
  for (const text of rewrites) {
    const address = /^source = ([0-9a-f.:]+)(?:-[0-9a-f.:]+)?$/i.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  return undefined;
}

/** The field of TCP that limits the segments of a connection, in nft's words. */
export const SEGMENT_SIZE = 'tcp option maxseg size';

/** True when it limits the segments of TCP connections, so that their packets pass where the path is smaller than the ends know. */
export function writesSegmentSize({ rewrites = [] }: Pick<FilterRule, 'rewrites'>): boolean {
  return rewrites.some((text) => text.startsWith(`${SEGMENT_SIZE} = `));
}
