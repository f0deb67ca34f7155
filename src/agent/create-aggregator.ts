// The composition root of `parley aggregate`: sockets, identity and files around one aggregator. Loaded by that command alone.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Aggregator, createAggregator, type LeafInit } from '#aggregate/aggregator.ts';
import { loadDemand } from '#aggregate/gates/tool-registry.ts';
import type { Opened } from '#aggregate/keep/keep-leaf.ts';
import { openStdioLeaf } from '#aggregate/leaf/stdio-leaf.ts';
import { createLeafLink, type LeafLinkInit } from '#aggregate/modern/leaf-link.ts';
import type { ParentTarget } from '#aggregate/registry/parent.ts';
import type { Owner } from '#aggregate/registry/registry.ts';
import type { ViewInit } from '#aggregate/tree/view.ts';
import { createFrameLink } from '#aggregate/wire/frame-link.ts';
import { createHttpFront, type HttpFrontInit } from '#aggregate/wire/http-front.ts';
import { createHttpLink, isAllowedUrl } from '#aggregate/wire/http-link.ts';
import { createLineLink } from '#aggregate/wire/line-link.ts';
import { openAuditTrail } from '#audit/trail.ts';
import { type Clock, createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { bad } from '#base/result.ts';
import { readCertificate } from '#codec/x509.ts';
import type { AggregateConfig } from '#config/aggregate-schema.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { dial } from '#mtls/dial.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { listen } from '#mtls/listen.ts';
import { listenLocal } from '#mtls/local-socket.ts';
import { LOCAL_NAME, LOOPBACK_NAME } from '#mtls/party.ts';
import { createAuthorityVerifier } from '#mtls/tokens/authority.ts';
import { createTrust } from '#mtls/trust.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { openAsking, type Secure } from './hierarchy/open-asking.ts';
import { createBatchedRecords } from './parts/batched-records.ts';
import { openRegistrationStore } from './parts/registration-store.ts';

export type RunningAggregator = {
  readonly aggregator: Aggregator;
  /** Of mutual TLS, and of the loopback address; absent where there is none. */
  readonly port: number | undefined;
  readonly loopbackPort: number | undefined;
  /** Resolves when the client has gone. */
  serveStdio(input: Readable, output: Writable): Promise<void>;
  stop(): Promise<void>;
};

/** Rejects with `caller/identity-missing`, `us/cannot-listen`, `caller/config-invalid` and the like. */
export async function createAggregatorProcess(config: AggregateConfig, log: Log): Promise<RunningAggregator> {
  const clock = createSystemClock();
  const needsIdentity = config.listen !== undefined || config.parents.length > 0 || config.toolRegistry !== undefined;
  const secure = await securityOf(config, clock, needsIdentity);
  const state = await loadState(config.state);
  const trail = await openAuditTrail({ dir: join(config.state, 'audit'), clock });
  const notes = createBatchedRecords({ audit: trail, clock, log });
  const verify = (chain: CertificateChain, atMs: number) =>
    secure === undefined
      ? bad(`no identity in ${config.identity.dir}: without the CA of a domain no approval can be verified`)
      : verifyChain(chain, secure.identity.caPem, atMs);
  const parentKeys = new Map<string, string>();
  const chains: Chains = new WeakMap();
  const asking = secure === undefined ? undefined : await openAsking(config, secure, { clock, verify, trail });
  const aggregator = createAggregator({
    node: config.node,
    aggregatorId: state.aggregatorId,
    owners: state.owners,
    store: await openRegistrationStore(config, { aggregatorId: state.aggregatorId, clock, log }),
    leaves: await Promise.all(config.leaves.map((leaf) => leafInit(leaf, clock, log))),
    parents: config.parents.map((parent) => parentTarget(parent, secure!, clock, parentKeys)),
    parentKey: (node) => parentKeys.get(node),
    chainOf: (party) => chains.get(party),
    ...(asking === undefined ? {} : { signer: asking.signer, moreTools: asking.tools }),
    registration: config.registration.allowed ? config.registration : undefined,
    segments: config.registration.segments,
    needsProof: config.registration.proof === 'mutable',
    verifyAuthority: await authorityVerifier(config, clock),
    stickyMs: config.registration.stickyHours * 3_600_000,
    graceMs: config.degraded.graceSeconds * 1_000,
    budget: config.budget,
    demand: config.toolRegistry === undefined ? () => undefined : await loadDemand(config.toolRegistry, verify, clock),
    view: config.view,
    verifyChain: verify,
    saveOwners: (owners) => saveState(config.state, { ...state, owners }),
    record: (record) => trail.append(record),
    note: notes.add,
    clock,
    random: systemRandom,
    log,
  });
  const domain = secure?.identity.party.domain ?? 'local';
  const open: Open[] = [{ close: () => trail.close() }, notes, ...(asking === undefined ? [] : [asking])];
  try {
    const tls = await openTls(config, secure, aggregator, { clock, log, chains });
    if (tls !== undefined) open.push(tls);
    const local = await openLocal(config, aggregator, domain);
    if (local !== undefined) open.push(local);
    const loopback = await openLoopback(config, aggregator, domain);
    if (loopback !== undefined) open.push(loopback);
    return {
      aggregator,
      port: tls?.port,
      loopbackPort: loopback?.port,
      serveStdio: (input, output) => serveStdio(aggregator, domain, input, output),
      async stop() {
        await aggregator.stop();
        for (const each of open.toReversed()) await each.close();
      },
    };
  } catch (error) {
    await aggregator.stop();
    for (const each of open.toReversed()) await each.close();
    throw error;
  }
}

type Open = { close(): Promise<void> };

async function securityOf(config: AggregateConfig, clock: Clock, isNeeded: boolean): Promise<Secure | undefined> {
  try {
    return { identity: await loadIdentity(config.identity.dir, clock), trust: await createTrust({ clock }) };
  } catch (error) {
    if (isNeeded || !(error instanceof ParleyError) || error.code !== 'caller/identity-missing') throw error;
    return undefined;
  }
}

async function leafInit(leaf: AggregateConfig['leaves'][number], clock: Clock, log: Log): Promise<LeafInit> {
  const { segment, trust, unsaid, scope } = leaf;
  const opened = (below: LeafLinkInit['below']): Opened => {
    const onOdd = (tool: string, reason: string) =>
      log.warn('a tool of a leaf must not be used and is left out', { segment, tool, reason });
    const revision = leaf.revision === 'auto' ? undefined : leaf.revision;
    const link = createLeafLink({ clock, below, revision, onOdd });
    return { link, agreed: link.agreed };
  };
  const slot = { segment, isAggregator: false, rules: { trust, unsaid, scope } };
  if ('command' in leaf) {
    const { command, args, env, cwd } = leaf;
    return {
      ...slot,
      how: 'stdio',
      open: () => opened(openStdioLeaf({ command, args, env, cwd, log: log.child({ segment }) })),
    };
  }
  if (!isAllowedUrl(leaf.url))
    throw new ParleyError(
      'caller/config-invalid',
      `leaves: ${segment}: expected https, or http on the loopback address, got ${leaf.url}`,
    );
  const token = leaf.tokenFile === undefined ? undefined : (await readFile(leaf.tokenFile, 'utf8')).trim();
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    ...slot,
    how: 'http',
    open: () => opened(createHttpLink({ url: leaf.url, headers })),
  };
}

