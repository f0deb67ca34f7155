// Who may come in, and how many at once: places for handshakes and for sessions are counted apart, so that strangers
// cannot use up what authenticated peers need. Reports refusals, at a bounded rate.
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { LIMITS } from '#base/limits.ts';
import type { Party } from '#model/identity.ts';
import { MTLS_LIMITS } from './limits.ts';
import { createRefusalReporter, type RefusalReporterInit } from './refusal-reporter.ts';

export type Admission = {
  readonly sessionCount: number;
  /** False when the connection was turned away. */
  enter(raw: Socket): boolean;
  /** The handshake's place becomes a session's; says why not when there is none. */
  startSession(raw: Socket | undefined, socket: TLSSocket, party: Party): string | undefined;
  refuse(raw: Socket | undefined, reason: string, party?: Party): void;
  destroyAll(): void;
};

export function createAdmission(init: RefusalReporterInit): Admission {
  const connections = new Set<Socket>();
  const handshakes = new Map<Socket, string>();
  const sessions = new Map<TLSSocket, string>();
  const relayed = new Map<TLSSocket, string>();
  const addresses = new WeakMap<Socket, string>();
  const report = createRefusalReporter(init);

  const refuse: Admission['refuse'] = (raw, reason, party) => {
    const remoteAddress = (raw && addresses.get(raw)) ?? 'unknown';
    if (raw) handshakes.delete(raw);
    report({ reason, remoteAddress, ...(party === undefined ? {} : { party }) });
  };
  return {
    get sessionCount() {
      return sessions.size;
    },
    enter(raw) {
      const address = raw.remoteAddress ?? 'unknown';
      addresses.set(raw, address);
      const reason = noPlaceFor(address, handshakes);
      if (reason !== undefined) {
        refuse(raw, reason);
        raw.destroy();
        return false;
      }
      connections.add(raw);
      handshakes.set(raw, address);
      raw.once('close', () => {
        connections.delete(raw);
        handshakes.delete(raw);
      });
      return true;
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

function noPlaceFor(address: string, handshakes: ReadonlyMap<Socket, string>): string | undefined {
  if (handshakes.size >= MTLS_LIMITS.handshakes) return `more than ${MTLS_LIMITS.handshakes} TLS handshakes at once`;
  if (count(handshakes.values(), address) < MTLS_LIMITS.handshakesPerAddress) return undefined;
  return `more than ${MTLS_LIMITS.handshakesPerAddress} TLS handshakes at once from one address`;
}

function count(values: Iterable<string>, wanted: string): number {
  let found = 0;
  for (const value of values) if (value === wanted) found += 1;
  return found;
}
