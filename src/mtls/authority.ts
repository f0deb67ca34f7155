// The domain's CA as files: makes it once, and issues identity folders with it (TS-24). Refuses to overwrite a CA or
// another party's identity, and names and keys that could be mistaken for others.
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { type Random, systemRandom } from '#base/random.ts';
import { encodeBase64 } from '#codec/base64.ts';
import { encodeHex } from '#codec/hex.ts';
import { decodePem, decodePemAll, encodePem } from '#codec/pem.ts';
import { type CertificateFields, readCertificate } from '#codec/x509.ts';
import type { Party, PartyKind, Role } from '#model/identity.ts';
import { checkPublicKey } from '#sign/key-check.ts';
import { exportSigningKey, generateSigningKey, importSigningKey, type SigningKey } from '#sign/signer.ts';
import { buildCertificate } from './certificate.ts';
import { certify, checkFree, checkNames, type Issuer, pemOf, registered, wholeSeconds } from './certify.ts';
import { type Identity, loadIdentity } from './identity.ts';
import { finishReplacing, IDENTITY_FILES, replaceIdentity } from './identity-files.ts';
import { BACKDATED_MS } from './lifetime/life.ts';
import { MTLS_LIMITS } from './limits.ts';
import { authorityUri, domainOf, isDomain, partyUri, thumbprintOf } from './party.ts';
import { loadRegister, nextSerial, type Register, storeRegister } from './register.ts';
import { verifyChain } from './verify-chain.ts';

export const AUTHORITY_FILES = { ca: 'ca.pem', key: 'ca-key.pem' } as const;
/** A second CA beside it: the next one, or the one before. */
export const OTHER_AUTHORITIES = ['next-', 'old-'] as const;

const DAY_MS = 86_400_000;
const DEFAULT_AUTHORITY_DAYS = 3_650;
/** Intermediates below the domain's CA: registrar nodes, none below them. */
const PATH_LENGTH = 1;

export type AuthorityInit = {
  readonly dir: string;
  readonly domain: string;
  readonly lifetimeDays?: number;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random?: Random;
};

export type Authority = {
  readonly domain: string;
  readonly caPem: string;
  readonly thumbprint: string;
  readonly notAfterMs: number;
};

/** Throws ParleyError `caller/bad-domain` or `caller/authority-exists`. */
export async function initAuthority(init: AuthorityInit): Promise<Authority> {
  const { dir, domain, lifetimeDays = DEFAULT_AUTHORITY_DAYS } = init;
  if (!isDomain(domain))
    throw new ParleyError('caller/bad-domain', `expected a domain such as lab.example, got ${domain}`);
  for (const file of Object.values(AUTHORITY_FILES)) {
    if (await exists(join(dir, file))) {
      throw new ParleyError(
        'caller/authority-exists',
        `there is a CA in ${dir} already (${file}): use it, or choose another folder`,
      );
    }
  }
  const register: Register = { schemaVersion: 1, domain, counter: 0, issued: {} };
  const nowMs = init.clock.nowMs();
  const serial = nextSerial(register, init.random ?? systemRandom);
  const made = makeAuthority({ domain, commonName: `Parley CA of ${domain}`, serial, nowMs, lifetimeDays });
  await writeFileDurably(join(dir, AUTHORITY_FILES.key), made.keyPem, 0o600);
  await storeRegister(dir, { ...register, counter: 1 });
  await writeFileDurably(join(dir, AUTHORITY_FILES.ca), made.caPem, 0o644);
  return { domain, caPem: made.caPem, thumbprint: thumbprintOf(made.der), notAfterMs: made.notAfterMs };
}

export type MakeAuthority = {
  readonly domain: string;
  readonly commonName: string;
  readonly serial: string;
  readonly nowMs: number;
  readonly lifetimeDays?: number;
};

/** A key and the certificate that it signs for itself. */
export function makeAuthority(init: MakeAuthority) {
  const { domain, commonName, serial, nowMs, lifetimeDays = DEFAULT_AUTHORITY_DAYS } = init;
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const notAfterMs = wholeSeconds(nowMs + lifetimeDays * DAY_MS);
  const der = buildCertificate({
    subject: { commonName, uris: [authorityUri(domain)], dnsNames: [], addresses: [], publicKey: keys.publicKey },
    issuer: { commonName, ...keys },
    serial,
    notBeforeMs: wholeSeconds(nowMs - BACKDATED_MS),
    notAfterMs,
    use: { kind: 'authority', pathLength: PATH_LENGTH },
  });
  return { der, caPem: encodePem(der, 'CERTIFICATE'), keyPem: pemOf(keys.privateKey), notAfterMs };
}

