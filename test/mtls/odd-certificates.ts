// Certificates that the real CA signed and that should never have been: what an attacker with a careless CA would show.
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePem } from '#codec/pem.ts';
import { readCertificate } from '#codec/x509.ts';
import type { Role } from '#model/identity.ts';
import { buildCertificate } from '#mtls/certificate.ts';
import type { Identity } from '#mtls/identity.ts';
import { thumbprintOf } from '#mtls/party.ts';
import { generateSigningKey } from '#sign/signer.ts';
import type { Domain } from './domain.ts';

export type OddCertificate = {
  readonly uris: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly role?: Role;
  readonly notBeforeMs?: number;
  readonly notAfterMs?: number;
  /** Octets of the signed part to replace by as many others, in hex; must occur exactly once. */
  readonly swap?: readonly [from: string, to: string];
  readonly use?: { readonly kind: 'authority'; readonly pathLength: number };
};

/** An identity whose chain is one odd certificate. */
export async function oddIdentity(domain: Domain, odd: OddCertificate, like: Identity): Promise<Identity> {
  const caKey = createPrivateKey(await readFile(join(domain.dir, 'ca', 'ca-key.pem'), 'utf8'));
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = generateSigningKey();
  const notBeforeMs = odd.notBeforeMs ?? Date.now() - 60_000;
  const notAfterMs = odd.notAfterMs ?? Date.now() + 3_600_000;
  const plain = buildCertificate({
    subject: {
      commonName: 'odd',
      uris: odd.uris,
      dnsNames: odd.dnsNames ?? [],
      addresses: [],
      publicKey: keys.publicKey,
    },
    issuer: { commonName: 'Parley CA of lab.example', publicKey: createPublicKey(caKey), privateKey: caKey },
    serial: '5000000001',
    notBeforeMs,
    notAfterMs,
    use: odd.use ?? {
      kind: 'party',
      signingKey: signingKey.publicKeyRaw,
      ...(odd.role === undefined ? {} : { role: odd.role }),
    },
  });
  const der = odd.swap === undefined ? plain : resign(plain, odd.swap, caKey);
  return {
    ...like,
    chain: [Buffer.from(der).toString('base64')],
    certPem: encodePem(der, 'CERTIFICATE'),
    keyPem: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    signingKey: signingKey.privateKey,
    thumbprint: thumbprintOf(der),
    notBeforeMs,
    notAfterMs,
  };
}

function resign(
  der: Uint8Array,
  [from, to]: readonly [string, string],
  caKey: ReturnType<typeof createPrivateKey>,
): Uint8Array {
  const fields = readCertificate(der);
  if (!fields.ok) throw new Error(fields.reason);
  const hex = Buffer.from(fields.value.tbs).toString('hex');
  if (from.length !== to.length || hex.split(from).length !== 2) throw new Error(`${from} does not occur once`);
  const tbs = Buffer.from(hex.replace(from, to), 'hex');
  const signature = sign('sha256', tbs, caKey);
  const algorithm = Buffer.from('300a06082a8648ce3d040302', 'hex');
  const bits = Buffer.concat([Buffer.of(0x03, signature.length + 1, 0), signature]);
  const body = Buffer.concat([tbs, algorithm, bits]);
  return Buffer.concat([Buffer.of(0x30, 0x82, body.length >> 8, body.length & 0xff), body]);
}
