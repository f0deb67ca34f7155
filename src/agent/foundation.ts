// What everything else of an agent stands on: audit trail, nonces, clock floor, identity and trust list, reports. Opened in this order, and
// closed in the other.
import { join } from 'node:path';
import { HEADS_FILE, loadHeads } from '#audit/heads.ts';
import { type Clock, isoTime } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { randomHex, systemRandom } from '#base/random.ts';
import { bad } from '#base/result.ts';
import type { Config } from '#config/schema.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import type { CertificateChain } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';
import { type Identity, loadIdentity } from '#mtls/identity.ts';
import { issuedAtMs } from '#mtls/lifetime/life.ts';
import { type KeptList, openKeptList, TRUST_LIST_FILE } from '#mtls/revocation/kept-list.ts';
import { createTrust, type Trust } from '#mtls/trust.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { openReportStore } from '#report/store.ts';
import { openNonceSource } from '#sign/nonce-source.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { createSigner } from '#sign/signer.ts';
import { createLiveIdentity, type LiveIdentity } from './identity/live-identity.ts';
import { storeLimitsOf } from './parts/report-retention.ts';
import { openFileSpool } from './parts/tech-support.ts';
import { readIssuerCas } from './parts/tokens.ts';
import { openTrails } from './parts/trails.ts';
import type { CallerChains } from './sessions/listeners.ts';

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Rejects with a ParleyError that says what to do. */
export async function openFoundation(config: Config, { live, trust, kept }: Standing, clock: Clock, log: Log) {
  const state = (name: string) => join(config.state, name);
  const audit = await openTrails(config.state, clock, log);
  const nonces = await openNonceSource({ path: state('nonces'), random: systemRandom, clock });
  const recordDurably = (event: AuditRecord) =>
    audit.append(event).catch((error) => {
      log.error('the audit trail could not be written', { reason: messageOf(error) });
      throw error;
    });
  const limits = storeLimitsOf(config);
  const store = await openReportStore({ dir: state('reports'), clock, limits, record: recordDurably });
  const issuerCas = await readIssuerCas(config);
  const spool = await openFileSpool(config.state, clock, systemRandom);
  // The signing key stays when the certificate is renewed, and so do party and signer.
  const { party: self, signingKey } = live.current();
  const signer = createSigner({ node: config.node, privateKey: signingKey });
  const peers = createPeerTable({ node: config.node, clock });
  const close = async () => {
    await spool.close();
    await store.close();
    await nonces.settled();
    await audit.close();
  };
  const record = (event: AuditRecord) => void recordDurably(event).catch(() => {});
  const onSecondLife = (signer: string) => {
    const detail = `another agent uses the identity of ${signer}`;
    log.error('another agent uses this identity: revoke one of them', { signer });
    peers.remark(signer, { kind: 'lying', detail, atMs: clock.nowMs() });
  };
  const window = createNonceWindow({ clock, onSecondLife });
  /** Who a chain stands for now: a revoked certificate does not count. For what was signed earlier see `verifyAt`. */
  const verifyNow = (chain: CertificateChain, atMs: number = trust.nowMs()) => {
    const denied = kept.denied(chain);
    return denied === undefined ? verifyChain(chain, live.current().caPem, atMs) : bad(denied);
  };
  const verifyAt = (chain: CertificateChain, atMs: number) => verifyChain(chain, live.current().caPem, atMs);
  return {
    ...{ config, clock, log, audit, record, nonces, trust, store, spool, signer, peers, window },
    ...{ live, kept, self, verifyNow, verifyAt },
    identity: () => live.current(),
    issuerCas,
    random: systemRandom,
    newSessionId: () => randomHex(systemRandom, 16),
    callerChains: new WeakMap() satisfies CallerChains,
    close,
  };
}

/** What this node believes: its own identity, the time, what is revoked. */
export type Standing = { readonly live: LiveIdentity; readonly trust: Trust; readonly kept: KeptList };

