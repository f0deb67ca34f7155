// The port of a registrar: TLS 1.3 without a client certificate, one enrolment a connection, then the connection ends. Bounded in
// connections, octets and time; apart from the port of mutual TLS, and open only while its owner keeps it open.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { Identity } from '../identity.ts';
import { secureContextOptions } from '../policy.ts';
import { parsedBy, receiveMessage, sendMessage } from './frames.ts';
import { ENROL_LIMITS } from './limits.ts';
import { ENROL_ALPN, EXPORTER_BYTES, EXPORTER_LABEL, helloSchema, proofSchema } from './messages.ts';
import { createPlaces } from './places.ts';
import type { EnrolmentOutcome, Registrar } from './registrar.ts';

export type RegistrarListener = { readonly port: number; close(): Promise<void> };

export type ListenRegistrar = {
  /** Shown in the TLS handshake; enrolling nodes trust the code and not it. */
  readonly identity: Identity;
  readonly registrar: Registrar;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Log;
  /** For the audit trail: each run that got as far as naming a code, once, however it ended. */
  readonly onOutcome: (outcome: EnrolmentOutcome, remoteAddress: string) => void;
};

/** Rejects with ParleyError `us/cannot-listen`. */
export async function listenRegistrar(init: ListenRegistrar): Promise<RegistrarListener> {
  const { log } = init;
  const places = createPlaces<Socket>(ENROL_LIMITS.connections);
  const tls = createTlsServer({
    ...secureContextOptions(init.identity),
    requestCert: false,
    ALPNProtocols: [ENROL_ALPN],
    handshakeTimeout: ENROL_LIMITS.handshakeMs,
  });
  tls.on('secureConnection', (socket) => {
    socket.on('error', (error) => log.debug('enrolment ended with an error', { reason: messageOf(error) }));
    void serve(init, socket, () => places.spoke(socket)).catch((error) => {
      log.error('enrolment failed', { reason: messageOf(error) });
      end(socket, { type: 'refusal', reason: 'failed', detail: 'the registrar failed, its log says why: try again' });
    });
  });
  tls.on('tlsClientError', (error, socket) => {
    log.debug('enrolment without a TLS session', { reason: messageOf(error) });
    socket.destroy();
  });
  const listener = createServer({ noDelay: true }, (raw) => {
    raw.on('error', (error) => log.debug('connection ended with an error', { reason: messageOf(error) }));
    raw.once('close', () => places.remove(raw));
    places.admit(raw);
    void endAfter(init, raw);
    tls.emit('connection', raw);
  });
  try {
    await once(listener.listen({ port: init.port, host: init.host }), 'listening');
  } catch (cause) {
    const message = `cannot listen for enrolments on ${init.host} port ${init.port}: ${messageOf(cause)}`;
    throw new ParleyError('us/cannot-listen', message, { cause });
  }
  listener.on('error', (error) => log.error('registrar failed to accept a connection', { reason: messageOf(error) }));
  return {
    port: (listener.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((resolve) => listener.close(resolve));
      for (const raw of places.all()) raw.destroy();
      await closed;
    },
  };
}

async function endAfter({ clock }: ListenRegistrar, raw: Socket): Promise<void> {
  const closed = new AbortController();
  raw.once('close', () => closed.abort());
  await clock.sleep(ENROL_LIMITS.runMs, closed.signal).then(
    () => raw.destroy(),
    () => {},
  );
}

async function serve(init: ListenRegistrar, socket: TLSSocket, onHello: () => void): Promise<void> {
  const remoteAddress = socket.remoteAddress ?? 'unknown';
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0));
  const hello = await next(init, socket, helloSchema);
  if (hello === undefined) return;
  onHello();
  let outcome: EnrolmentOutcome = { outcome: 'failed', code: hello.code };
  try {
    const started = await init.registrar.start(hello, exporter);
    if (!started.ok) {
      outcome = started.outcome;
      end(socket, started.refusal);
      return;
    }
    outcome = started.value.unproven;
    sendMessage(socket, started.value.challenge);
    const proof = await next(init, socket, proofSchema);
    if (proof === undefined) return;
    outcome = { ...outcome, outcome: 'failed' };
    const finished = await started.value.finish(proof);
    outcome = finished.outcome ?? outcome;
    end(socket, finished.ok ? finished.value : finished.refusal);
  } finally {
    init.onOutcome(outcome, remoteAddress);
  }
}

/** Undefined where the session is over: a message of another form gets no answer. */
async function next<Value>(
  { log }: ListenRegistrar,
  socket: TLSSocket,
  schema: Parameters<typeof parsedBy<Value>>[0],
): Promise<Value | undefined> {
  const received = await receiveMessage(socket);
  const parsed = received === 'closed' ? undefined : parsedBy(schema, received);
  if (parsed?.ok) return parsed.value;
  if (parsed !== undefined) log.debug('enrolment ended', { reason: parsed.reason });
  socket.destroy();
  return undefined;
}

function end(socket: TLSSocket, answer: object): void {
  sendMessage(socket, answer);
  socket.end();
}
