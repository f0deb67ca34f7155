// What the reflector remembers (RFC 8762 §4, stateful mode): for each session the probes that arrived. Pure: time is an
// argument. Bounded in sessions and in packets a second, so that a flood of made-up probes costs a measurement nothing; a prober for whose
// session there is no place gets an answer that says so, as its probes are not lost.
import { LIMITS } from '#base/limits.ts';
import { decodeProbeMessage, encodeProbeMessage, type ProbeMessage } from '../../protocol/probe-message.ts';
import { HELPER_LIMITS } from '../limits.ts';
import type { ProbeKeys } from './probe-keys.ts';
import { type Claimant, createPlaces, type PlaceKind, sourceNetwork } from './reflector-places.ts';

type Session = {
  readonly arrived: Uint8Array;
  /** What its sender may have answered, together with all others of its kind. */
  readonly allow: Bucket;
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

export type Trust = Pick<ProbeKeys, 'isProven'> & {
  /** The far end of a link that this node monitors. */
  isNeighbour(address: string): boolean;
};

export function createReflectorTable(trust: Trust): ReflectorTable {
  const places = createPlaces<Session>();
  const answers = bucketOfEach({
    proven: HELPER_LIMITS.reflectorPacketsPerSecond,
    neighbour: HELPER_LIMITS.reflectorOtherPacketsPerSecond,
    other: HELPER_LIMITS.reflectorOtherPacketsPerSecond,
  });
  const refusals = bucketOfEach({
    proven: HELPER_LIMITS.reflectorOtherPacketsPerSecond,
    neighbour: HELPER_LIMITS.reflectorRefusalsPerSecond,
    other: HELPER_LIMITS.reflectorRefusalsPerSecond,
  });

  const claimantOf = (sender: string, { session, proof }: ProbeMessage): Claimant => {
    if (proof !== undefined && trust.isProven(session, proof)) return { kind: 'proven', owner: proof.keyId };
    return trust.isNeighbour(sender)
      ? { kind: 'neighbour', owner: sender }
      : { kind: 'other', owner: sourceNetwork(sender) };
  };
  /** The kind of a sender for whose session there is no place. */
  const sessionFor = (sender: string, message: ProbeMessage, nowMs: number): Session | PlaceKind => {
    const key = `${sender} ${message.session}`;
    const found = places.find(key);
    if (found !== undefined) return found;
    const claimant = claimantOf(sender, message);
    const arrived = new Uint8Array(Math.ceil(LIMITS.probeCount / 8));
    const fresh = { arrived, allow: answers[claimant.kind], received: 0, answered: 0, refused: 0, lastMs: nowMs };
    return places.take(key, claimant, fresh) ? fresh : claimant.kind;
  };

  return {
    get sessionCount() {
      return places.size;
    },
    reflect(sender, datagram, nowMs, arrivedUs, wallMs) {
      const decoded = decodeProbeMessage(datagram);
      if (!decoded.ok) return undefined;
      const { kind, session: id, sequence, timed } = decoded.value;
      if (kind !== 'probe' && kind !== 'query') return undefined;
      if (sequence >= LIMITS.probeCount) return undefined;
      const session = sessionFor(sender, decoded.value, nowMs);
      if (typeof session === 'string')
        return kind === 'probe' && refusals[session](nowMs)
          ? encodeProbeMessage({ kind: 'refusal', session: id, sequence, ...NOTHING_COUNTED }, datagram.length)
          : undefined;
      session.lastMs = nowMs;
      if (kind === 'probe') noteArrival(session, sequence);
      if (!session.allow(nowMs)) {
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

const NOTHING_COUNTED = { reflectorSequence: 0, reflectorReceived: 0, reflectorRefused: 0 } as const;

/** True for as many packets a second as it allows. */
type Bucket = (nowMs: number) => boolean;

function bucketOfEach(rates: Readonly<Record<PlaceKind, number>>): Readonly<Record<PlaceKind, Bucket>> {
  const { proven, neighbour, other } = rates;
  return { proven: createBucket(proven), neighbour: createBucket(neighbour), other: createBucket(other) };
}

function createBucket(packetsPerSecond: number): Bucket {
  let tokens = packetsPerSecond;
  let refilledMs = 0;
  return (nowMs) => {
    tokens = Math.min(packetsPerSecond, tokens + ((nowMs - refilledMs) * packetsPerSecond) / 1000);
    refilledMs = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
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
