// A registrar's side of a renewal, without sockets: a party that shows its certificate gets another one with the same name and the same
// rights, for a new TLS key and the signing key that it has (TS-24). Everything that it is certified for comes from the certificate before and
// nothing from the request. Refuses ended and revoked certificates, also on sessions that are open.

import { ParleyError } from '#base/error.ts';
import { createInTurn } from '#base/in-turn.ts';
import type { Random } from '#base/random.ts';
import { equalBytes } from '#codec/bytes.ts';
import { encodeHex } from '#codec/hex.ts';
import { type CertificateFields, readCertificate } from '#codec/x509.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { DEFAULT_LIFETIME_MS } from '../certify.ts';
import type { Grant } from '../enrol/messages.ts';
import {
  type IssuedChain,
  issueFromRegistrar,
  lastIssued,
  openRegistrarCa,
  type RegistrarCa,
  recordIssued,
} from '../enrol/registrar-ca.ts';
import { type EnrolmentRequest, readRequest, requestSha256 } from '../enrol/request.ts';
import { enrolledAtMs, lifeMs } from '../lifetime/life.ts';
import { RENEWAL_LIMITS } from './limits.ts';

export type RenewalsInit = {
  /** Folder of the registrar. */
  readonly dir: string;
  readonly random: Random;
  /** Never earlier than the newest time that this node has proof of. */
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** The party of a chain that holds now; else why not. */
  readonly verify: (chain: CertificateChain) => { readonly ok: boolean; readonly reason?: string };
};

export type Renewed = {
  /** `repeated`: the same request once more, whose answer was lost. */
  readonly outcome: 'renewed' | 'repeated';
  readonly grant: Grant;
  readonly thumbprint: string;
  readonly notAfterMs: number;
  /** The certificate before was renewed already, with another key: two machines may have it. */
  readonly isSecond: boolean;
};

export type Renewals = {
  /** `chain`: as the caller's TLS session showed it. Rejects with `caller/renewal-refused` or `caller/no-registrar`. */
  renew(caller: Party, chain: CertificateChain, request: string): Promise<Renewed>;
};

export function createRenewals(init: RenewalsInit): Renewals {
  // One party at a time: two requests must not both find themselves the first.
  const inTurn = createInTurn();
  const rate = createRate(init);
  return {
    renew: (caller, chain, text) =>
      inTurn(async () => {
        const fields = leafOf(init, caller, chain);
        if (!rate(`${caller.kind}/${caller.name}`))
          throw refused(`at most ${RENEWAL_LIMITS.renewalsPerMinute} renewals of one party in a minute: wait`);
        const request = requestOf(text, caller, fields);
        const ca = await openRegistrarCa(init.dir);
        if (caller.kind !== 'node' && !ca.issues.includes(caller.kind))
          throw refused(`this registrar certifies no ${caller.kind}s: ask another, or the domain's CA`);
        return issue(init, ca, { caller, chain, fields, request, sha256: requestSha256(text) });
      }),
  };
}

/** Fields of the certificate that is to be renewed, once it was verified anew: the handshake may have been days ago. */
function leafOf(init: RenewalsInit, caller: Party, chain: CertificateChain): CertificateFields {
  const verified = init.verify(chain);
  if (!verified.ok) throw refused(`its certificate does not hold now: ${verified.reason}`);
  const fields = readCertificate(Buffer.from(chain[0] ?? '', 'base64'));
  if (!fields.ok || caller.signingKey === undefined) throw refused('its certificate cannot be read');
  return fields.value;
}

function requestOf(text: string, caller: Party, fields: CertificateFields): EnrolmentRequest {
  const request = readRequest(text);
  if (!request.ok) throw refused(request.reason);
  const { kind, name, signingKey, spki } = request.value;
  if (kind !== caller.kind || name !== caller.name)
    throw refused(`the request is for ${kind} ${name}, the certificate is of ${caller.kind} ${caller.name}`);
  if (encodeHex(signingKey) !== caller.signingKey)
    throw refused('the request is for another signing key: enrol with a code to get another one');
  if (equalBytes(spki, fields.spki)) throw refused('the request is for the TLS key of the certificate before');
  return request.value;
}

