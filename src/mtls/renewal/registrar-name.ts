// Which registrar certified a chain: by convention the name of its node. Pure.
import { readCertificate } from '#codec/x509.ts';
import type { CertificateChain } from '#model/identity.ts';

const REGISTRAR_URI = /^parley:\/\/[^/]+\/registrar\/([^/]+)$/;

/** Undefined for a certificate of the domain's CA itself. */
export function registrarOf([, issuer]: CertificateChain): string | undefined {
  const fields = issuer === undefined ? undefined : readCertificate(Buffer.from(issuer, 'base64'));
  if (fields?.ok !== true) return undefined;
  return fields.value.sanUris.map((uri) => REGISTRAR_URI.exec(uri)?.[1]).find((name) => name !== undefined);
}
