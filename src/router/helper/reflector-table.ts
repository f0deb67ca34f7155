// What the reflector remembers (RFC 8762 §4, stateful mode): for each session the probes that arrived. Pure: time is an
// argument. Bounded in sessions and in packets a second, so that a flood costs others nothing but answers.
import { LIMITS } from '#base/limits.ts';
import { decodeProbeMessage, encodeProbeMessage } from './probe-message.ts';

type Session = { readonly arrived: Uint8Array; received: number; answered: number; refused: number; lastMs: number };

export type ReflectorTable = {
  /** The answer to one datagram from the address `sender`, whichever port it used, as long as the datagram; undefined when none is due. */
  reflect(sender: string, datagram: Uint8Array, nowMs: number, arrivedUs?: number): Uint8Array | undefined;
  readonly sessionCount: number;
};

export function createReflectorTable(): ReflectorTable {
  const sessions = new Map<string, Session>();
  let tokens: number = LIMITS.reflectorPacketsPerSecond;
  let refilledMs = 0;

  const allow = (nowMs: number): boolean => {
    const refill = ((nowMs - refilledMs) * LIMITS.reflectorPacketsPerSecond) / 1000;
    tokens = Math.min(LIMITS.reflectorPacketsPerSecond, tokens + refill);
    refilledMs = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
  /** A flood of made-up sessions must not push out one that is being counted: only an idle one gives way. */
  const sessionFor = (key: string, nowMs: number): Session | undefined => {
    const known = sessions.get(key);
    if (known !== undefined) {
      sessions.delete(key);
      sessions.set(key, known);
      return known;
    }
    if (sessions.size >= LIMITS.reflectorSessions) {
      const [oldestKey, oldest] = sessions.entries().next().value!;
      if (nowMs - oldest.lastMs < LIMITS.reflectorIdleMs) return undefined;
      sessions.delete(oldestKey);
    }
    const fresh: Session = {
      arrived: new Uint8Array(Math.ceil(LIMITS.probeCount / 8)),
      received: 0,
      answered: 0,
      refused: 0,
      lastMs: nowMs,
    };
    sessions.set(key, fresh);
    return fresh;
  };

  return {
    get sessionCount() {
      return sessions.size;
    },
    reflect(sender, datagram, nowMs, arrivedUs) {
      const decoded = decodeProbeMessage(datagram);
      if (!decoded.ok) return undefined;
      const { kind, session: id, sequence } = decoded.value;
      if (kind !== 'probe' && kind !== 'query') return undefined;
      if (sequence >= LIMITS.probeCount) return undefined;
      const session = sessionFor(`${sender} ${id}`, nowMs);
      if (session === undefined) return undefined;
      session.lastMs = nowMs;
      if (kind === 'probe') noteArrival(session, sequence);
      if (!allow(nowMs)) {
        if (kind === 'probe') session.refused += 1;
        return undefined;
      }
      return encodeProbeMessage(
        {
          kind: kind === 'probe' ? 'reflection' : 'status',
          session: id,
          sequence,
          reflectorSequence: kind === 'probe' ? session.answered++ : session.answered,
          reflectorReceived: session.received,
          reflectorRefused: session.refused,
          ...(kind === 'probe' && arrivedUs !== undefined ? { arrivedUs } : {}),
        },
        datagram.length,
      );
    },
  };
}

/** Counts each probe once: duplicates on the way must not hide a loss. */
function noteArrival(session: Session, sequence: number): void {
  const bit = 1 << (sequence & 7);
  const index = sequence >> 3;
  if ((session.arrived[index]! & bit) !== 0) return;
  session.arrived[index]! |= bit;
  session.received += 1;
}
