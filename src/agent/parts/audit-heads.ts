// Heads of audit trails, between neighbours (TS-31): this node shows peers the signed head of its own trail, keeps theirs, and is shown the one
// that a peer has kept of it. A trail that lacks what its node has signed was cut off or made anew: that is recorded, logged, and for people to
// judge. Changes no trail.
import { join } from 'node:path';
import { HEADS_FILE, type KeptHead, type KeptHeads, loadHeads, missingSince, storeHeads } from '#audit/heads.ts';
import { AUDIT_LIMITS } from '#audit/limits.ts';
import type { AuditHead } from '#audit/verify.ts';
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { AuditHeads, AuditRecord, Signer } from '#model/ports.ts';
import { openHead, type SignedHead, sealHead } from '#sign/audit-head.ts';
import type { Part } from '../lifecycle.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type AuditHeadsInit = {
  readonly config: { readonly state: string };
  readonly identity: () => { readonly party: Party; readonly chain: CertificateChain };
  readonly signer: Signer;
  readonly audit: { readonly head: AuditHead; settled(): Promise<void> };
  readonly record: (record: AuditRecord) => void;
  readonly callerChains: { get(caller: Party): CertificateChain | undefined };
  readonly clock: Clock;
  readonly log: Log;
};

export function createAuditHeads(init: AuditHeadsInit): Part & AuditHeads {
  const { config, identity, signer, clock, log } = init;
  const path = join(config.state, HEADS_FILE);
  const own = createOwnHead(init);
  const peers = createPeerHeads(init);
  const shown = new Map<string, { readonly atMs: number; hasAnswered: boolean }>();
  const ended = new AbortController();
  let loop: Promise<void> = Promise.resolve();

  const store = () =>
    storeHeads(path, {
      own: { node: signer.node, envelope: own.sealNow(), chain: identity().chain },
      peers: peers.all(),
    });
  const storeOrWarn = () =>
    store().catch((error) => log.warn('heads of audit trails could not be kept', { reason: messageOf(error) }));
  const run = async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(AGENT_LIMITS.auditHeadsMs, ended.signal).catch(() => {});
      if (!ended.signal.aborted && peers.takeChanged()) await storeOrWarn();
    }
  };
  const told = (peer: string): JsonObject => {
    const kept = peers.of(peer);
    return { head: { ...own.recent() }, ...(kept === undefined ? {} : { kept: { ...kept.envelope } }) };
  };
  const hear = ({ head, kept }: JsonObject, peer: Party, chain: CertificateChain | undefined) => {
    if (head !== undefined && chain !== undefined) peers.keep(peer, chain, head);
    if (kept !== undefined) own.compareOnce(kept, peer.name);
  };
  return {
    name: 'heads of audit trails',
    offer(peer) {
      const nowMs = clock.monotonicMs();
      const last = shown.get(peer);
      // A peer that did not answer may not have seen it, and the visit that it answers may be the last one for minutes.
      if (last?.hasAnswered === true && nowMs - last.atMs < AGENT_LIMITS.auditHeadsMs) return {};
      if (shown.size >= AUDIT_LIMITS.auditWitnessed) shown.clear();
      shown.set(peer, { atMs: nowMs, hasAnswered: false });
      return told(peer);
    },
    asked(caller, said) {
      const answer = told(caller.name);
      hear(said, caller, init.callerChains.get(caller));
      return answer;
    },
    answered({ peer, chain }, said) {
      const last = shown.get(peer.name);
      if (last !== undefined) last.hasAnswered = true;
      hear(said, peer, chain);
    },
    async start() {
      const found = await loadHeads(path).catch((error): KeptHeads => {
        log.warn('the kept heads of audit trails cannot be read', { path, reason: messageOf(error) });
        return { peers: [] };
      });
      peers.begin(found?.peers ?? []);
      if (found?.own !== undefined) await own.compare(found.own.envelope, signer.node);
      loop = run();
    },
    async stop() {
      ended.abort();
      await loop;
      // Sessions that ended with this agent are in the trail as well, and the head is of the last of them.
      await init.audit.settled();
      await storeOrWarn();
    },
  };
}

