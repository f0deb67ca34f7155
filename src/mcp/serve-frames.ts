// The sessions on ALPN `mcp`, and their places. Refuses a peer that decides on no dialect within LIMITS.initializeMs, and sessions beyond
// the listener's bound.
import type { Duplex } from 'node:stream';
import { STOPPED } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { MCP_LIMITS } from './limits.ts';
import { type FramesParts, openSession } from './opening.ts';
import { createSessionCount } from './session-count.ts';
import { createFrameChannel, type FrameChannel } from './transports/frame-channel.ts';

export type FramesServer = {
  serve(duplex: Duplex, caller: Party): void;
  /** Ends every session. */
  close(): void;
};

export function createFramesServer(parts: FramesParts): FramesServer {
  // Sessions of this machine have places of their own: those of the network, however many, must not shut out the operator at the router.
  const network = new Set<FrameChannel>();
  const local = new Set<FrameChannel>();
  return {
    serve(duplex, caller) {
      const [channels, most] =
        caller.thumbprint === undefined ? [local, MCP_LIMITS.localSessions] : [network, LIMITS.sessions];
      const count = createSessionCount(parts, caller, 'frames');
      const channel = createFrameChannel({ duplex, role: 'serving', heard: count.heard });
      const waiting = new AbortController();
      channels.add(channel);
      channel.ended = (reason) => {
        channels.delete(channel);
        waiting.abort(STOPPED);
        count.end();
        if (reason !== undefined) parts.onRefused({ party: caller, transport: 'frames', reason });
      };
      channel.invalid = (reason) =>
        parts.onRefused({ party: caller, transport: 'frames', reason, code: WIRE_CODES.invalidRequest });
      openSession({ parts, channel, caller, decided: () => waiting.abort(STOPPED) });
      channel.start();
      if (channels.size > most) {
        channel.refuse(`expected at most ${most} sessions, got one more`, {
          id: null,
          code: WIRE_CODES.busy,
        });
        return;
      }
      parts.clock.sleep(LIMITS.initializeMs, waiting.signal).then(
        () =>
          channel.refuse(`expected initialize within ${LIMITS.initializeMs} ms, got nothing`, {
            id: null,
            code: WIRE_CODES.timeout,
          }),
        () => {},
      );
    },
    close() {
      for (const channel of [...network, ...local]) channel.close();
    },
  };
}
