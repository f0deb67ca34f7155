// The CA of one registrar: an intermediate of path length 0 below the domain's CA, in a folder of its own (TS-24). Each certificate leaves
// one file there, so that the agent and a command never write the same one.
import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { makeFolder, writeFileDurably } from '#base/files.ts';
import { type Random, randomHex, systemRandom } from '#base/random.ts';
import { encodeBase64 } from '#codec/base64.ts';
import { decodePemAll, encodePem } from '#codec/pem.ts';
import { readCertificate } from '#codec/x509.ts';
import { isNodeName } from '#model/names.ts';
import { openAuthority } from '../authority.ts';
import { buildCertificate } from '../certificate.ts';
import { type Certify, certify, checkFree, type Issuer, pemOf, type Subject, wholeSeconds } from '../certify.ts';
import { issuedKinds } from '../intermediate.ts';
import { BACKDATED_MS } from '../lifetime/life.ts';
import { domainOf, registrarUri, thumbprintOf } from '../party.ts';
import { nextSerial, storeRegister } from '../register.ts';

const FILES = { ca: 'ca.pem', chain: 'chain.pem', key: 'ca-key.pem' } as const;
const ISSUED = 'issued';
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 365;

export type MakeRegistrar = {
  /** Folder of the domain's CA. */
  readonly dir: string;
  readonly name: string;
  /** Folder to write, for the registrar's node. */
  readonly out: string;
  readonly days?: number;
  /** Lets it certify operators as well. */
  readonly operators?: boolean;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random?: Random;
};

export type MadeRegistrar = { readonly domain: string; readonly thumbprint: string; readonly notAfterMs: number };

/** Throws `caller/bad-name`, `caller/authority-exists` or `caller/no-authority`. */
export async function makeRegistrar(init: MakeRegistrar): Promise<MadeRegistrar> {
  if (!isNodeName(init.name)) {
    const expected = 'a name of lower-case letters, digits, "-", "_" and "."';
    throw new ParleyError('caller/bad-name', `expected ${expected}, got ${init.name}`);
  }
  const there = await access(join(init.out, FILES.key)).then(
    () => true,
    () => false,
  );
  if (there)
    throw new ParleyError('caller/authority-exists', `there is a CA in ${init.out} already: choose another folder`);
  const root = await openAuthority(init.dir);
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const nowMs = init.clock.nowMs();
  const notAfterMs = Math.min(wholeSeconds(nowMs + (init.days ?? DEFAULT_DAYS) * DAY_MS), root.notAfterMs);
  const serial = nextSerial(root.register, init.random ?? systemRandom);
  const der = buildCertificate({
    subject: {
      commonName: `Parley registrar ${init.name} of ${root.domain}`,
      uris: [registrarUri(root.domain, init.name)],
      dnsNames: [],
      addresses: [],
      publicKey: keys.publicKey,
    },
    issuer: root,
    serial,
    notBeforeMs: wholeSeconds(nowMs - BACKDATED_MS),
    notAfterMs,
    use: { kind: 'authority', pathLength: 0, ...(init.operators === true ? { issues: ['operator'] as const } : {}) },
  });
  const entry = { serial, thumbprint: thumbprintOf(der), notAfter: isoTime(notAfterMs) };
  await storeRegister(init.dir, {
    ...root.register,
    counter: root.register.counter + 1,
    issued: { ...root.register.issued, [`registrar/${init.name}`]: entry },
  });
  await makeFolder(init.out, 0o700);
  await writeFileDurably(join(init.out, FILES.ca), root.caPem, 0o600);
  await writeFileDurably(join(init.out, FILES.chain), encodePem(der, 'CERTIFICATE'), 0o600);
  await writeFileDurably(join(init.out, FILES.key), pemOf(keys.privateKey), 0o600);
  return { domain: root.domain, thumbprint: thumbprintOf(der), notAfterMs };
}

export type RegistrarCa = Issuer & {
  readonly dir: string;
  /** DER of the intermediate and of the domain's CA, base64. */
  readonly intermediate: string;
  readonly ca: string;
  /** Kinds that it may certify besides nodes. */
  readonly issues: readonly string[];
};

/** Rejects with `caller/no-registrar`. */
export async function openRegistrarCa(dir: string): Promise<RegistrarCa> {
  try {
    const [caPem, chainPem, keyPem] = await Promise.all(
      [FILES.ca, FILES.chain, FILES.key].map((file) => readFile(join(dir, file), 'utf8')),
    );
    const privateKey = createPrivateKey(keyPem!);
    const [own] = partsOf(chainPem!);
    // While the domain's CA is replaced there are two.
    const ca = partsOf(caPem!).find(({ der }) => own !== undefined && isIssuedBy(own.der, der));
    if (own === undefined || ca === undefined) throw new Error(`${FILES.chain} was not issued by ${FILES.ca}`);
    const domain = domainOf(ca.fields);
    if (!domain.ok) throw new Error(domain.reason);
    const publicKey = createPublicKey(privateKey);
    if (!publicKey.export({ type: 'spki', format: 'der' }).equals(own.fields.spki))
      throw new Error(`${FILES.key} is not the key of the certificate in ${FILES.chain}`);
    return {
      dir,
      domain: domain.value,
      commonName: own.fields.subjectCn ?? '',
      publicKey,
      privateKey,
      notAfterMs: Math.min(own.fields.notAfterMs, ca.fields.notAfterMs),
      intermediate: encodeBase64(own.der),
      intermediateDer: own.der,
      ca: encodeBase64(ca.der),
      issues: issuedKinds(own.fields),
    };
  } catch (cause) {
    const message = `no usable registrar in ${dir} (${messageOf(cause)}): run "parley ca registrar NAME --out ${dir}" beside the domain's CA`;
    throw new ParleyError('caller/no-registrar', message, { cause });
  }
}

