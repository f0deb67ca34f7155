// What the reflector remembers (RFC 8762 §4, stateful mode): for each session the probes that arrived. Pure: time is an
// argument. Bounded in sessions and in packets a second, so that a flood costs others nothing but answers.
import { LIMITS } from '#base/limits.ts';
import { decodeProbeMessage, encodeProbeMessage } from '../../protocol/probe-message.ts';
import { HELPER_LIMITS } from '../limits.ts';

type Session = {
  readonly arrived: Uint8Array;
  received: number;
  answered: number;
  refused: number;
  lastMs: number;
  /** One microsecond before the arrival of the first probe that was to be timed. */
  beganUs?: number;
};

export type ReflectorTable = {
  /**
   * The answer to one datagram from the address `sender`, whichever port it used, as long as the datagram; undefined when none is due.
   * `arrivedUs` tells when the kernel took it in, and is asked only for a probe that wants to know; `wallMs` what the same clock shows now.
   */
  reflect(
    sender: string,
    datagram: Uint8Array,
    nowMs: number,
    arrivedUs?: () => number | undefined,
    wallMs?: () => number,
  ): Uint8Array | undefined;
  readonly sessionCount: number;
};

export function createReflectorTable(): ReflectorTable {
  const sessions = new Map<string, Session>();
  let tokens: number = HELPER_LIMITS.reflectorPacketsPerSecond;
  let refilledMs = 0;

  const allow = (nowMs: number): boolean => {
    const refill = ((nowMs - refilledMs) * HELPER_LIMITS.reflectorPacketsPerSecond) / 1000;
    tokens = Math.min(HELPER_LIMITS.reflectorPacketsPerSecond, tokens + refill);
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
    if (sessions.size >= HELPER_LIMITS.reflectorSessions) {
      const [oldestKey, oldest] = sessions.entries().next().value!;
      if (nowMs - oldest.lastMs < HELPER_LIMITS.reflectorIdleMs) return undefined;
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
    reflect(sender, datagram, nowMs, arrivedUs, wallMs) {
      const decoded = decodeProbeMessage(datagram);
      if (!decoded.ok) return undefined;
      const { kind, session: id, sequence, timed } = decoded.value;
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
      const cameUs = kind === 'probe' && timed === true ? arrivedUs?.() : undefined;
      const sinceUs = sinceFirst(session, cameUs);
      return encodeProbeMessage(
        {
          kind: kind === 'probe' ? 'reflection' : 'status',
          session: id,
          sequence,
          reflectorSequence: kind === 'probe' ? session.answered++ : session.answered,
          reflectorReceived: session.received,
          reflectorRefused: session.refused,
          ...(sinceUs === undefined ? {} : { arrivedUs: sinceUs, heldUs: heldUs(cameUs, wallMs?.()) }),
        },
        datagram.length,
      );
    },
  };
}

/** From 1 on: a stranger learns how far apart its own probes came in, and not what time it is here. */
function sinceFirst(session: Session, arrivedUs: number | undefined): number | undefined {
  if (arrivedUs === undefined) return undefined;
  session.beganUs ??= arrivedUs - 1;
  return arrivedUs - session.beganUs;
}

/** A probe that seems to have waited longer came before the clock was set. */
const LONGEST_HELD_US = 60_000_000;

function heldUs(arrivedUs: number | undefined, wallMs: number | undefined): number {
  const us = arrivedUs === undefined || wallMs === undefined ? 0 : wallMs * 1_000 - arrivedUs;
  return us > 0 && us <= LONGEST_HELD_US ? us : 0;
}

/** Counts each probe once: duplicates on the way must not hide a loss. */
function noteArrival(session: Session, sequence: number): void {
  const bit = 1 << (sequence & 7);
  const index = sequence >> 3;
  if ((session.arrived[index]! & bit) !== 0) return;
  session.arrived[index]! |= bit;
  session.received += 1;
}
