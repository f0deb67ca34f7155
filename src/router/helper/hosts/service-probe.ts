// Tries services at addresses as a user's packets would: echoes, TCP connections, datagrams that a closed port refuses. Reports whether
// there was an answer. Sends no data to a service but a question for a name and, where a real answer is wanted, `GET /` to a web
// server. From an address of this node's own, never a host's: where none is named, the one of its loopback. Bounded in number and
// time; every socket is closed when it ends.
import { createSocket } from 'node:dgram';
import { createConnection } from 'node:net';
import { afterInput } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { addressBytes, macBytes } from '#codec/arp.ts';
import { addressesIn, encodeQuestion, holdsRecord } from '#codec/dns.ts';
import { encodeEcho, encodeEchoFrame } from '#codec/icmp.ts';
import type { ServiceProbe, ServiceProbeRequest, ServiceProbeResult } from '#model/router/hosts.ts';
import { isOwnSource, ownAddresses, probeSource, readPort } from '../../native/addresses.ts';
import { loadLibc, type PacketSocket } from '../../native/libc.ts';
import { HELPER_LIMITS } from '../limits.ts';
import type { ProberParts } from '../probe/prober.ts';
import { timeAnswers } from './answer-times.ts';
import { type Echoes, isReplyOf, openEchoes } from './echoes.ts';

const ECHOES = 3;
const TURN_MS = 5;
const QUESTION_ID = 0x706c;

/** Of web servers that read text. TLS does not, and to other ports nothing is sent. */
const PAGE_PORTS: readonly number[] = [80, 8_080];
const STATUS_LINE = /^HTTP\/\d/;

type Tried = Pick<
  ServiceProbeResult,
  'sent' | 'answered' | 'open' | 'found' | 'reply' | 'addresses' | 'tookMs' | 'echoMs'
>;
type How = Pick<ServiceProbeRequest, 'source' | 'whole'>;

export async function probeServices(
  serviceProbes: readonly ServiceProbe[],
  { source: wanted, whole = false }: How,
  parts: ProberParts,
  signal: AbortSignal,
): Promise<readonly ServiceProbeResult[]> {
  if (wanted !== undefined) refuseOthersSource(wanted, serviceProbes);
  const sourceTo = (destination: string) => wanted ?? probeSource(destination);
  const echoes = serviceProbes.filter((serviceProbe) => serviceProbe.service === 'echo');
  const [echoed, ...tried] = await Promise.all([
    echoAll(echoes, sourceTo, parts, signal),
    ...serviceProbes.map((serviceProbe) =>
      serviceProbe.service === 'echo'
        ? undefined
        : tryPort(serviceProbe, { source: sourceTo(serviceProbe.destination), whole }, parts, signal),
    ),
  ]);
  return serviceProbes.map((serviceProbe, index) => {
    const { sent = 0, answered = false } = echoed.get(serviceProbe) ?? {};
    return { ...serviceProbe, ...(tried[index] ?? { sent, answered, open: answered }) };
  });
}

/** Where a kernel lets programs use addresses that it does not have, it would send in a host's name. */
function refuseOthersSource(source: string, serviceProbes: readonly ServiceProbe[]): void {
  const isIpv6 = source.includes(':');
  if (isIpv6 ? !isOwnSource(source) : !ownAddresses('IPv4').includes(source))
    throw new ParleyError('caller/source-address', `expected an address of this node, got ${source}`);
  const other = serviceProbes.find(({ destination }) => destination.includes(':') !== isIpv6);
  if (other !== undefined)
    throw new ParleyError(
      'caller/source-address',
      `expected a source of the family of ${other.destination}, got ${source}`,
    );
}

type Echoed = { sent: number; answered: boolean };

/**
 * Every echo has an identifier of its own, so that its answer is known whichever way it took. `sent` leaves out those that the kernel has no
 * way for.
 */
