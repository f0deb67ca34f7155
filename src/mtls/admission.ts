// Who may come in, and how many at once: places for handshakes and for sessions are counted apart, so that strangers
// cannot use up what authenticated peers need. A newcomer is let in: where places lack, the oldest handshake of the network that runs the most
// gives way, and networks with which a session was open have places that strangers never get. Reports refusals, at a bounded rate.
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { LIMITS } from '#base/limits.ts';
import type { Party } from '#model/identity.ts';
import { networkOf, oldestOfMost } from './enrol/places.ts';
import { MTLS_LIMITS } from './limits.ts';
import { createRefusalReporter, type RefusalReporterInit } from './refusal-reporter.ts';

export type Admission = {
  readonly sessionCount: number;
  /** Another handshake may give way to this one. */
  enter(raw: Socket): void;
  /** The handshake's place becomes a session's; says why not when there is none. */
  startSession(raw: Socket | undefined, socket: TLSSocket, party: Party): string | undefined;
  refuse(raw: Socket | undefined, reason: string, party?: Party): void;
  destroyAll(): void;
};

export function createAdmission(init: RefusalReporterInit): Admission {
  const connections = new Set<Socket>();
  /** In the order in which they came. */
  const handshakes = new Map<Socket, Handshake>();
  const known = new Set<string>();
  const sessions = new Map<TLSSocket, string>();
  const relayed = new Map<TLSSocket, string>();
  const addresses = new WeakMap<Socket, string>();
  /** A connection that gave way ends its handshake as well: one refusal, with the reason that came first. */
  const refused = new WeakSet<Socket>();
  const report = createRefusalReporter(init);

  const refuse: Admission['refuse'] = (raw, reason, party) => {
    const remoteAddress = (raw && addresses.get(raw)) ?? 'unknown';
    if (raw) {
      handshakes.delete(raw);
      if (refused.has(raw)) return;
      refused.add(raw);
    }
    report({ reason, remoteAddress, ...(party === undefined ? {} : { party }) });
  };
  return {
    get sessionCount() {
      return sessions.size;
    },
    enter(raw) {
      const address = raw.remoteAddress ?? 'unknown';
      addresses.set(raw, address);
      const network = networkOf(address);
      const yields = whoGivesWay(network, known.has(network), handshakes);
      if (yields !== undefined) {
        refuse(yields.raw, yields.reason);
        yields.raw.destroy();
      }
      connections.add(raw);
      handshakes.set(raw, { network, isKnown: known.has(network) });
      raw.once('close', () => {
        connections.delete(raw);
        handshakes.delete(raw);
      });
    },
    startSession(raw, socket, party) {
      if (raw) handshakes.delete(raw);
      const key = `${party.kind}/${party.name}`;
      // Connections that are passed on are many for one question, and must not use up the places of sessions.
      const isRelayed = socket.alpnProtocol === 'parley-relay';
      const [open, ofParty] = isRelayed
        ? [relayed, MTLS_LIMITS.relayedPerParty]
        : [sessions, MTLS_LIMITS.sessionsPerParty];
      const what = isRelayed ? 'connections to be passed on' : 'sessions';
      if (open.size >= LIMITS.sessions) return `more than ${LIMITS.sessions} ${what}`;
      if (count(open.values(), key) >= ofParty) return `more than ${ofParty} ${what} of one party`;
      open.set(socket, key);
      if (raw) remember(known, networkOf(addresses.get(raw)));
      socket.once('close', () => open.delete(socket));
      return undefined;
    },
    refuse,
    destroyAll() {
      for (const socket of [...sessions.keys(), ...relayed.keys()]) socket.destroy();
      for (const raw of connections) raw.destroy();
    },
  };
}

type Handshake = { readonly network: string; readonly isKnown: boolean };

/** The handshake that ends so that one of `network` can begin; undefined while there are places. */
function whoGivesWay(
  network: string,
  isKnown: boolean,
  handshakes: ReadonlyMap<Socket, Handshake>,
): { readonly raw: Socket; readonly reason: string } | undefined {
  const all = [...handshakes];
  const own = all.filter(([, handshake]) => handshake.network === network);
  if (own.length >= MTLS_LIMITS.handshakesPerNetwork)
    return {
      raw: own[0]![0],
      reason: `more than ${MTLS_LIMITS.handshakesPerNetwork} TLS handshakes at once from one network`,
    };
  const strangers = all.filter(([, handshake]) => !handshake.isKnown);
  if (!isKnown && strangers.length >= MTLS_LIMITS.strangersHandshakes)
    return {
      raw: oldestOfMost(strangers)!,
      reason: `more than ${MTLS_LIMITS.strangersHandshakes} TLS handshakes at once`,
    };
  if (all.length < MTLS_LIMITS.handshakes) return undefined;
  return {
    raw: oldestOfMost(strangers.length > 0 ? strangers : all)!,
    reason: `more than ${MTLS_LIMITS.handshakes} TLS handshakes at once`,
  };
}

function remember(known: Set<string>, network: string): void {
  known.delete(network);
  known.add(network);
  const [oldest] = known;
  if (known.size > MTLS_LIMITS.knownNetworks && oldest !== undefined) known.delete(oldest);
}

function count(values: Iterable<string>, wanted: string): number {
  let found = 0;
  for (const value of values) if (value === wanted) found += 1;
  return found;
}
