// The listeners of an agent: TLS for peers, controllers and remote operators; the Unix socket for operators on this machine; the loopback
// endpoint for MCP hosts (CARD-1, CARD-7). Log and audit trail record every refused connection with its reason.
import type { Socket } from 'node:net';
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import type { Loopback } from '#mcp/http/loopback.ts';
import type { McpServer } from '#mcp/server.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { Identity } from '#mtls/identity.ts';
import { type Listener, listen, type SessionHandler } from '#mtls/listen.ts';
import { type LocalListener, listenLocal } from '#mtls/local-socket.ts';
import { LOCAL_NAME, LOOPBACK_NAME } from '#mtls/party.ts';
import type { Trust } from '#mtls/trust.ts';
import type { Part } from '../lifecycle.ts';
import { loadToken } from '../parts/loopback-token.ts';
import { localUserOf } from './local-user.ts';
import type { RelayChannels } from './relay-channels.ts';

/** One socket for both: a frame begins with a length below 2^24, HTTP/2 with `PRI` (RFC 9113 §3.4). */
function serveEither(server: McpServer, socket: Socket, operator: Party): void {
  socket.setTimeout(LIMITS.initializeMs, () => socket.destroy());
  socket.once('readable', () => {
    const first = socket.read() as Buffer | null;
    if (first === null) return;
    socket.setTimeout(0);
    socket.removeAllListeners('timeout');
    socket.unshift(first);
    if (first[0] === 0x50) server.serveHttp2(socket, operator);
    else server.serveFrames(socket, operator);
  });
}

/** The certificates behind each caller's connection, for as long as that lasts. */
export type CallerChains = WeakMap<Party, CertificateChain>;

export type Listeners = { readonly parts: readonly Part[]; port(): number };

export function openListeners(init: {
  /** The certificate to show, now and after each renewal. */
  readonly live: { current(): Identity; onChange(listener: (identity: Identity) => void): void };
  readonly trust: Trust;
  readonly listen: { readonly host: string; readonly port: number };
  readonly control: { readonly socket: string; readonly group: string };
  readonly server: McpServer;
  /** Connections that this node passes on. */
  readonly channels: RelayChannels;
  /** Filled here. */
  readonly callerChains: CallerChains;
  readonly loopback: { readonly port?: number | undefined; readonly tokenFile: string };
  readonly record: (record: AuditRecord) => void;
  readonly clock: Clock;
  readonly log: Log;
}): Listeners {
  const { server, channels, record, clock, log, callerChains } = init;
  const noted =
    (serve: McpServer['serveFrames']): SessionHandler =>
    (socket, party, chain) => {
      callerChains.set(party, chain);
      serve(socket, party);
    };
  let listener: Listener | undefined;
  init.live.onChange((identity) => listener?.rotate(identity));
  let local: LocalListener | undefined;
  const operator: Party = { kind: 'operator', domain: init.live.current().party.domain, name: LOCAL_NAME };

  let isUserUnknown = false;
  /** Before anything is read: what the session does is recorded with its user. */
  const withUser = async (socket: Socket, party: Party): Promise<Party> => {
    try {
      const localUser = await localUserOf(socket);
      return localUser === undefined ? { ...party } : { ...party, localUser };
    } catch (error) {
      if (!isUserUnknown) log.warn('the users of the local socket cannot be told apart', { reason: messageOf(error) });
      isUserUnknown = true;
      return { ...party };
    }
  };

  const tls: Part = {
    name: 'tls listener',
    start: async () => {
      const { host, port } = init.listen;
      listener = await listen(
        {
          identity: init.live.current(),
          trust: init.trust,
          host,
          port,
          log,
          clock,
          onRefused: ({ reason, remoteAddress, party }) =>
            record({
              event: 'connection-refused',
              reason,
              detail: { remoteAddress },
              ...(party ? { party: `${party.kind}/${party.name}` } : {}),
            }),
        },
        {
          mcp: noted(server.serveFrames),
          http1: noted(server.serveHttp1),
          h2: noted(server.serveHttp2),
          relay: channels.serve,
        },
      );
    },
    stop: async () => {
      server.close();
      channels.close();
      await listener?.close();
    },
  };
  const unix: Part = {
    name: 'operators socket',
    start: async () => {
      const { socket, group } = init.control;
      local = await listenLocal({
        path: socket,
        ...(group === '' ? {} : { group }),
        onSession: (socket) => void withUser(socket, operator).then((party) => serveEither(server, socket, party)),
      });
    },
    stop: async () => local?.close(),
  };
  let host: Loopback | undefined;
  const loopback: Part = {
    name: 'loopback endpoint',
    start: async () => {
      const { port, tokenFile } = init.loopback;
      if (port === undefined) return;
      const token = await loadToken(tokenFile);
      host = await server.listenLoopback({ port, party: { ...operator, name: LOOPBACK_NAME }, token });
      log.info('loopback endpoint listens', { port: host.port, tokenFile });
    },
    stop: async () => host?.close(),
  };
  return { parts: [tls, unix, loopback], port: () => listener?.port ?? init.listen.port };
}
