// The domain's CA as files: makes it once, and issues identity folders with it (TS-24). Refuses to overwrite a CA or
// another party's identity, and names and keys that could be mistaken for others.
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { type Random, systemRandom } from '#base/random.ts';
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
import { authorityUri, domainOf, isDomain, partyUri, thumbprintOf } from './party.ts';
import { loadRegister, nextSerial, type Register, storeRegister } from './register.ts';

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
  /** Runs what changes files in `out`, as the user whom it belongs to; default: as this process. */
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
  const present = await presentIdentity(init, register.domain);
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
  const { asOwner = (work) => work() } = init;
  await asOwner(() => replaceIdentity(init.out, pems));
  return issued(present === undefined ? 'issued' : 'renewed', await loadIdentity(init.out, init.clock), init.out);
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

type Present = {
  readonly valid?: Identity;
  readonly signingKey?: SigningKey;
  /** Of the certificate that is there, whether it is valid or not. */
  readonly names?: Pick<CertificateFields, 'sanDns' | 'sanIps'>;
};

/** Names, addresses and role stay what they were where none are given. */
function keptOf({ dnsNames = [], addresses = [], role }: IssueInit, present: Present | undefined) {
  const { sanDns = [], sanIps = [] } = present?.names ?? {};
  const kept = role ?? present?.valid?.party.role;
  return {
    dnsNames: dnsNames.length > 0 ? dnsNames : sanDns,
    addresses: addresses.length > 0 ? addresses : sanIps,
    ...(kept === undefined ? {} : { role: kept }),
  };
}

/** What `out` holds of this very party; undefined when it is free. A broken or ended identity keeps its signing key. */
async function presentIdentity(init: IssueInit, domain: string): Promise<Present | undefined> {
  const { asOwner = (work) => work() } = init;
  await asOwner(() => finishReplacing(init.out));
  const chainPath = join(init.out, IDENTITY_FILES.chain);
  if (!(await exists(chainPath))) return undefined;
  // A registrar's certificate has its intermediate behind it.
  const ders = decodePemAll(await readFile(chainPath, 'utf8'), 'CERTIFICATE');
  const fields = ders.ok ? readCertificate(ders.value[0] ?? new Uint8Array()) : ders;
  const uri = partyUri({ kind: init.kind, domain, name: init.name });
  if (!fields.ok || !fields.value.sanUris.includes(uri)) {
    const found = fields.ok ? fields.value.sanUris.join(' ') : 'something else';
    throw new ParleyError(
      'caller/identity-exists',
      `expected ${uri} or nothing in ${init.out}, there is ${found}: choose another folder`,
    );
  }
  const pem = await readFile(join(init.out, IDENTITY_FILES.signingKey), 'utf8').catch(() => undefined);
  const kept = { names: fields.value, ...(pem === undefined ? {} : { signingKey: importSigningKey(pem) }) };
  try {
    const valid = await loadIdentity(init.out, init.clock);
    // Another role is another certificate of the same party, with the same signing key.
    if (init.role === undefined || valid.party.role === init.role) return { ...kept, valid };
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
  }
  return kept;
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
