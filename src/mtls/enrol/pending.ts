// The enrolling node's own files: keys that are made here and never leave, the request that is sent with them, and the identity once
// it is certified. A run that was cut anywhere goes on with the same keys and request.
import { createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync, type KeyObject } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { makeFolder, syncFolder, writeFileDurably } from '#base/files.ts';
import { decodeBase64 } from '#codec/base64.ts';
import { equalBytes } from '#codec/bytes.ts';
import { encodeHex } from '#codec/hex.ts';
import { encodePem } from '#codec/pem.ts';
import { readCertificate } from '#codec/x509.ts';
import { exportSigningKey, generateSigningKey, importSigningKey } from '#sign/signer.ts';
import { pemOf } from '../certify.ts';
import { type Identity, loadIdentity } from '../identity.ts';
import { IDENTITY_FILES, type ReplaceStep, readIdentityFile, replaceIdentity } from '../identity-files.ts';
import { verifyChain } from '../verify-chain.ts';
import type { Grant, RequestBody } from './messages.ts';
import { buildRequest, type EnrolmentRequest, readRequest, requestSha256 } from './request.ts';

const REQUEST_FILE = 'request.json';

export type PendingRequest = Pending & { readonly request: EnrolmentRequest };

export type Wanted = { readonly kind: RequestBody['kind']; readonly name: string; readonly serial?: string };

export type Pending = {
  readonly text: string;
  readonly sha256: string;
  /** Secret of this request, 32 octets: what the node's share in SPAKE2+ is made of, so that a run that was cut tests no second guess. */
  readonly shareSeed: Uint8Array;
};

/** Folder of a first certificate's request, below the identity's. */
const FIRST = 'pending';

/** The request of this folder: the one that is there, where it is for the same party, else a new one with new keys. */
export async function preparePending(out: string, wanted: Wanted, folder = FIRST): Promise<Pending> {
  const present = await loadPending(out, folder);
  if (present !== undefined && isFor(present.request, wanted)) return present;
  const dir = join(out, folder);
  await makeFolder(dir, 0o700);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = await signingKeyOf(out, wanted);
  const text = buildRequest({ ...wanted, publicKey, privateKey, signingKey });
  // The old request goes first and the new one comes last: a request is never beside the keys of another.
  await rm(join(dir, REQUEST_FILE), { force: true });
  await syncFolder(dir);
  await writeFileDurably(join(dir, IDENTITY_FILES.key), pemOf(privateKey), 0o600);
  await writeFileDurably(join(dir, IDENTITY_FILES.signingKey), exportSigningKey(signingKey), 0o600);
  await writeFileDurably(join(dir, REQUEST_FILE), text, 0o600);
  return { text, sha256: requestSha256(text), shareSeed: shareSeedOf(privateKey) };
}

function shareSeedOf(privateKey: KeyObject): Uint8Array {
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  return new Uint8Array(hkdfSync('sha256', der, Buffer.alloc(0), 'parley enrolment share', 32));
}

/** The signing key stays across certificates of one party: reports of before are still this node's. */
async function signingKeyOf(out: string, { kind, name }: Wanted) {
  const [chain, pem] = await Promise.all(
    (['chain', 'signingKey'] as const).map((part) => readIdentityFile(out, part).catch(() => '')),
  );
  const der = decodeBase64(/-----BEGIN CERTIFICATE-----([^-]+)/.exec(chain!)?.[1]?.replace(/\s/g, '') ?? '');
  const fields = der.ok ? readCertificate(der.value) : der;
  const end = kind === 'node' ? `/${name}` : `/${kind}/${name}`;
  const isSame = fields.ok && fields.value.sanUris.some((uri) => uri.replace(/^parley:\/\/[^/]+/, '') === end);
  if (!isSame) return generateSigningKey();
  try {
    return importSigningKey(pem!);
  } catch {
    return generateSigningKey();
  }
}

/** Undefined where there is none, or a broken one. */
export async function loadPending(out: string, folder = FIRST): Promise<PendingRequest | undefined> {
  const dir = join(out, folder);
  const text = await readFile(join(dir, REQUEST_FILE), 'utf8').catch(() => undefined);
  const request = text === undefined ? undefined : readRequest(text);
  if (text === undefined || !request?.ok) return undefined;
  const privateKey = await fittingKey(dir, request.value);
  if (privateKey === undefined) return undefined;
  return { text, sha256: requestSha256(text), shareSeed: shareSeedOf(privateKey), request: request.value };
}

