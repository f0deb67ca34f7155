// Cuts a socket when its peer's certificate ends or is revoked: TLS itself checks validity only once, at the handshake, and an open
// session would live on for ever (TS-24).
import type { Socket } from 'node:net';
import type { Clock } from '#base/clock.ts';
import { MTLS_LIMITS } from './limits.ts';
import type { PeerCertificate } from './peer-certificate.ts';
import type { Trust } from './trust.ts';

/** For a session whose peer's certificate was judged. `onCut` hears why, before the socket goes. */
export function endWithCertificate(init: {
  readonly socket: CertificateEndInit['socket'];
  readonly peer: PeerCertificate;
  readonly trust: Pick<Trust, 'nowMs' | 'watch'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly onCut?: (reason: string) => void;
}): void {
  const { socket, peer, trust, clock, onCut = () => {} } = init;
  const cut = (reason: string) => {
    onCut(reason);
    socket.destroy();
  };
  socket.once('close', trust.watch({ ...peer, cut }));
  destroyAtCertificateEnd({
    ...{ socket, clock, notAfterMs: peer.party.notAfterMs ?? 0, nowMs: () => trust.nowMs() },
    onEnd: () => onCut('the certificate of its peer has ended'),
  });
}

export type CertificateEndInit = {
  readonly socket: Pick<Socket, 'destroy' | 'destroyed' | 'once'>;
  readonly notAfterMs: number;
  readonly nowMs: () => number;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly onEnd?: () => void;
};

/**
 * Looks at the time at least every `MTLS_LIMITS.certificateCheckMs`, so that a stepped wall clock is noticed and no timer
 * exceeds setTimeout's 2^31 ms.
 */
export function destroyAtCertificateEnd(init: CertificateEndInit): void {
  const closed = new AbortController();
  init.socket.once('close', () => closed.abort());
  void watch(init, closed.signal);
}

async function watch(init: CertificateEndInit, closed: AbortSignal): Promise<void> {
  while (!closed.aborted) {
    const leftMs = init.notAfterMs - init.nowMs();
    if (leftMs <= 0) {
      init.onEnd?.();
      init.socket.destroy();
      return;
    }
    try {
      await init.clock.sleep(Math.min(leftMs, MTLS_LIMITS.certificateCheckMs), closed);
    } catch (error) {
      if (!closed.aborted) throw error;
    }
  }
}
