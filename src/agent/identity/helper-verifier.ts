// What a helper verifies an admin's certificate by: the CA in root's own folder, and the trust list there, where root has put one. The list that
// the agent keeps does not count here: a helper takes nothing from the agent on trust.
import { join } from 'node:path';
import { bad, type Result } from '#base/result.ts';
import { readRootFile } from '#base/root-file.ts';
import { decodePemAll } from '#codec/pem.ts';
import { readCertificate } from '#codec/x509.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { domainOf } from '#mtls/party.ts';
import { deniedBy, indexOf } from '#mtls/revocation/denied.ts';
import { TRUST_LIST_FILE } from '#mtls/revocation/kept-list.ts';
import { openTrustList } from '#mtls/revocation/trust-list.ts';
import { verifyChain } from '#mtls/verify-chain.ts';

/** Rejects where the list is not the CA's, or another user than root may change it: a helper that cannot tell who is revoked accepts no caller. */
export async function openHelperVerifier(
  folder: string,
  caPem: string,
): Promise<(chain: CertificateChain, atMs: number) => Result<Party>> {
  const file = join(folder, TRUST_LIST_FILE);
  const text = await readRootFile(file).catch((error: Error) => {
    if ((error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return (chain, atMs) => verifyChain(chain, caPem, atMs);
  const list = openTrustList(text, caPem, domainOfPem(caPem));
  if (!list.ok) throw new Error(`${file}: ${list.reason}`);
  const index = indexOf(list.value);
  return (chain, atMs) => {
    const denied = deniedBy(index, chain);
    return denied === undefined ? verifyChain(chain, list.value.anchorsPem, atMs) : bad(denied);
  };
}

function domainOfPem(caPem: string): string {
  const ders = decodePemAll(caPem, 'CERTIFICATE');
  const fields = ders.ok ? readCertificate(ders.value[0] ?? new Uint8Array()) : ders;
  const domain = fields.ok ? domainOf(fields.value) : fields;
  if (!domain.ok) throw new Error(`expected a CA of a domain: ${domain.reason}`);
  return domain.value;
}