type Asked = {
  readonly caller: Party;
  readonly chain: CertificateChain;
  readonly fields: CertificateFields;
  readonly request: EnrolmentRequest;
  readonly sha256: string;
};

async function issue(init: RenewalsInit, ca: RegistrarCa, asked: Asked): Promise<Renewed> {
  const { caller, chain, fields, request, sha256 } = asked;
  const { dir, random } = init;
  const nowMs = init.nowMs();
  const last = await lastIssued(dir, caller);
  const before = last?.renewal?.of === fields.serialHex ? last.renewal : undefined;
  const grant = (given: readonly string[]): Grant => ({
    ...{ type: 'certificate', requestSha256: sha256, chain: [...given], ca: ca.ca, timeMs: nowMs },
  });
  if (last !== undefined && before?.requestSha256 === sha256) {
    const { thumbprint, notAfter } = last;
    const again = grant(before.chain);
    return { outcome: 'repeated', grant: again, thumbprint, notAfterMs: Date.parse(notAfter), isSecond: false };
  }
  const issued = issueFromRegistrar(
    ca,
    {
      ...{ kind: caller.kind, name: caller.name, dnsNames: fields.sanDns, addresses: fields.sanIps },
      ...(caller.role === undefined ? {} : { role: caller.role }),
      lifetimeMs: lifetimeOf(fields, chain),
      ...{ publicKey: request.publicKey, signingKey: request.signingKey, nowMs, enrolledMs: enrolledAtMs(fields) },
    },
    random,
  );
  const own = init.verify(issued.chain);
  if (!own.ok) throw refused(`what this registrar certifies does not hold: ${own.reason}`);
  // On disk before it is let out: the same request then gets the same certificate.
  await record(
    dir,
    caller,
    issued,
    { of: fields.serialHex, requestSha256: sha256, chain: issued.chain },
    last?.renewal,
  );
  const { thumbprint, notAfterMs } = issued;
  return { outcome: 'renewed', grant: grant(issued.chain), thumbprint, notAfterMs, isSecond: before !== undefined };
}

function record(
  dir: string,
  caller: Party,
  issued: IssuedChain,
  renewal: { readonly of: string; readonly requestSha256: string; readonly chain: readonly string[] },
  last: { readonly count: number } | undefined,
): Promise<void> {
  return recordIssued(dir, caller, issued, { ...renewal, count: (last?.count ?? 0) + 1 });
}

/** As long as the one before, unless that was cut short by the end of its CA. */
function lifetimeOf(fields: CertificateFields, [, issuer]: CertificateChain): number {
  const above = issuer === undefined ? undefined : readCertificate(Buffer.from(issuer, 'base64'));
  const isCut = above?.ok === true && above.value.notAfterMs === fields.notAfterMs;
  return isCut ? Math.max(DEFAULT_LIFETIME_MS, lifeMs(fields)) : lifeMs(fields);
}

/** A node that asks without end must not fill the registrar's disk with work. */
function createRate({ monotonicMs }: Pick<RenewalsInit, 'monotonicMs'>): (party: string) => boolean {
  let minute = 0;
  const counts = new Map<string, number>();
  return (party) => {
    const now = Math.floor(monotonicMs() / 60_000);
    if (now !== minute) counts.clear();
    minute = now;
    const count = (counts.get(party) ?? 0) + 1;
    counts.set(party, count);
    return count <= RENEWAL_LIMITS.renewalsPerMinute;
  };
}

function refused(reason: string): ParleyError {
  return new ParleyError('caller/renewal-refused', `no renewal: ${reason}`, { data: { reason } });
}
