// Which connection to a registrar's port gives way to one more. Strangers and honest nodes look alike before the proof, so none is turned away
// for being new: who holds connections open takes places from itself.
import type { Socket } from 'node:net';
import { parsePrefix } from '#base/ip.ts';

/** As much of a socket as a place needs. */
export type Placed = Pick<Socket, 'remoteAddress' | 'remotePort' | 'destroy'>;

type Place = { readonly network: string; hasSpoken: boolean };

export type Places<Connection extends Placed> = {
  admit(connection: Connection): void;
  /** Of the connection with these ends: its hello has come. */
  spoke(ends: Pick<Socket, 'remoteAddress' | 'remotePort'>): void;
  remove(connection: Connection): void;
  all(): readonly Connection[];
};

/**
 * The oldest of the network with the most gives way, among those that have sent no hello. Where more than half of all have sent one, among these: a
 * stranger's hellos must not keep newcomers out either.
 */
export function createPlaces<Connection extends Placed>(bound: number): Places<Connection> {
  // In the order in which they came.
  const places = new Map<Connection, Place>();
  const cutOne = () => {
    const spoken = [...places].filter(([, { hasSpoken }]) => hasSpoken);
    const pool = spoken.length > bound / 2 ? spoken : [...places].filter(([, { hasSpoken }]) => !hasSpoken);
    const oldest = oldestOfMost(pool);
    if (oldest === undefined) return;
    places.delete(oldest);
    oldest.destroy();
  };
  return {
    admit(connection) {
      places.set(connection, { network: networkOf(connection.remoteAddress), hasSpoken: false });
      if (places.size > bound) cutOne();
    },
    spoke({ remoteAddress, remotePort }) {
      for (const [connection, place] of places)
        if (connection.remotePort === remotePort && connection.remoteAddress === remoteAddress) place.hasSpoken = true;
    },
    remove: (connection) => void places.delete(connection),
    all: () => [...places.keys()],
  };
}

/** The first in `pool`, which is in the order of arrival, of the network that has the most in it. */
export function oldestOfMost<Connection>(
  pool: readonly (readonly [Connection, { readonly network: string }])[],
): Connection | undefined {
  const counts = new Map<string, number>();
  for (const [, { network }] of pool) counts.set(network, (counts.get(network) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return pool.find(([, { network }]) => counts.get(network) === most)?.[0];
}

/** What one subscriber has: an IPv4 address, or an IPv6 network of 64 bits, of which a host picks any address it likes. */
export function networkOf(address = 'unknown'): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  const prefix = parsePrefix(plain);
  return prefix?.family === 6 ? `${(prefix.value >> 64n).toString(16)}/64` : plain;
}
