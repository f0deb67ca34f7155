// Whether a node writes another address into packets that it forwards: what other nodes see of them is not what was sent. Pure.
import type { Packet } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { type Ports, type Steps, takes } from './chain-walk.ts';

/** `source` is written when a packet leaves, `destination` when it comes in. */
export type WrittenSide = 'source' | 'destination';

/** `unknown` where it depends on what is not known of a packet. */
export function translates(
  filters: readonly FilterRule[],
  side: WrittenSide,
  packet: Packet,
  ports: Ports,
  steps: Steps,
): 'yes' | 'no' | 'unknown' {
  const taken = writersOf(filters)[side].map((rule) => takes(rule, packet, ports, steps));
  return taken.includes('yes') ? 'yes' : taken.includes('unknown') ? 'unknown' : 'no';
}

type Writers = Readonly<Record<WrittenSide, readonly FilterRule[]>>;

/** The same rules are held against many packets. */
const WRITERS = new WeakMap<readonly FilterRule[], Writers>();

function writersOf(filters: readonly FilterRule[]): Writers {
  const known = WRITERS.get(filters);
  if (known !== undefined) return known;
  const writing = (side: WrittenSide, at: string) =>
    filters.filter(
      ({ hook, rewrites }) => hook === at && rewrites?.some((text) => text.startsWith(`${side} = `)) === true,
    );
  const writers = { source: writing('source', 'postrouting'), destination: writing('destination', 'prerouting') };
  WRITERS.set(filters, writers);
  return writers;
}
