// The renewing node's own files: a new TLS key and a request for it, kept until they are certified, and the identity that takes the old one's
// place. A run that was cut anywhere goes on with the same request, and gets the same certificate.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { decodeBase64 } from '#codec/base64.ts';
import { equalBytes } from '#codec/bytes.ts';
import { encodeHex } from '#codec/hex.ts';
import { readCertificate } from '#codec/x509.ts';
import type { Grant } from '../enrol/messages.ts';
import { checkGrant, install, loadPending, type Pending, preparePending } from '../enrol/pending.ts';
import { type Identity, loadIdentity } from '../identity.ts';
import type { ReplaceStep } from '../identity-files.ts';

/** Below the identity's folder; apart from the request of an enrolment that is under way. */
const FOLDER = 'renewal';

/** The request of the renewal that was begun, else a new one with a new TLS key and the signing key of `identity`. */
export async function prepareRenewal(
  dir: string,
  { party, chain }: Pick<Identity, 'party' | 'chain'>,
): Promise<Pending> {
  const begun = await loadPending(dir, FOLDER);
  // The node was enrolled anew in between, or a power cut came after the certificate was installed and before its request was removed: a registrar
  // certifies no key twice.
  const isOver =
    begun !== undefined &&
    (encodeHex(begun.request.signingKey) !== party.signingKey || isKeyOf(chain, begun.request.spki));
  if (isOver) await rm(join(dir, FOLDER), { recursive: true, force: true });
  return preparePending(dir, { kind: party.kind === 'operator' ? 'operator' : 'node', name: party.name }, FOLDER);
}

function isKeyOf([leaf = '']: readonly string[], spki: Uint8Array): boolean {
  const der = decodeBase64(leaf);
  const fields = der.ok ? readCertificate(der.value) : der;
  return fields.ok && equalBytes(fields.value.spki, spki);
}

/** Throws `peer/bad-certificate` before anything is written. `caPem`: what this node trusts now; a registrar adds nothing to it. */
export async function installRenewal(
  dir: string,
  grant: Grant,
  { caPem }: Pick<Identity, 'caPem'>,
  clock: Pick<Clock, 'nowMs'>,
  onStep?: (step: ReplaceStep) => void,
): Promise<Identity> {
  const pending = await loadPending(dir, FOLDER);
  if (pending === undefined) throw new Error(`expected the request of a renewal in ${join(dir, FOLDER)}`);
  checkGrant(grant, pending, { caPem, atMs: clock.nowMs() });
  await install(dir, FOLDER, { ca: caPem, chain: grant.chain }, onStep);
  return loadIdentity(dir, clock);
}