/** Rejects with a ParleyError that says what to do if the identity is missing, has ended, or is another one's. Writes nothing. */
export async function openStanding(config: Config, clock: Clock, log: Log): Promise<Standing> {
  const trust: Trust = await createTrust({
    clock,
    path: join(config.state, 'clock-floor'),
    pins: config.peers.pins,
    denied: (chain) => kept.denied(chain),
    disowned: (chain) => {
      const verified = verifyChain(chain, live.current().caPem, trust.nowMs());
      return verified.ok ? undefined : verified.reason;
    },
  });
  trust.proveTime(await lastHeadMs(config.state));
  sayClock(trust, clock, log);
  const proven = { nowMs: () => trust.nowMs() };
  const identity = await loadIdentity(config.identity.dir, proven);
  checkIdentity(config, identity);
  trust.proveTime(issuedAtMs(identity));
  const live = createLiveIdentity({ dir: config.identity.dir, identity, clock: proven });
  const kept = await openKeptList({
    domain: config.domain,
    trustedPem: () => live.current().caPem,
    nowMs: () => trust.nowMs(),
    path: join(config.state, TRUST_LIST_FILE),
    onFault: (what, reason) => log.error(what, { reason }),
    onTaken: async (list) => {
      trust.proveTime(Math.min(Date.parse(list.issued), clock.nowMs()));
      const stored = live.trustAnchors(list.anchorsPem);
      trust.recheck();
      sayOwn({ live, kept }, log);
      await stored;
    },
  });
  live.onChange((next) => trust.proveTime(issuedAtMs(next)));
  sayOwn({ live, kept }, log);
  return { live, trust, kept };
}

/** When this node signed the head of its audit trail last; 0 where it did not. */
async function lastHeadMs(state: string): Promise<number> {
  const heads = await loadHeads(join(state, HEADS_FILE)).catch(() => undefined);
  if (heads?.own === undefined) return 0;
  const { time } = JSON.parse(Buffer.from(heads.own.envelope.payload, 'base64').toString()) as { time?: unknown };
  return Date.parse(String(time)) || 0;
}

/** A clock that is behind what was seen before: nothing that has ended since counts again. */
function sayClock(trust: Trust, clock: Clock, log: Log): void {
  const behindMs = trust.clockBehindMs();
  if (behindMs < CLOCK_SLACK_MS) return;
  log.error('the clock of this machine is behind a time that this node has seen: set it', {
    ...{ clock: isoTime(clock.nowMs()), seen: isoTime(trust.nowMs()), behindSeconds: Math.round(behindMs / 1_000) },
    until: 'this node goes by the later time',
  });
}

/** A correction of a few seconds by NTP is nothing to report. */
const CLOCK_SLACK_MS = 60_000;

function sayOwn({ live, kept }: Pick<Standing, 'live' | 'kept'>, log: Log): void {
  const { chain, caPem, notBeforeMs } = live.current();
  const denied = kept.denied(chain);
  if (denied !== undefined)
    log.error('the certificate of this node is revoked: other nodes refuse it until it is enrolled again', {
      reason: denied,
    });
  // Its CA has been replaced, and it was not renewed in time.
  const verified = verifyChain(chain, caPem, issuedAtMs({ notBeforeMs, notAfterMs: live.current().notAfterMs }));
  if (!verified.ok)
    log.error('the certificate of this node is of a CA that counts no more: enrol it again', {
      reason: verified.reason,
    });
}

function checkIdentity(config: Config, identity: Identity): void {
  const { kind, name, domain } = identity.party;
  if (kind === 'node' && name === config.node && domain === config.domain) return;
  const message = `expected the identity of node ${config.node} in ${config.domain}, got ${kind} ${name} in ${domain} from ${config.identity.dir}`;
  throw new ParleyError('caller/wrong-identity', `${message}: run "parley ca issue ${config.node}"`);
}