async function echoAll(
  serviceProbes: readonly ServiceProbe[],
  sourceTo: (destination: string) => string | undefined,
  parts: ProberParts,
  signal: AbortSignal,
): Promise<ReadonlyMap<ServiceProbe, Echoed>> {
  const echoed = new Map(
    serviceProbes.map((serviceProbe): [ServiceProbe, Echoed] => [serviceProbe, { sent: 0, answered: false }]),
  );
  const sources = new Set(serviceProbes.flatMap(({ destination }) => sourceTo(destination) ?? []));
  const libc = await loadLibc();
  const sockets = new Map([...sources].flatMap((source) => withSocket(source, openEchoes(libc, source))));
  if (sockets.size === 0) return echoed;
  const first = Number.parseInt(Buffer.from(parts.random.bytes(2)).toString('hex'), 16);
  const echoes = serviceProbes.flatMap((serviceProbe, index) => {
    const source = sourceTo(serviceProbe.destination) ?? '';
    const socket = sockets.get(source);
    return socket === undefined ? [] : [{ serviceProbe, source, socket, identifier: (first + index) & 0xffff }];
  });
  let open = echoes.length;
  const ports = await openPorts(serviceProbes);
  try {
    for (let round = 0; round < ECHOES; round++) {
      for (const { serviceProbe, source, socket, identifier } of echoes) {
        const port = ports.get(serviceProbe.via?.ifname ?? '');
        const isSent =
          serviceProbe.via === undefined
            ? socket.send(identifier, round, serviceProbe.destination)
            : port !== undefined && handTo(port, source, serviceProbe, encodeEcho(identifier, round));
        if (isSent) echoed.get(serviceProbe)!.sent++;
      }
      const endMs = parts.clock.monotonicMs() + HELPER_LIMITS.serviceProbeMs / ECHOES;
      while (parts.clock.monotonicMs() < endMs && open > 0) {
        for (const socket of sockets.values())
          for (let packet = socket.receive(); packet !== undefined; packet = socket.receive())
            for (const { serviceProbe, identifier, ...each } of echoes) {
              const echo = echoed.get(serviceProbe)!;
              if (each.socket !== socket || echo.answered) continue;
              if (!isReplyOf(packet, identifier, serviceProbe.destination, round + 1)) continue;
              echo.answered = true;
              open--;
            }
        await parts.clock.sleep(TURN_MS, signal);
      }
    }
    return echoed;
  } finally {
    for (const socket of sockets.values()) socket.close();
    for (const port of ports.values()) port.socket.close();
  }
}

function withSocket(source: string, socket: Echoes | undefined): readonly (readonly [string, Echoes])[] {
  return socket === undefined ? [] : [[source, socket]];
}

type FramePort = { readonly socket: PacketSocket; readonly mac: Uint8Array };

/** Hands an echo to the neighbour that the probe names, past the routes; false where the port does not take it, and over IPv6. */
function handTo(port: FramePort, source: string, { destination, via }: ServiceProbe, message: Uint8Array): boolean {
  if (destination.includes(':')) return false;
  const frame = encodeEchoFrame(
    { from: port.mac, towards: macBytes(via!.mac) },
    { source: addressBytes(source), destination: addressBytes(destination) },
    message,
  );
  return port.socket.send(frame).kind === 'sent';
}

/** Interfaces on which echoes are handed to a neighbour. */
async function openPorts(serviceProbes: readonly ServiceProbe[]): Promise<ReadonlyMap<string, FramePort>> {
  const libc = await loadLibc();
  const ports = new Map<string, FramePort>();
  for (const ifname of new Set(serviceProbes.flatMap(({ via }) => via?.ifname ?? []))) {
    const { index, mac } = await readPort(ifname);
    if (index === 0) continue;
    const socket = libc.openPacket(index, []);
    if (!('refused' in socket)) ports.set(ifname, { socket, mac });
  }
  return ports;
}

type Asking = { readonly source: string | undefined; readonly whole: boolean };

