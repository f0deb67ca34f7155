// Rules of packet filters in parts that several schemas share: what a rule demands of a packet, and a rule that is remembered as data.
import * as z from 'zod';
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import { mark, text, type Wire } from './fields.ts';

export const FILTER_FIELDS = [
  'network',
  'protocol',
  'next-header',
  'extension',
  'source',
  'destination',
  'source-port',
  'destination-port',
  'icmp-type',
  'llc',
  'out',
  'in',
  'sample',
  'row',
] as const;

/**
 * One demand of a rule on a packet: `field` is one of `values`, or none of them when negated. `next-header` follows the IPv6
 * header itself, `protocol` is the last in the chain, `extension` is a header in it. `sample` takes a share of the packets
 * that are alike, `5/100`. `llc` are the two octets of an 802.2 header as a number. `row` demands several fields at once, `source 192.0.2.1 .
 * destination-port 22`.
 */
export const filterMatch = z.object({
  field: z.enum(FILTER_FIELDS),
  values: z.array(text).max(LIMITS.filterMatches),
  negated: mark,
});

const word = z.string().max(MODEL_LIMITS.settingChars);

/**
 * A rule as it is remembered, as far as it concerns the first packet of a connection: what only later ones meet is left out. The members are those of
 * `filterRule` (state-schema.ts), with the same meaning; `matchesRest` says that it demands what is not told here.
 */
export const rememberedRule = z.object({
  verdict: z.enum(['accept', 'drop', 'reject', 'other']),
  ends: z.enum(['return', 'unknown']).exactOptional(),
  path: z.array(word).max(MODEL_LIMITS.rememberedPath),
  inInterfaces: z.array(word).max(LIMITS.filterMatches),
  outInterfaces: z.array(word).max(LIMITS.filterMatches),
  matches: z
    .array(z.object({ ...filterMatch.shape, values: z.array(word).max(LIMITS.filterMatches) }))
    .max(LIMITS.filterMatches),
  matchesRest: z.boolean(),
});

/** In the order of their base chain. All of them or none: without one of them the others would say something else. */
export const rememberedRules = z.array(rememberedRule).max(MODEL_LIMITS.rememberedRules);

export type RememberedRule = Wire<typeof rememberedRule>;
