// A certificate domain in a temporary folder, for tests: a CA, identities, and listeners that greet and echo.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { type Clock, createSystemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import type { Party, PartyKind, Role } from '#model/identity.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { type DialInit, type Dialled, dial } from '#mtls/dial.ts';
import { type Identity, loadIdentity } from '#mtls/identity.ts';
import { type Listener, type ListenInit, listen, type SessionHandlers } from '#mtls/listen.ts';
import type { RefusedConnection } from '#mtls/refusal-reporter.ts';
import { createTrust, type TrustInit } from '#mtls/trust.ts';
import { HANG_MS } from '../until-written.ts';

export const systemClock = createSystemClock();

export type IssueOptions = {
  readonly kind?: PartyKind;
  readonly role?: Role;
  readonly lifetimeMs?: number;
  readonly dnsNames?: readonly string[];
  readonly clock?: Pick<Clock, 'nowMs'>;
  /** Folder below the domain's; the name unless told otherwise. */
  readonly folder?: string;
};

export type Domain = {
  readonly dir: string;
  readonly caPem: string;
  identity(name: string, options?: IssueOptions): Promise<Identity>;
  remove(): Promise<void>;
};

export async function createDomain(domain = 'lab.example', clock: Pick<Clock, 'nowMs'> = systemClock): Promise<Domain> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-mtls-'));
  const { caPem } = await initAuthority({ dir: join(dir, 'ca'), domain, clock });
  return {
    dir,
    caPem,
    async identity(name, options = {}) {
      const out = join(dir, options.folder ?? name);
      const { kind = 'node', role, lifetimeMs, dnsNames = [], clock: issuedAt = clock } = options;
      await issueCertificate({
        dir: join(dir, 'ca'),
        kind,
        ...(role === undefined ? {} : { role }),
        name,
        dnsNames,
        out,
        clock: issuedAt,
        ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
      });
      return loadIdentity(out, issuedAt);
    },
    async remove() {
      for (const socket of dialled) socket.destroy();
      for (const listener of started) await listener.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Every listener and socket of this test file, closed at its end also when a test failed. */
const started = new Set<Listener>();
const dialled: TLSSocket[] = [];

export type TestSession = { readonly socket: TLSSocket; readonly party: Party; readonly alpn: string };

export type TestListener = Listener & { readonly refused: RefusedConnection[]; readonly sessions: TestSession[] };

/** Greets with one byte and then echoes, on 127.0.0.1. */
export async function startListener(
  identity: Identity,
  options: Partial<ListenInit> & Pick<TrustInit, 'pins'> = {},
): Promise<TestListener> {
  const refused: RefusedConnection[] = [];
  const sessions: TestSession[] = [];
  const { pins, ...init } = options;
  const clock = init.clock ?? systemClock;
  const speak =
    (alpn: string): SessionHandlers['mcp'] =>
    (socket, party) => {
      sessions.push({ socket, party, alpn });
      socket.write('!');
      socket.on('data', (bytes) => socket.write(bytes));
    };
  const listener = await listen(
    {
      identity,
      trust: await createTrust({ clock, ...(pins === undefined ? {} : { pins }) }),
      host: '127.0.0.1',
      port: 0,
      log: silentLog,
      onRefused: (one) => refused.push(one),
      clock,
      ...init,
    },
    { mcp: speak('mcp'), h2: speak('h2'), http1: speak('http/1.1') },
  );
  started.add(listener);
  return {
    port: listener.port,
    get sessionCount() {
      return listener.sessionCount;
    },
    rotate: (next) => listener.rotate(next),
    async close() {
      started.delete(listener);
      await listener.close();
    },
    refused,
    sessions,
  };
}

export async function dialTo(
  listener: Pick<Listener, 'port'>,
  identity: Identity,
  options: Partial<DialInit> & Pick<TrustInit, 'pins'> = {},
): Promise<Dialled> {
  const { pins, ...init } = options;
  const clock = init.clock ?? systemClock;
  const session = await dial({
    identity,
    trust: await createTrust({ clock, ...(pins === undefined ? {} : { pins }) }),
    addresses: ['127.0.0.1'],
    port: listener.port,
    alpn: 'mcp',
    timeoutMs: HANG_MS,
    clock,
    ...init,
  });
  dialled.push(session.socket);
  return session;
}

/** Everything the socket receives until it holds `byteCount` bytes. */
export function receive(socket: TLSSocket, byteCount: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (text.length < byteCount) return;
      socket.off('data', onData);
      resolve(text);
    };
    socket.on('data', onData);
    socket.once('close', () => reject(new Error(`closed after ${text.length} of ${byteCount} bytes`)));
  });
}

/** Resolves when the socket is closed. */
export function closed(socket: {
  once(event: 'close', listener: () => void): unknown;
  readonly destroyed: boolean;
}): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    socket.once('close', () => resolve());
  });
}