function tryPort(serviceProbe: ServiceProbe, asking: Asking, parts: ProberParts, signal: AbortSignal): Promise<Tried> {
  const { source } = asking;
  if (serviceProbe.service === 'tcp') return tryConnection(serviceProbe, asking, signal);
  if (serviceProbe.timed === true && source !== undefined) return timeAnswers(serviceProbe, source, parts, signal);
  return tryDatagram(serviceProbe, asking, parts, signal);
}

function tryConnection(
  { destination, port = 0 }: ServiceProbe,
  { source, whole }: Asking,
  signal: AbortSignal,
): Promise<Tried> {
  const wantsPage = whole && PAGE_PORTS.includes(port);
  return new Promise((resolve) => {
    const socket = createConnection({
      host: destination,
      port,
      signal,
      ...(source === undefined ? {} : { localAddress: source }),
    });
    let isOpen = false;
    let ended = false;
    const end = (answered: boolean, open: boolean, reply?: ServiceProbeResult['reply']) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      socket.destroy();
      resolve({ sent: 1, answered, open, ...(reply === undefined ? {} : { reply }) });
    };
    let timer = setTimeout(() => afterInput().then(() => !isOpen && end(false, false)), HELPER_LIMITS.serviceProbeMs);
    socket.once('error', (error: NodeJS.ErrnoException) =>
      isOpen ? end(true, true, 'closed') : end(error.code === 'ECONNREFUSED', false),
    );
    socket.once('connect', () => {
      if (!wantsPage) return end(true, true);
      isOpen = true;
      clearTimeout(timer);
      timer = setTimeout(() => afterInput().then(() => end(true, true, 'none')), LIMITS.pageMs);
      socket.once('data', (data) => {
        const head = data.subarray(0, HELPER_LIMITS.pageBytes).toString('latin1');
        end(true, true, STATUS_LINE.test(head) ? 'page' : 'other');
      });
      socket.once('end', () => end(true, true, 'closed'));
      // RFC 3986 §3.2.2: IPv6 stands in brackets.
      const host = destination.includes(':') ? `[${destination}]` : destination;
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: parley\r\nConnection: close\r\n\r\n`);
    });
  });
}

function tryDatagram(
  { destination, port = 0, record }: ServiceProbe,
  { source, whole }: Asking,
  { clock }: ProberParts,
  signal: AbortSignal,
): Promise<Tried> {
  return new Promise((resolve) => {
    const socket = createSocket(destination.includes(':') ? 'udp6' : 'udp4');
    let ended = false;
    let sent = 0;
    let sentMs: number | undefined;
    const question = encodeQuestion(QUESTION_ID, record);
    const end = (answered: boolean, open: boolean, answer?: Uint8Array) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.close();
      const took = open && sentMs !== undefined ? { tookMs: [clock.monotonicMs() - sentMs] } : {};
      const found = answer !== undefined && holdsRecord(answer, QUESTION_ID);
      const given = answer === undefined || !whole ? [] : addressesIn(answer, QUESTION_ID, LIMITS.dnsAddresses);
      const said = record === undefined ? {} : { found, ...(given.length === 0 ? {} : { addresses: given }) };
      resolve({ sent, answered, open, ...took, ...said });
    };
    const stop = () => end(false, false);
    const timer = setTimeout(() => afterInput().then(stop), HELPER_LIMITS.serviceProbeMs);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('message', (answer) => end(true, true, answer));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNREFUSED', false));
    const ask = () => {
      if (ended) return;
      sent += 1;
      sentMs ??= clock.monotonicMs();
      socket.send(question, () => {});
    };
    socket.bind({ port: 0, ...(source === undefined ? {} : { address: source }) }, () => {
      socket.connect(port, destination, (error?: Error) => {
        // There is no way to it, and a socket that is not connected would send to nowhere.
        if (error !== undefined || ended) return end(false, false);
        ask();
        setTimeout(ask, HELPER_LIMITS.serviceProbeMs / 3).unref();
      });
    });
  });
}