function parentTarget(
  parent: AggregateConfig['parents'][number],
  { identity, trust }: Secure,
  clock: Clock,
  parentKeys: Map<string, string>,
): ParentTarget {
  const { node, addresses, port, segment, heartbeatMs, authority, authorityProofFile } = parent;
  return {
    node,
    segment,
    heartbeatMs,
    authority,
    authorityProof:
      authorityProofFile === undefined ? undefined : async () => (await readFile(authorityProofFile, 'utf8')).trim(),
    async dial(signal) {
      const dialled = await dial({
        identity,
        trust,
        addresses,
        port,
        expectedNode: node,
        alpn: 'mcp',
        timeoutMs: LIMITS.dialMs,
        signal,
        clock,
      });
      parentKeys.set(node, dialled.party.signingKey ?? '');
      return createFrameLink(dialled.socket);
    },
  };
}

/** The certificates that a party's session was opened with. */
type Chains = WeakMap<Party, CertificateChain>;

async function openTls(
  config: AggregateConfig,
  secure: Secure | undefined,
  aggregator: Aggregator,
  { clock, log, chains }: { readonly clock: Clock; readonly log: Log; readonly chains: Chains },
): Promise<(Open & { readonly port: number }) | undefined> {
  if (config.listen === undefined || secure === undefined) return undefined;
  const parties = new WeakMap<object, Party>();
  const front = createHttpFront({
    random: systemRandom,
    partyOf: (request) => (request.headers.origin === undefined ? parties.get(request.socket) : undefined),
    ...servingOf(aggregator),
  });
  const listener = await listen(
    {
      ...secure,
      ...config.listen,
      log,
      clock,
      onRefused: ({ reason, remoteAddress }) => log.warn('connection refused', { reason, remoteAddress }),
    },
    {
      mcp(socket, party, chain) {
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
  return {
    port: listener.port,
    async close() {
      front.close();
      await listener.close();
    },
  };
}

async function authorityVerifier({ node, registration }: AggregateConfig, clock: Clock) {
  if (registration.authorityKeys === undefined) return undefined;
  const keys = parsed(await readFile(registration.authorityKeys, 'utf8'));
  if (isJsonObject(keys) && Array.isArray(keys['keys']))
    return createAuthorityVerifier({ keys: keys['keys'] as readonly JsonObject[], audience: node, nowMs: clock.nowMs });
  throw new ParleyError(
    'caller/config-invalid',
    `expected a JWKS in ${registration.authorityKeys}, got something else`,
  );
}

/** What the certificate of a session proves of its holder: the names that the CA wrote into it. */
function provenNames(party: Party, chain: CertificateChain): readonly string[] {
  const fields = readCertificate(Buffer.from(chain[0] ?? '', 'base64'));
  return [party.name, ...(fields.ok ? fields.value.sanDns : [])].map((name) => name.toLowerCase());
}

async function openLocal(config: AggregateConfig, aggregator: Aggregator, domain: string): Promise<Open | undefined> {
  const { socket: path, group } = config.control;
  if (path === undefined) return undefined;
  const party: Party = { kind: 'operator', domain, name: LOCAL_NAME };
  return listenLocal({
    path,
    ...(group === undefined ? {} : { group }),
    onSession: (socket) => aggregator.serve(createFrameLink(socket), party),
  });
}

async function openLoopback(
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
    partyOf: (request) => (isOwn(request, token) ? party : undefined),
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
function servingOf(aggregator: Aggregator): Pick<HttpFrontInit, 'open' | 'modern' | 'abandon'> {
  return {
    open: (link, party, query) => aggregator.serve(link, party, [], viewIn(query)),
    modern: (message, out, party, query) =>
      aggregator.modern.request(aggregator.modernClient(party, viewIn(query)), message, out),
    abandon: aggregator.modern.abandon,
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

function serveStdio(aggregator: Aggregator, domain: string, input: Readable, output: Writable): Promise<void> {
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

type State = { readonly schemaVersion: 1; readonly aggregatorId: string; readonly owners: readonly Owner[] };

const STATE_FILE = 'aggregator.json';

async function loadState(folder: string): Promise<State> {
  let text: string;
  try {
    text = await readFile(join(folder, STATE_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const state: State = { schemaVersion: 1, aggregatorId: randomUUID(), owners: [] };
    await saveState(folder, state);
    return state;
  }
  const state: unknown = parsed(text);
  if (isJsonObject(state) && state['schemaVersion'] === 1) return state as unknown as State;
  throw new ParleyError(
    'us/aggregator-state',
    `expected the state of an aggregator in ${join(folder, STATE_FILE)}, got something else: move the file away, and subservers register anew`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function saveState(folder: string, state: State): Promise<void> {
  return writeFileDurably(join(folder, STATE_FILE), JSON.stringify(state), 0o600);
}
