// Cuts a socket when its peer's certificate ends: TLS itself checks validity only once, at the handshake, and an open
// session would live on for ever (TS-24).
import type { Socket } from 'node:net';
import type { Clock } from '#base/clock.ts';
import { MTLS_LIMITS } from './limits.ts';

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
