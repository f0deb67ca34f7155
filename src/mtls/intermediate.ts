// What an intermediate CA of a registrar may certify: nodes, and further kinds of parties only where the domain's CA has written so
// into its certificate. The thief of a registrar must not be able to make itself an admin. Pure.
import { DER, decodeDer } from '#codec/der.ts';
import { decodeText } from '#codec/der-values.ts';
import { type CertificateFields, readCertificate } from '#codec/x509.ts';
import type { PartyKind } from '#model/identity.ts';
import { ISSUES_OID } from './oids.ts';

/** Why a party of this kind does not count below these intermediates; undefined where it does. `intermediates`: DER, without leaf and root. */
export function beyondIntermediates(intermediates: readonly Uint8Array[], kind: PartyKind): string | undefined {
  if (kind === 'node') return undefined;
  return intermediates.some((der) => !mayIssue(der, kind))
    ? `expected ${kind === 'operator' ? 'an operator' : `a ${kind}`} certified by the domain's CA or a registrar that may, got one of a registrar for nodes`
    : undefined;
}

function mayIssue(der: Uint8Array, kind: PartyKind): boolean {
  const fields = readCertificate(der);
  return fields.ok && issuedKinds(fields.value).includes(kind);
}

/** Kinds besides nodes; none where the extension is absent or has another form. */
export function issuedKinds(fields: CertificateFields): readonly string[] {
  const value = fields.extensions.get(ISSUES_OID);
  const list = value === undefined ? undefined : decodeDer(value);
  if (!list?.ok || list.value.tag !== DER.sequence) return [];
  return list.value.children.flatMap((node) => (node.tag === DER.utf8String ? (decodeText(node) ?? []) : []));
}