function partsOf(pem: string) {
  const ders = decodePemAll(pem, 'CERTIFICATE');
  if (!ders.ok) throw new Error(ders.reason);
  return ders.value.map((der) => {
    const fields = readCertificate(der);
    if (!fields.ok) throw new Error(fields.reason);
    return { der, fields: fields.value };
  });
}

function isIssuedBy(der: Uint8Array, ca: Uint8Array): boolean {
  return new X509Certificate(der).verify(new X509Certificate(ca).publicKey);
}

/** Chain as base64 DER, leaf first, without the domain's CA. */
export type IssuedChain = {
  readonly chain: readonly string[];
  readonly serial: string;
  readonly thumbprint: string;
  readonly notAfterMs: number;
};

/** What a registrar keeps of the last certificate that it gave a party. */
export type IssuedRecord = {
  readonly serial: string;
  readonly thumbprint: string;
  readonly notAfter: string;
  /** Of a renewal: serial of the certificate before, the request, and the chain, which the same request gets again. */
  readonly renewal?: {
    readonly of: string;
    readonly requestSha256: string;
    readonly chain: readonly string[];
    /** Renewals since the party was enrolled, as far as this registrar made them. */
    readonly count: number;
  };
};

/** Signs; nothing is kept: see `recordIssued`. */
export function issueFromRegistrar(ca: RegistrarCa, init: Omit<Certify, 'serial'>, random: Random): IssuedChain {
  // 0x50 keeps it positive and minimal (RFC 5280 §4.1.2.2); 120 random bits need no counter that two processes share.
  const serial = `50${randomHex(random, 15)}`;
  const { der, notAfterMs } = certify(ca, { ...init, serial });
  return { chain: [encodeBase64(der), ca.intermediate], serial, thumbprint: thumbprintOf(der), notAfterMs };
}

/** Keeps which certificate a party has; on disk when it resolves. */
export async function recordIssued(
  dir: string,
  subject: Pick<Subject, 'kind' | 'name'>,
  { serial, thumbprint, notAfterMs }: IssuedChain,
  renewal?: IssuedRecord['renewal'],
): Promise<void> {
  const entry = {
    ...{ schemaVersion: 1, serial, thumbprint, notAfter: isoTime(notAfterMs) },
    ...(renewal === undefined ? {} : { renewal }),
  };
  await writeFileDurably(issuedPath(dir, subject), `${JSON.stringify(entry)}\n`);
}

/** Of a certificate that is let out once more: kept where its record was lost, and not in place of a later one's. */
export async function recordAgain(
  dir: string,
  subject: Pick<Subject, 'kind' | 'name'>,
  chain: readonly string[],
): Promise<void> {
  const der = Buffer.from(chain[0] ?? '', 'base64');
  const fields = readCertificate(der);
  if (!fields.ok) throw new Error(`certificate of ${subject.name} that was kept: ${fields.reason}`);
  const { notAfterMs, serialHex: serial } = fields.value;
  const untilMs = await certifiedUntilMs(dir, subject);
  if (untilMs !== undefined && untilMs >= notAfterMs) return;
  await recordIssued(dir, subject, { chain, serial, thumbprint: thumbprintOf(der), notAfterMs });
}

/** Throws `caller/name-taken` where another node's name reads like this one. */
export async function checkFreeAt(dir: string, subject: Pick<Subject, 'kind' | 'name'>): Promise<void> {
  const files = await readdir(join(dir, ISSUED)).catch(() => []);
  const entry = { serial: '', thumbprint: '', notAfter: '' };
  const issued = Object.fromEntries(
    files.map((file) => [file.replace(/\.json$/, '').replace('.', '/'), entry] as const),
  );
  checkFree({ schemaVersion: 1, domain: '', counter: 0, issued }, subject);
}

/** End of the last certificate of this party from this registrar; undefined where there is none. */
export async function certifiedUntilMs(
  dir: string,
  subject: Pick<Subject, 'kind' | 'name'>,
): Promise<number | undefined> {
  const record = await lastIssued(dir, subject);
  return record === undefined ? undefined : Date.parse(record.notAfter);
}

/** What this registrar gave this party last. */
export async function lastIssued(
  dir: string,
  subject: Pick<Subject, 'kind' | 'name'>,
): Promise<IssuedRecord | undefined> {
  const text = await readFile(issuedPath(dir, subject), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as IssuedRecord);
}

/** A kind has no dot, a name may. */
function issuedPath(dir: string, { kind, name }: Pick<Subject, 'kind' | 'name'>): string {
  return join(dir, ISSUED, `${kind}.${name}.json`);
}
