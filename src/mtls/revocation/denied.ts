// Whether a trust list revokes a certificate, or one above it (TS-24). Pure.
import { bad, type Result } from '#base/result.ts';
import { decodeBase64 } from '#codec/base64.ts';
import { type CertificateFields, readCertificate } from '#codec/x509.ts';
import type { CertificateChain } from '#model/identity.ts';
import { enrolledAtMs } from '../lifetime/life.ts';
import type { Revoked, TrustList } from './trust-list.ts';

const PARTY_URI = /^parley:\/\/[^/]+\/(?:(operator|controller|registrar)\/)?([^/]+)$/;

export type DenyIndex = {
  readonly bySerial: ReadonlyMap<string, Revoked>;
  readonly byParty: ReadonlyMap<string, Revoked & { readonly before: string }>;
};

export function indexOf({ revoked }: Pick<TrustList, 'revoked'>): DenyIndex {
  const bySerial = new Map<string, Revoked>();
  const byParty = new Map<string, Revoked & { readonly before: string }>();
  for (const each of revoked) {
    if ('serial' in each) bySerial.set(each.serial, each);
    else if ((byParty.get(each.party)?.before ?? '') < each.before) byParty.set(each.party, each);
  }
  return { bySerial, byParty };
}

/** Why no certificate of this chain counts, from the leaf up; undefined where none is revoked. `chain`: base64 DER, without the root. */
export function deniedBy(index: DenyIndex, chain: CertificateChain): string | undefined {
  for (const text of chain) {
    const fields = fieldsOf(text);
    // A certificate that cannot be read is refused elsewhere; here nothing is known of it.
    const found = fields.ok ? entryFor(index, fields.value) : undefined;
    if (found === undefined || !fields.ok) continue;
    const what = partyOfUris(fields.value.sanUris) ?? fields.value.subjectCn ?? 'a certificate';
    return `certificate of ${what} was revoked on ${found.at}: ${found.reason}`;
  }
  return undefined;
}

function entryFor({ bySerial, byParty }: DenyIndex, fields: CertificateFields): Revoked | undefined {
  const party = partyOfUris(fields.sanUris);
  const named = party === undefined ? undefined : byParty.get(party);
  const isBefore = named !== undefined && enrolledAtMs(fields) < Date.parse(named.before);
  return bySerial.get(fields.serialHex) ?? (isBefore ? named : undefined);
}

function fieldsOf(text: string): Result<CertificateFields> {
  const der = decodeBase64(text);
  return der.ok ? readCertificate(der.value) : bad(der.reason);
}

/** `node/pe7`, `operator/alice`, `registrar/r1`. */
export function partyOfUris(uris: readonly string[]): string | undefined {
  const [, kind = 'node', name] = PARTY_URI.exec(uris.find((uri) => uri.startsWith('parley://')) ?? '') ?? [];
  return name === undefined ? undefined : `${kind}/${name}`;
}
