// A session whose peer says nothing for long gets a second connection beside it, and the call is asked again over that one: a link may
// drop every packet of one TCP connection and none of the next. Only for calls that change nothing and send nothing; the first answer
// counts, whichever connection it comes over. While most of those that were asked at the same time are silent too, they are busy, and
// asking them twice would make them busier: then it waits longer. Refuses to wait longer than the call's own time.
import { type Clock, STOPPED } from '#base/clock.ts';
import type { ExchangedCall, OutgoingCall, PeerSession } from '#model/call.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** Calls that were made at the same time. */
export type Crowd = {
  /** Resolves once no more than half of them, or two, are without an answer. */
  readonly thin: Promise<void>;
  answered(): void;
};

export function createCrowd(calls: number): Crowd {
  const few = Math.max(2, calls / 2);
  let waiting = calls;
  let thinned = () => {};
  const thin = new Promise<void>((resolve) => {
    thinned = resolve;
  });
  if (waiting <= few) thinned();
  return {
    thin,
    answered() {
      waiting -= 1;
      if (waiting <= few) thinned();
    },
  };
}

/** `renew` dials anew; its session takes the place of the one given when it stands. */
export function withSecondTry(
  session: PeerSession,
  renew: (signal: AbortSignal) => Promise<PeerSession>,
  clock: Clock,
  crowd: Crowd = createCrowd(1),
): PeerSession {
  return {
    peer: session.peer,
    chain: session.chain,
    authorised: session.authorised,
    ...(session.through === undefined ? {} : { through: session.through }),
    get closed() {
      return session.closed;
    },
    close: () => session.close(),
    call: (call) => answerOfEither(call, session, renew, clock, crowd).finally(crowd.answered),
  };
}

async function answerOfEither(
  call: OutgoingCall,
  session: PeerSession,
  renew: (signal: AbortSignal) => Promise<PeerSession>,
  clock: Clock,
  crowd: Crowd,
): Promise<ExchangedCall> {
  const settled = new AbortController();
  const signal = call.signal === undefined ? settled.signal : AbortSignal.any([settled.signal, call.signal]);
  const first = session.call(call);
  if (call.timeoutMs <= AGENT_LIMITS.hedgeMs) return first;
  const second = async () => {
    const startedMs = clock.monotonicMs();
    await clock.sleep(AGENT_LIMITS.hedgeMs, signal);
    await Promise.race([crowd.thin, clock.sleep(AGENT_LIMITS.busyHedgeMs - AGENT_LIMITS.hedgeMs, signal)]);
    const leftMs = call.timeoutMs - (clock.monotonicMs() - startedMs);
    const fresh = await renew(signal);
    return fresh.call({ ...call, timeoutMs: leftMs, signal });
  };
  try {
    // A refusal or an error of the first is its answer; that it only took long is not.
    return await Promise.race([first, second().catch(() => first)]);
  } finally {
    settled.abort(STOPPED);
  }
}
