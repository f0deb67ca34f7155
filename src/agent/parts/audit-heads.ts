// Heads of audit trails, between neighbours (TS-31): this node shows peers the signed head of its own trail, keeps theirs, and is shown the one
// that a peer has kept of it. A trail that lacks what its node has signed was cut off or made anew: that is recorded, logged, and for people to
// judge. Changes no trail.
import { join } from 'node:path';
import { HEADS_FILE, type KeptHead, type KeptHeads, loadHeads, missingSince, storeHeads } from '#audit/heads.ts';
import type { AuditHead } from '#audit/verify.ts';
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { HeadExchange } from '#discovery/peers-tool.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { AuditRecord, Signer } from '#model/ports.ts';
import { openHead, sealHead } from '#sign/audit-head.ts';
import type { Part } from '../lifecycle.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { HeadKeeper } from '../sessions/find-nodes.ts';

export type AuditHeadsInit = {
  readonly config: { readonly state: string };
  readonly identity: { readonly party: Party; readonly chain: CertificateChain };
  readonly signer: Signer;
  readonly audit: { readonly head: AuditHead };
  readonly record: (record: AuditRecord) => void;
  readonly callerChains: { get(caller: Party): CertificateChain | undefined };
  readonly clock: Clock;
  readonly log: Log;
};

export function createAuditHeads(init: AuditHeadsInit): Part & HeadKeeper & HeadExchange {
  const { config, identity, signer, audit, clock, log } = init;
  const dir = join(config.state, 'audit');
  const path = join(config.state, HEADS_FILE);
  const peers = new Map<string, KeptHead>();
  /** Heads that were compared with the trail already: it only grows while this process runs. */
  const compared = new Set<string>();
  const ended = new AbortController();
  let isChanged = false;
  let loop: Promise<void> = Promise.resolve();

  const sealed = (): SignedEnvelope => sealHead(signer, clock, audit.head);
  const keep = ({ name, signingKey }: Party, chain: CertificateChain, envelope: JsonValue): void => {
    const head = openHead(envelope, Buffer.from(signingKey ?? '', 'hex'), name);
    if (!head.ok) {
      log.warn('a peer showed no head of its audit trail', { peer: name, reason: head.reason });
      return;
    }
    const known = peers.get(name);
    const before = known && openHead(known.envelope, Buffer.from(signingKey ?? '', 'hex'), name);
    // A trail that became shorter is what the kept head proves.
    if (before?.ok && before.value.sequence > head.value.sequence) return;
    peers.delete(name);
    peers.set(name, { node: name, envelope: envelope as unknown as SignedEnvelope, chain });
    isChanged = true;
  };
  const compare = async (envelope: unknown, keptBy: string): Promise<void> => {
    const head = openHead(envelope, Buffer.from(identity.party.signingKey ?? '', 'hex'), signer.node);
    if (!head.ok) return log.warn('an unknown head of this audit trail', { keptBy, reason: head.reason });
    const { sequence, hash, time } = head.value;
    if (compared.has(hash)) return;
    if (compared.size >= AGENT_LIMITS.comparedHeads) compared.clear();
    compared.add(hash);
    const missing = await missingSince(dir, { sequence, hash });
    if (missing === undefined) return;
    const reason = `record ${sequence} was signed on ${time} and is missing: ${missing}`;
    log.error('the audit trail was cut off or made anew', { keptBy, reason });
    init.record({ event: 'audit/tail-missing', party: keptBy, reason, detail: { sequence, hash } });
  };
  const compareSoon = (envelope: unknown, keptBy: string) =>
    void compare(envelope, keptBy).catch((error) =>
      log.warn('the audit trail could not be compared with a kept head', { keptBy, reason: messageOf(error) }),
    );
  const store = async () => {
    isChanged = false;
    const own = { node: signer.node, envelope: sealed(), chain: identity.chain };
    await storeHeads(path, { own, peers: [...peers.values()] });
  };
  const run = async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(AGENT_LIMITS.auditHeadsMs, ended.signal).catch(() => {});
      if (!isChanged || ended.signal.aborted) continue;
      await store().catch((error) => log.warn('heads of audit trails could not be kept', { reason: messageOf(error) }));
    }
  };
  const offer = (peer: string): JsonObject => {
    const kept = peers.get(peer);
    return { head: { ...sealed() }, ...(kept === undefined ? {} : { kept: { ...kept.envelope } }) };
  };
  const hear = ({ head, kept }: JsonObject, peer: Party, chain: CertificateChain | undefined) => {
    if (head !== undefined && chain !== undefined) keep(peer, chain, head);
    if (kept !== undefined) compareSoon(kept, `node/${peer.name}`);
  };
  return {
    name: 'heads of audit trails',
    offer,
    asked(caller, said) {
      const answer = offer(caller.name);
      hear(said, caller, init.callerChains.get(caller));
      return answer;
    },
    answered: ({ peer, chain }, said) => hear(said, peer, chain),
    async start() {
      const found = await loadHeads(path).catch((error): KeptHeads => {
        log.warn('the kept heads of audit trails cannot be read', { path, reason: messageOf(error) });
        return { peers: [] };
      });
      for (const each of found?.peers ?? []) peers.set(each.node, each);
      if (found?.own !== undefined) await compare(found.own.envelope, `node/${signer.node}`);
      loop = run();
    },
    async stop() {
      ended.abort();
      await loop;
      await store().catch((error) => log.warn('heads of audit trails could not be kept', { reason: messageOf(error) }));
    },
  };
}