export type IssueInit = {
  /** Folder of the CA. */
  readonly dir: string;
  readonly kind: PartyKind;
  readonly name: string;
  /** Of an operator; an operator without one is `operator`. */
  readonly role?: Role;
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  /** Default 7 days. */
  readonly lifetimeMs?: number;
  /** Issues anew although a valid certificate is there: same signing key, and the names of the old one where none are given. */
  readonly renew?: boolean;
  /** Identity folder to write. */
  readonly out: string;
  /** Runs what reads or changes files in `out`, as the user whom it belongs to; default: as this process. */
  readonly asOwner?: <Value>(work: () => Promise<Value>) => Promise<Value>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random?: Random;
};

/** `exists`: nothing was done, a valid certificate of the same party is there; `renewed`: it had ended, was not usable, or was to be renewed. */
export type Issued = {
  readonly outcome: 'issued' | 'renewed' | 'exists';
  readonly party: Party;
  readonly thumbprint: string;
  readonly notAfterMs: number;
  readonly out: string;
};

/** Throws ParleyError `caller/bad-name`, `caller/bad-role`, `caller/name-taken`, `caller/identity-exists` or `caller/no-authority`. */
export async function issueCertificate(init: IssueInit): Promise<Issued> {
  checkNames(init);
  const authority = await openAuthority(init.dir);
  const { register } = authority;
  checkFree(register, init);
  const { asOwner = (work) => work() } = init;
  const present = await asOwner(() => presentIdentity(init, authority));
  if (present?.valid && init.renew !== true) return issued('exists', present.valid, init.out);
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = present?.signingKey ?? generateSigningKey();
  const checked = checkPublicKey(signingKey.publicKeyRaw);
  if (!checked.ok) throw new ParleyError('caller/bad-signing-key', `signing key of ${init.name}: ${checked.reason}`);
  const serial = nextSerial(register, init.random ?? systemRandom);
  const { der, notAfterMs } = certify(authority, {
    ...init,
    ...keptOf(init, present),
    publicKey: keys.publicKey,
    signingKey: signingKey.publicKeyRaw,
    serial,
    nowMs: init.clock.nowMs(),
  });
  await storeRegister(init.dir, registered(register, init, { serial, der, notAfterMs }));
  const pems = {
    key: pemOf(keys.privateKey),
    signingKey: exportSigningKey(signingKey),
    ca: authority.caPem,
    chain: encodePem(der, 'CERTIFICATE'),
  };
  const made = await asOwner(async () => {
    await replaceIdentity(init.out, pems);
    return loadIdentity(init.out, init.clock);
  });
  return issued(present === undefined ? 'issued' : 'renewed', made, init.out);
}

export type OpenAuthority = Issuer & {
  readonly register: Register;
  /** What parties are to trust: this CA, and while it is replaced the other one as well. */
  readonly caPem: string;
  /** Of this CA's own certificate. */
  readonly der: Uint8Array;
};

/** Rejects with `caller/no-authority`. */
export async function openAuthority(dir: string): Promise<OpenAuthority> {
  try {
    const caPem = await readFile(join(dir, AUTHORITY_FILES.ca), 'utf8');
    const privateKey = createPrivateKey(await readFile(join(dir, AUTHORITY_FILES.key), 'utf8'));
    const publicKey = createPublicKey(privateKey);
    const der = decodePem(caPem, 'CERTIFICATE');
    const fields = der.ok ? readCertificate(der.value) : der;
    const domain = fields.ok ? domainOf(fields.value) : fields;
    if (!der.ok || !fields.ok || !domain.ok) throw new Error(domain.ok ? 'no certificate' : domain.reason);
    if (!publicKey.export({ type: 'spki', format: 'der' }).equals(fields.value.spki))
      throw new Error(
        `${AUTHORITY_FILES.key} is not the key of ${AUTHORITY_FILES.ca}; a switch that was cut goes on with "parley ca rotate switch"`,
      );
    const others = OTHER_AUTHORITIES.map((which) => readFile(join(dir, `${which}${AUTHORITY_FILES.ca}`), 'utf8'));
    const otherPems = await Promise.all(others.map((other) => other.catch(absent)));
    const register = await loadRegister(dir);
    if (register.domain !== domain.value)
      throw new Error(`certificate is of ${domain.value}, register of ${register.domain}`);
    return {
      register,
      caPem: [caPem, ...otherPems.filter((pem) => pem !== caPem)].join(''),
      der: der.value,
      domain: register.domain,
      commonName: fields.value.subjectCn ?? '',
      privateKey,
      publicKey,
      notAfterMs: fields.value.notAfterMs,
    };
  } catch (cause) {
    const message = `no usable CA in ${dir} (${messageOf(cause)}): run "parley ca init --domain DOMAIN --dir ${dir}"`;
    throw new ParleyError('caller/no-authority', message, { cause });
  }
}