/** The TLS key of this request; undefined where the keys of the folder are others. */
async function fittingKey(dir: string, request: EnrolmentRequest): Promise<KeyObject | undefined> {
  try {
    const { key, signingKey } = await readKeys(dir);
    const privateKey = createPrivateKey(key);
    const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
    const isFitting =
      equalBytes(spki, request.spki) && equalBytes(importSigningKey(signingKey).publicKeyRaw, request.signingKey);
    return isFitting ? privateKey : undefined;
  } catch {
    return undefined;
  }
}

async function readKeys(dir: string) {
  const [key, signingKey] = await Promise.all(
    [IDENTITY_FILES.key, IDENTITY_FILES.signingKey].map((file) => readFile(join(dir, file), 'utf8')),
  );
  return { key: key!, signingKey: signingKey! };
}

function isFor(request: EnrolmentRequest, { kind, name, serial }: Wanted): boolean {
  return request.kind === kind && request.name === name && request.serial === serial;
}

export type Installed = {
  readonly identity: Identity | undefined;
  readonly party: string;
  readonly domain: string;
  readonly notAfterMs: number;
};

/**
 * Makes the identity of `out` from the pending keys and what the registrar gave. Throws `caller/no-pending` or `peer/bad-certificate`, before
 * anything is written. `identity` is undefined where this machine's clock stands outside the certificate's time.
 */
export async function installGrant(
  out: string,
  grant: Grant,
  clock: Pick<Clock, 'nowMs'>,
  expectedDomain?: string,
  onStep?: (step: ReplaceStep) => void,
): Promise<Installed> {
  const pending = await loadPending(out);
  if (pending === undefined) {
    const message = `expected the keys of a request in ${join(out, FIRST)}, there are none: make a request on this machine first`;
    throw new ParleyError('caller/no-pending', message);
  }
  const ca = pemOfBase64([grant.ca]);
  // At the registrar's time: a node without a clock of its own may stand in 1970.
  const { party, notAfterMs } = checkGrant(grant, pending, { caPem: ca, atMs: grant.timeMs });
  if (expectedDomain !== undefined && party.domain !== expectedDomain)
    throw badGrant(`a certificate of domain ${party.domain}, this node is configured for ${expectedDomain}`);
  await install(out, FIRST, { ca, chain: grant.chain }, onStep);
  const identity = await loadIdentity(out, clock).catch((error: unknown) => {
    if (error instanceof ParleyError) return undefined;
    throw error;
  });
  return { identity, party: party.name, domain: party.domain, notAfterMs };
}

/** Throws `peer/bad-certificate` where the certificate is not the one that was asked for. */
export function checkGrant(
  grant: Pick<Grant, 'requestSha256' | 'chain'>,
  { request, sha256 }: PendingRequest,
  { caPem, atMs }: { readonly caPem: string; readonly atMs: number },
) {
  if (grant.requestSha256 !== sha256) throw badGrant('a certificate for another request');
  const party = verifyChain(grant.chain, caPem, atMs);
  if (!party.ok) throw badGrant(`a certificate that does not hold: ${party.reason}`);
  const { kind, name, signingKey } = party.value;
  if (kind !== request.kind || name !== request.name) throw badGrant(`a certificate of ${kind} ${name}`);
  const leaf = decodeBase64(grant.chain[0]!);
  const fields = leaf.ok ? readCertificate(leaf.value) : leaf;
  if (!fields.ok || !equalBytes(fields.value.spki, request.spki) || signingKey !== encodeHex(request.signingKey))
    throw badGrant('a certificate for other keys');
  return { party: party.value, notAfterMs: fields.value.notAfterMs };
}

function badGrant(what: string): ParleyError {
  return new ParleyError('peer/bad-certificate', `the registrar gave ${what}`);
}

/** Makes the identity of `out` from the keys of its folder `folder` and a certificate that was checked against them. On disk when it resolves. */
export async function install(
  out: string,
  folder: string,
  { ca, chain }: { readonly ca: string; readonly chain: readonly string[] },
  onStep?: (step: ReplaceStep) => void,
): Promise<void> {
  const keys = await readKeys(join(out, folder));
  await replaceIdentity(out, { ...keys, ca, chain: pemOfBase64(chain) }, onStep);
  await rm(join(out, folder), { recursive: true, force: true });
  await syncFolder(out);
}

function pemOfBase64(ders: readonly string[]): string {
  return ders.map((each) => encodePem(Buffer.from(each, 'base64'), 'CERTIFICATE')).join('');
}