/** The head of this node's own trail, and those of before that the trail must still have. */
function createOwnHead({ config, identity, signer, audit, record, clock, log }: AuditHeadsInit) {
  const dir = join(config.state, 'audit');
  /** Peers whose kept head was compared with the trail, which only grows while this process runs; one after the other, as each reads a file. */
  const compared = new Set<string>();
  let turn: Promise<void> = Promise.resolve();
  let latest: { readonly envelope: SignedEnvelope; readonly atMs: number } | undefined;
  const sealNow = () => sealHead(signer, clock, audit.head);
  const compare = async (envelope: unknown, peer: string): Promise<void> => {
    const keptBy = `node/${peer}`;
    const head = openHead(envelope, Buffer.from(identity().party.signingKey ?? '', 'hex'), signer.node);
    if (!head.ok) return log.warn('an unknown head of this audit trail', { keptBy, reason: head.reason });
    const { sequence, hash, time } = head.value;
    const missing = await missingSince(dir, { sequence, hash });
    if (missing === undefined) return;
    const reason = `record ${sequence} was signed on ${time} and is missing: ${missing}`;
    log.error('the audit trail was cut off or made anew', { keptBy, reason });
    record({ event: 'audit/tail-missing', party: keptBy, reason, detail: { sequence, hash } });
  };
  const compareOrWarn = (envelope: unknown, peer: string) =>
    compare(envelope, peer).catch((error) =>
      log.warn('the audit trail could not be compared with a kept head', { peer, reason: messageOf(error) }),
    );
  return {
    sealNow,
    /** One of the last seconds serves several peers. */
    recent(): SignedEnvelope {
      const atMs = clock.monotonicMs();
      if (latest === undefined || atMs - latest.atMs >= AGENT_LIMITS.auditHeadAgeMs)
        latest = { envelope: sealNow(), atMs };
      return latest.envelope;
    },
    compare: compareOrWarn,
    compareOnce(envelope: unknown, peer: string): void {
      if (compared.has(peer)) return;
      if (compared.size >= AUDIT_LIMITS.auditWitnessed) compared.clear();
      compared.add(peer);
      turn = turn.then(() => compareOrWarn(envelope, peer));
    },
  };
}

/** The highest head that each peer showed, the latest last. */
function createPeerHeads({ record, log }: Pick<AuditHeadsInit, 'record' | 'log'>) {
  const peers = new Map<string, KeptHead>();
  let isChanged = false;
  return {
    of: (name: string) => peers.get(name),
    all: () => [...peers.values()],
    begin(found: readonly KeptHead[]): void {
      for (const each of found) peers.set(each.node, each);
    },
    /** True when a head was kept since the last call. */
    takeChanged(): boolean {
      const was = isChanged;
      isChanged = false;
      return was;
    },
    keep({ name, signingKey }: Party, chain: CertificateChain, envelope: JsonValue): void {
      const head = openHead(envelope, Buffer.from(signingKey ?? '', 'hex'), name);
      if (!head.ok) {
        log.warn('a peer showed no head of its audit trail', { peer: name, reason: head.reason });
        return;
      }
      const kept = peers.get(name);
      const before = kept && headOf(kept);
      if (kept?.disproves !== undefined) return;
      if (kept !== undefined && before !== undefined && !isAfter(head.value, before)) {
        // One that was signed before came late.
        if (head.value.time <= before.time || isSame(head.value, before)) return;
        const reason = `it signed record ${before.sequence} on ${before.time}, and ends with record ${head.value.sequence} on ${head.value.time}`;
        log.error('the audit trail of a peer was cut off or made anew', { peer: name, reason });
        record({ event: 'audit/tail-missing', party: `node/${name}`, reason });
        // The proof: kept with the head that contradicts it, and replaced by none.
        peers.set(name, { ...kept, disproves: envelope as unknown as SignedEnvelope });
        isChanged = true;
        return;
      }
      peers.delete(name);
      const [oldest] = peers.keys();
      if (peers.size >= AUDIT_LIMITS.auditWitnessed && oldest !== undefined) peers.delete(oldest);
      peers.set(name, { node: name, envelope: envelope as unknown as SignedEnvelope, chain });
      isChanged = true;
    },
  };
}

type Head = Pick<SignedHead, 'sequence' | 'hash' | 'time'>;

function isAfter(head: Head, before: Head): boolean {
  return head.sequence > before.sequence;
}

function isSame(head: Head, before: Head): boolean {
  return head.sequence === before.sequence && head.hash === before.hash;
}

/** Of a head that was verified when it was kept, or that lies in a file of ours. */
function headOf({ envelope }: KeptHead): Head {
  const head: unknown = JSON.parse(Buffer.from(envelope.payload, 'base64').toString());
  const { sequence = 0, hash = '', time = '' } = isJsonObject(head) ? head : {};
  return { sequence: Number(sequence), hash: String(hash), time: String(time) };
}
