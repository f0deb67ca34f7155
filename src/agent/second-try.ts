// A session whose peer says nothing for long gets a second connection beside it, and the call is asked again over that one: a link may
// drop every packet of one TCP connection and none of the next. Only for calls that change nothing and send nothing; the first answer
// counts, whichever connection it comes over. Refuses to wait longer than the call's own time.
import type { Clock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import type { ExchangedCall, OutgoingCall, PeerSession } from '#model/call.ts';

/** `renew` dials anew; its session takes the place of the one given when it stands. */
export function withSecondTry(
  session: PeerSession,
  renew: (signal: AbortSignal) => Promise<PeerSession>,
  clock: Clock,
): PeerSession {
  return {
    peer: session.peer,
    chain: session.chain,
    authorised: session.authorised,
    get closed() {
      return session.closed;
    },
    close: () => session.close(),
    call: (call) => answerOfEither(call, session, renew, clock),
  };
}

async function answerOfEither(
  call: OutgoingCall,
  session: PeerSession,
  renew: (signal: AbortSignal) => Promise<PeerSession>,
  clock: Clock,
): Promise<ExchangedCall> {
  const settled = new AbortController();
  const signal = call.signal === undefined ? settled.signal : AbortSignal.any([settled.signal, call.signal]);
  const first = session.call(call);
  if (call.timeoutMs <= LIMITS.secondTryMs) return first;
  const second = async () => {
    await clock.sleep(LIMITS.secondTryMs, signal);
    const fresh = await renew(signal);
    return fresh.call({ ...call, timeoutMs: call.timeoutMs - LIMITS.secondTryMs, signal });
  };
  try {
    // A refusal or an error of the first is its answer; that it only took long is not.
    return await Promise.race([first, second().catch(() => first)]);
  } finally {
    settled.abort();
  }
}
