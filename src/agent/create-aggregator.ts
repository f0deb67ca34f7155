// The composition root of `parley aggregate`: sockets, identity and files around one aggregator. Loaded by that command alone.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Aggregator, createAggregator } from '#aggregate/aggregator.ts';
import { loadDemand } from '#aggregate/gates/tool-registry.ts';
import type { ParentTarget } from '#aggregate/registry/parent.ts';
import type { Owner } from '#aggregate/registry/registry.ts';
import { createFrameLink } from '#aggregate/wire/frame-link.ts';
import { type Clock, createSystemClock, STOPPED } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { bad } from '#base/result.ts';
import type { AggregateConfig } from '#config/aggregate-schema.ts';
import type { CertificateChain } from '#model/identity.ts';
import type { AuditRecord, AuditSink } from '#model/ports.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { createAuthorityVerifier } from '#mtls/tokens/authority.ts';
import { createTrust } from '#mtls/trust.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { type Chains, type Open, openLocal, openLoopback, openTls, serveStdio } from './aggregating/fronts.ts';
import { leavesOf } from './aggregating/open-leaf.ts';
import { dialParent } from './dial-parent.ts';
import { openAsking, type Secure } from './hierarchy/open-asking.ts';
import { createIdentityWatch } from './identity/identity-watch.ts';
import { createLiveIdentity } from './identity/live-identity.ts';
import { createBatchedRecords } from './parts/batched-records.ts';
import { openRegistrationStore } from './parts/registration-store.ts';
import { openTrails } from './parts/trails.ts';

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
  // What the configuration has wrong is found before anything is opened.
  const stopped = new AbortController();
  const leaves = await leavesOf(config, {
    ...{ identity: () => secure?.live.current(), clock, log },
    signal: stopped.signal,
  });
  const state = await loadState(config.state);
  const trail = await openTrails(config.state, clock, log);
  const notes = createBatchedRecords({ audit: trail, clock, log });
  const verify = (chain: CertificateChain, atMs: number) =>
    secure === undefined
      ? bad(`no identity in ${config.identity.dir}: without the CA of a domain no approval can be verified`)
      : verifyChain(chain, secure.live.current().caPem, atMs);
  const parentKeys = new Map<string, string>();
  const chains: Chains = new WeakMap();
  const asking = secure === undefined ? undefined : await openAsking(config, secure, { clock, verify, trail });
  const aggregator = createAggregator({
    node: config.node,
    aggregatorId: state.aggregatorId,
    owners: state.owners,
    store: await openRegistrationStore(config, { aggregatorId: state.aggregatorId, clock, log }),
    leaves,
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
  const domain = secure?.live.current().party.domain ?? 'local';
  const stop = async () => {
    stopped.abort(STOPPED);
    await aggregator.stop();
    for (const each of open.toReversed()) await each.close();
  };
  const open: Open[] = [{ close: () => trail.close() }, notes, ...(asking === undefined ? [] : [asking])];
  try {
    if (secure !== undefined) open.push(await watchIdentity(config, secure, trail, clock, log));
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
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function securityOf(config: AggregateConfig, clock: Clock, isNeeded: boolean): Promise<Secure | undefined> {
  try {
    const { dir } = config.identity;
    const live = createLiveIdentity({ dir, identity: await loadIdentity(dir, clock), clock });
    return { live, trust: await createTrust({ clock }) };
  } catch (error) {
    if (isNeeded || !(error instanceof ParleyError) || error.code !== 'caller/identity-missing') throw error;
    return undefined;
  }
}

/** A certificate that is renewed in its folder is taken up while the aggregator runs. */
async function watchIdentity(
  config: AggregateConfig,
  secure: Secure,
  trail: AuditSink,
  clock: Clock,
  log: Log,
): Promise<Open> {
  const record = (record: AuditRecord) =>
    void trail
      .append(record)
      .catch((error) => log.error('the audit trail could not be written', { reason: messageOf(error) }));
  const watch = createIdentityWatch({ ...secure, config, record, clock, log });
  await watch.start();
  return { close: watch.stop };
}

function parentTarget(
  parent: AggregateConfig['parents'][number],
  { live, trust }: Secure,
  clock: Clock,
  parentKeys: Map<string, string>,
): ParentTarget {
  const { node, segment, heartbeatMs, authority, authorityProofFile } = parent;
  return {
    node,
    segment,
    heartbeatMs,
    authority,
    authorityProof:
      authorityProofFile === undefined ? undefined : async () => (await readFile(authorityProofFile, 'utf8')).trim(),
    async dial(signal) {
      const dialled = await dialParent({ identity: live.current(), trust, clock }, parent, signal);
      parentKeys.set(node, dialled.party.signingKey ?? '');
      return createFrameLink(dialled.socket);
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
