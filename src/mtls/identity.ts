// This process's own identity, read from its folder: certificate chain, both private keys and the domain's CA.
// Refuses parts that do not belong together or are not in force, and says what to do about it.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { type Clock, createSystemClock, isoTime } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { deniedWords, isDenied } from '#base/owners.ts';
import { encodeBase64 } from '#codec/base64.ts';
import { equalBytes } from '#codec/bytes.ts';
import { encodeHex } from '#codec/hex.ts';
import { decodePemAll } from '#codec/pem.ts';
import { type CertificateFields, readCertificate } from '#codec/x509.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { importSigningKey } from '#sign/signer.ts';
import { IDENTITY_FILES, type IdentityFile, readIdentityFile } from './identity-files.ts';
import { thumbprintOf } from './party.ts';
import { verifyChain } from './verify-chain.ts';

export type Identity = {
  readonly party: Party;
  readonly chain: CertificateChain;
  /** Leaf and intermediates. */
  readonly certPem: string;
  readonly keyPem: string;
  readonly caPem: string;
  /** Ed25519 private key whose public half the certificate binds. */
  readonly signingKey: KeyObject;
  /** SHA-256 of the certificate, lower-case hex: what discovery announces (TS-13). */
  readonly thumbprint: string;
  /** DNS names that the CA wrote into the certificate, as they stand there. */
  readonly dnsNames: readonly string[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
};

/** Throws ParleyError `caller/identity-missing`, `caller/identity-invalid` or `caller/identity-expired`. */
export async function loadIdentity(dir: string, clock: Pick<Clock, 'nowMs'> = createSystemClock()): Promise<Identity> {
  const [caPem, certPem, keyPem, signingKeyPem] = await Promise.all([
    readPart(dir, 'ca'),
    readPart(dir, 'chain'),
    readPart(dir, 'key'),
    readPart(dir, 'signingKey'),
  ]);
  const ders = decodePemAll(certPem, 'CERTIFICATE');
  const leaf = ders.ok ? ders.value[0] : undefined;
  if (!ders.ok || leaf === undefined)
    throw invalid(dir, `${IDENTITY_FILES.chain}: ${ders.ok ? 'no certificate in it' : ders.reason}`);
  const fields = readCertificate(leaf);
  if (!fields.ok) throw invalid(dir, `${IDENTITY_FILES.chain}: ${fields.reason}`);
  checkInForce(dir, fields.value, clock.nowMs());
  const chain = ders.value.map((der) => encodeBase64(der));
  const party = verifyChain(chain, caPem, clock.nowMs());
  if (!party.ok) throw invalid(dir, party.reason);
  if (!equalBytes(publicHalf(dir, keyPem), fields.value.spki)) {
    throw invalid(dir, `${IDENTITY_FILES.key} is not the key of the certificate in ${IDENTITY_FILES.chain}`);
  }
  const signingKey = importSigningKey(signingKeyPem);
  if (encodeHex(signingKey.publicKeyRaw) !== party.value.signingKey) {
    throw invalid(dir, `${IDENTITY_FILES.signingKey} is not the key that the certificate binds`);
  }
  const { notBeforeMs, notAfterMs, sanDns: dnsNames } = fields.value;
  const thumbprint = thumbprintOf(leaf);
  return {
    party: party.value,
    chain,
    certPem,
    keyPem,
    caPem,
    signingKey: signingKey.privateKey,
    thumbprint,
    dnsNames,
    notBeforeMs,
    notAfterMs,
  };
}

async function readPart(dir: string, part: IdentityFile): Promise<string> {
  try {
    return await readIdentityFile(dir, part);
  } catch (cause) {
    if (isDenied(cause)) {
      const denied = await deniedWords(`${dir}/${IDENTITY_FILES[part]}`);
      throw new ParleyError('caller/identity-denied', `not allowed to read ${dir}/${IDENTITY_FILES[part]}: ${denied}`, {
        cause,
      });
    }
    const message = `no identity in ${dir}, cannot read ${IDENTITY_FILES[part]} (${messageOf(cause)}): ${remedy('NAME', dir)}`;
    throw new ParleyError('caller/identity-missing', message, { cause });
  }
}

function checkInForce(dir: string, fields: CertificateFields, nowMs: number): void {
  const name = fields.subjectCn ?? 'NAME';
  if (nowMs >= fields.notAfterMs) {
    const message = `certificate of ${name} in ${dir} ended at ${isoTime(fields.notAfterMs)}, it is ${isoTime(nowMs)}: ${remedy(name, dir)}`;
    throw new ParleyError('caller/identity-expired', message);
  }
  if (nowMs < fields.notBeforeMs) {
    throw invalid(
      dir,
      `certificate is valid from ${isoTime(fields.notBeforeMs)}, it is ${isoTime(nowMs)}: set the clock`,
    );
  }
}

function publicHalf(dir: string, keyPem: string): Uint8Array {
  try {
    return createPublicKey(createPrivateKey(keyPem)).export({ type: 'spki', format: 'der' });
  } catch {
    throw invalid(dir, `${IDENTITY_FILES.key}: expected a private key in PEM, got something else`);
  }
}

function invalid(dir: string, reason: string): ParleyError {
  return new ParleyError('caller/identity-invalid', `identity in ${dir}: ${reason}; ${remedy('NAME', dir)}`);
}

function remedy(name: string, dir: string): string {
  return `run "parley ca issue ${name} --out ${dir}", or "parley enrol" with the code of a registrar`;
}
