// The doors of an aggregator: mutual TLS with frames and HTTP, the local socket, the loopback address, and standard input.
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import type { Aggregator } from '#aggregate/aggregator.ts';
import type { ViewInit } from '#aggregate/tree/view.ts';
import { createFrameLink } from '#aggregate/wire/frame-link.ts';
import { type Admission, createHttpFront, type HttpFrontInit } from '#aggregate/wire/http-front.ts';
import { createLineLink } from '#aggregate/wire/line-link.ts';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { readCertificate } from '#codec/x509.ts';
import type { AggregateConfig } from '#config/aggregate-schema.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { listen } from '#mtls/listen.ts';
import { listenLocal } from '#mtls/local-socket.ts';
import { LOCAL_NAME, LOOPBACK_NAME } from '#mtls/party.ts';
import type { Secure } from '../hierarchy/open-asking.ts';
import { openFrontTokens } from './front-tokens.ts';

export type Open = { close(): Promise<void> };

const NOT_ADMITTED: Admission = {
  ok: false,
  status: 403,
  reason: 'expected the token of this endpoint, and no web page of another site',
};

/** The certificates that a party's session was opened with. */
export type Chains = WeakMap<Party, CertificateChain>;

export async function openTls(
  config: AggregateConfig,
  secure: Secure | undefined,
  aggregator: Aggregator,
  { clock, log, chains }: { readonly clock: Clock; readonly log: Log; readonly chains: Chains },
): Promise<(Open & { readonly port: number }) | undefined> {
  if (config.listen === undefined || secure === undefined) return undefined;
  const parties = new WeakMap<object, Party>();
  const tokens = await openFrontTokens(config, { secure, port: config.listen.port, chains, clock, log });
  const partyOf = ({ headers, socket }: IncomingMessage) =>
    headers.origin === undefined ? parties.get(socket) : undefined;
  const front = createHttpFront({
    random: systemRandom,
    admit(request, response) {
      const party = partyOf(request);
      return party === undefined ? NOT_ADMITTED : tokens.admit(request, response, party);
    },
    metadata(request, response) {
      const party = partyOf(request);
      return party === undefined ? undefined : tokens.metadata(request, response, party);
    },
    ...servingOf(aggregator),
  });
  const listener = await listen(
    {
      ...{ identity: secure.live.current(), trust: secure.trust },
      ...config.listen,
      log,
      clock,
      onRefused: ({ reason, remoteAddress }) => log.warn('connection refused', { reason, remoteAddress }),
    },
    {
      mcp(socket, party, chain) {
        // Frames carry no tokens.
        if (tokens.needsToken(party)) {
          log.warn('connection refused', {
            reason: 'expected MCP over HTTP with an access token, as tokens.required says',
          });
          socket.destroy();
          return;
        }
        chains.set(party, chain);
        aggregator.serve(createFrameLink(socket), party, provenNames(party, chain));
      },
      http1(socket, party, chain) {
        chains.set(party, chain);
        parties.set(socket, party);
        front.serve(socket);
      },
      h2: (socket) => socket.destroy(),
    },
  );
  secure.live.onChange(listener.rotate);
  return {
    port: listener.port,
    async close() {
      front.close();
      await listener.close();
      await tokens.close();
    },
  };
}

/** What the certificate of a session proves of its holder: the names that the CA wrote into it. */
function provenNames(party: Party, chain: CertificateChain): readonly string[] {
  const fields = readCertificate(Buffer.from(chain[0] ?? '', 'base64'));
  return [party.name, ...(fields.ok ? fields.value.sanDns : [])].map((name) => name.toLowerCase());
}

export async function openLocal(
  config: AggregateConfig,
  aggregator: Aggregator,
  domain: string,
): Promise<Open | undefined> {
  const { socket: path, group } = config.control;
  if (path === undefined) return undefined;
  const party: Party = { kind: 'operator', domain, name: LOCAL_NAME };
  return listenLocal({
    path,
    ...(group === undefined ? {} : { group }),
    onSession: (socket) => aggregator.serve(createFrameLink(socket), party),
  });
}

export async function openLoopback(
  config: AggregateConfig,
  aggregator: Aggregator,
  domain: string,
): Promise<(Open & { readonly port: number }) | undefined> {
  if (config.loopback === undefined) return undefined;
  const { port, tokenFile } = config.loopback;
  const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, 'utf8')).trim();
  const party: Party = { kind: 'operator', domain, name: LOOPBACK_NAME };
  const front = createHttpFront({
    random: systemRandom,
    admit: (request) => (isOwn(request, token) ? { ok: true, party } : NOT_ADMITTED),
    ...servingOf(aggregator),
  });
  await new Promise<void>((resolve, reject) => {
    front.server.once('error', (cause) =>
      reject(
        new ParleyError('us/cannot-listen', `expected 127.0.0.1:${port} to be free, got ${cause.message}`, { cause }),
      ),
    );
    front.server.listen(port, '127.0.0.1', resolve);
  });
  const address = front.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => front.close(),
  };
}

const HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A web page must not get in by DNS rebinding, nor a program without the token where there is one. */
function isOwn(request: IncomingMessage, token: string | undefined): boolean {
  const { host = '', origin, authorization = '' } = request.headers;
  if (!HOSTS.has(host.replace(/:\d{1,5}$/, '').toLowerCase())) return false;
  if (
    origin !== undefined &&
    !HOSTS.has(
      origin
        .replace(/^https?:\/\//, '')
        .replace(/:\d{1,5}$/, '')
        .toLowerCase(),
    )
  )
    return false;
  return token === undefined || sameText(authorization, `Bearer ${token}`);
}

/** Compares digests, so that timing reveals neither the length nor the position of a difference. */
function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Sessions of the older revisions, and requests of 2026-07-28, over HTTP. */
function servingOf(aggregator: Aggregator): Pick<HttpFrontInit, 'open' | 'modern' | 'abandon' | 'schemaOf'> {
  return {
    open: (link, party, query) => aggregator.serve(link, party, [], viewIn(query)),
    modern: (message, out, party, query) =>
      aggregator.modern.request(aggregator.modernClient(party, viewIn(query)), message, out),
    abandon: aggregator.modern.abandon,
    schemaOf: (tool, query) => aggregator.schemaOf(tool, viewIn(query)),
  };
}

/** `/mcp?mount=edge&names=dotted&compact=1` */
function viewIn(query: URLSearchParams): Partial<ViewInit> {
  const names = query.get('names');
  const mount = query.get('mount');
  const compact = query.get('compact');
  return {
    ...(names === 'dotted' || names === 'host' ? { names } : {}),
    ...(mount === null ? {} : { mount }),
    ...(compact === null ? {} : { compact: compact === '1' || compact === 'true' }),
  };
}

export function serveStdio(aggregator: Aggregator, domain: string, input: Readable, output: Writable): Promise<void> {
  return new Promise((resolve) => {
    const link = createLineLink({ input, output });
    aggregator.serve(link, { kind: 'operator', domain, name: LOCAL_NAME });
    const ended = link.ended;
    link.ended = (reason) => {
      ended(reason);
      resolve();
    };
  });
}