/** What a folder holds of the party, by a certificate that this CA's key, or a registrar's of this CA, has signed. */
type Present = {
  readonly valid?: Identity;
  readonly signingKey?: SigningKey;
  /** Of the certificate that is there, in force or ended. */
  readonly names: Pick<CertificateFields, 'sanDns' | 'sanIps'>;
  readonly role?: Role;
  /** The register has it as the party's last. An earlier one, put back, may hold a role that was taken away since. */
  readonly isLast: boolean;
};

/** Names, addresses and role stay what they were where none are given. */
function keptOf(init: IssueInit, present: Present | undefined) {
  const { dnsNames = [], addresses = [], role } = init;
  const { sanDns = [], sanIps = [] } = present?.names ?? {};
  if (present?.isLast === false && init.kind === 'operator' && role === undefined) {
    const message = `the certificate in ${init.out} is not the last one that this CA issued to ${init.name}, and may hold another role: say which one is meant with --role`;
    throw new ParleyError('caller/bad-role', message);
  }
  const kept = role ?? present?.role;
  return {
    dnsNames: dnsNames.length > 0 ? dnsNames : sanDns,
    addresses: addresses.length > 0 ? addresses : sanIps,
    ...(kept === undefined ? {} : { role: kept }),
  };
}

/**
 * What `out` holds of this very party; undefined when it is free. A broken or ended identity keeps its signing key. The folder is its
 * owner's, who may put anything there: what counts stands in a certificate that verifies, or is bound by one.
 */
async function presentIdentity(init: IssueInit, { caPem, register }: OpenAuthority): Promise<Present | undefined> {
  const { out, kind, name } = init;
  await finishReplacing(out);
  const chainPem = await readOwn(out, 'chain');
  if (chainPem === undefined) return undefined;
  // A registrar's certificate has its intermediate behind it.
  const ders = decodePemAll(chainPem, 'CERTIFICATE');
  const leaf = ders.ok ? (ders.value[0] ?? new Uint8Array()) : new Uint8Array();
  const fields = ders.ok ? readCertificate(leaf) : ders;
  const uri = partyUri({ kind, domain: register.domain, name });
  if (!ders.ok || !fields.ok || !fields.value.sanUris.includes(uri))
    throw notOurs(out, `expected ${uri} or nothing`, fields.ok ? fields.value.sanUris.join(' ') : 'something else');
  const { notBeforeMs, notAfterMs } = fields.value;
  // One that has ended still says what it was.
  const atMs = Math.max(notBeforeMs, Math.min(init.clock.nowMs(), notAfterMs - 1));
  const chain = ders.value.map((der) => encodeBase64(der));
  const party = verifyChain(chain, caPem, atMs);
  if (!party.ok) throw notOurs(out, `expected a certificate of ${uri} by this CA or nothing`, party.reason);
  const signingKey = await keptKey(out, party.value);
  const { role } = party.value;
  const kept = {
    names: fields.value,
    isLast: register.issued[`${kind}/${name}`]?.thumbprint === thumbprintOf(leaf),
    ...(role === undefined ? {} : { role }),
    ...(signingKey === undefined ? {} : { signingKey }),
  };
  try {
    const valid = await loadIdentity(out, init.clock);
    // Another role is another certificate of the same party, with the same signing key.
    const isWanted = init.role === undefined || role === init.role;
    if (isWanted && valid.thumbprint === thumbprintOf(leaf)) return { ...kept, valid };
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
  }
  return kept;
}

/** Undefined where there is none: the party gets another. */
async function keptKey(out: string, party: Party): Promise<SigningKey | undefined> {
  const pem = await readOwn(out, 'signingKey');
  if (pem === undefined) return undefined;
  const key = importSigningKey(pem);
  if (encodeHex(key.publicKeyRaw) === party.signingKey) return key;
  throw notOurs(out, `expected the key that the certificate binds in ${IDENTITY_FILES.signingKey}`, 'another');
}

/** A file of the folder itself, never one that a link leads to; undefined where there is none. */
async function readOwn(out: string, part: keyof typeof IDENTITY_FILES): Promise<string | undefined> {
  const path = join(out, IDENTITY_FILES[part]);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw notOurs(out, `expected ${IDENTITY_FILES[part]} as a file that its owner can read`, error.code ?? 'an error');
  });
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > MTLS_LIMITS.identityFileBytes)
      throw notOurs(out, `expected ${IDENTITY_FILES[part]} as a file of one identity`, 'something else');
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function notOurs(out: string, expected: string, found: string): ParleyError {
  const remedy = 'choose another folder, or move away what is there';
  return new ParleyError('caller/identity-exists', `${expected} in ${out}, there is ${found}: ${remedy}`);
}

function issued(outcome: Issued['outcome'], identity: Identity, out: string): Issued {
  return { outcome, party: identity.party, thumbprint: identity.thumbprint, notAfterMs: identity.notAfterMs, out };
}

function absent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
