// The domain's CA makes trust lists: what is revoked, and which CAs the domain has while one takes another's place (TS-24). Beside the CA's key
// and nowhere else. Each step may be run again after a cut.
import { createPrivateKey } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { type Random, systemRandom } from '#base/random.ts';
import { encodeBase64 } from '#codec/base64.ts';
import { decodePem } from '#codec/pem.ts';
import { AUTHORITY_FILES, makeAuthority, type OpenAuthority, openAuthority } from '../authority.ts';
import { nextSerial, storeRegister } from '../register.ts';
import { TRUST_LIST_FILE } from './kept-list.ts';
import { REVOCATION_LIMITS } from './limits.ts';
import { type ListSigner, openTrustList, type Revoked, sealTrustList, type TrustList } from './trust-list.ts';

const DAY_MS = 86_400_000;

export type AtAuthority = { readonly dir: string; readonly clock: Pick<Clock, 'nowMs'> };

export type RevokeInit = AtAuthority & {
  /** Serial number (hex), or `node/pe7`, `operator/alice`, `controller/c1`, `registrar/r1`. */
  readonly target: { readonly serial: string } | { readonly party: string };
  readonly reason: string;
  /** Leaves entries out that are older than so many days: their certificates have ended. At least LEAST_FORGET_DAYS. */
  readonly forgetDays?: number;
};

/** A registrar, and what it certified, counts for 365 days unless revoked: what is forgotten earlier would count again. */
const LEAST_FORGET_DAYS = 366;

/** The list with this entry, in the CA's folder. Throws `caller/no-authority`, `caller/bad-revocation` or `caller/trust-list-full`. */
export async function revoke(init: RevokeInit): Promise<TrustList> {
  const { target, clock, forgetDays } = init;
  const nowMs = clock.nowMs();
  const at = isoTime(nowMs);
  // Certificates know seconds only: what was issued in this one is revoked as well.
  const before = isoTime(Math.ceil(nowMs / 1_000) * 1_000);
  const reason = init.reason.trim();
  if (reason === '' || reason.length > REVOCATION_LIMITS.revokedReasonChars)
    throw new ParleyError(
      'caller/bad-revocation',
      `expected a reason of 1 to ${REVOCATION_LIMITS.revokedReasonChars} characters, got ${reason.length}`,
    );
  if (forgetDays !== undefined && !(forgetDays >= LEAST_FORGET_DAYS))
    throw new ParleyError(
      'caller/bad-revocation',
      `expected --forget of at least ${LEAST_FORGET_DAYS} days, got ${forgetDays}: certificates of registrars last that long, and would count again`,
    );
  const entry: Revoked = 'serial' in target ? { ...target, reason, at } : { ...target, before, reason, at };
  return publish(init, (revoked) => {
    const kept = revoked.filter(
      (each) => forgetDays === undefined || Date.parse(each.at) > nowMs - forgetDays * DAY_MS,
    );
    const others = kept.filter((each) => keyOf(each) !== keyOf(entry));
    if (others.length >= REVOCATION_LIMITS.revoked)
      throw new ParleyError(
        'caller/trust-list-full',
        `the trust list has ${others.length} entries: leave those out whose certificates have ended, with --forget DAYS`,
      );
    return [...others, entry];
  });
}

function keyOf(entry: Revoked): string {
  return 'serial' in entry ? entry.serial : entry.party;
}

/** Makes the next CA; from then on each list names both, and is signed by both. Again: the same list. */
export async function beginRotation(init: AtAuthority & { readonly lifetimeDays?: number; readonly random?: Random }) {
  const { dir, clock } = init;
  const authority = await openAuthority(dir);
  if (await isThere(dir, 'old-'))
    throw new ParleyError(
      'caller/rotation-open',
      'another CA is being replaced: end that first with "parley ca rotate finish"',
    );
  if (!(await isThere(dir, 'next-'))) {
    const { domain, register } = authority;
    const nowMs = clock.nowMs();
    const serial = nextSerial(register, init.random ?? systemRandom);
    const commonName = `Parley CA of ${domain}, made ${isoTime(nowMs).slice(0, 19)}Z`;
    const lifetime = init.lifetimeDays === undefined ? {} : { lifetimeDays: init.lifetimeDays };
    const made = makeAuthority({ domain, commonName, serial, nowMs, ...lifetime });
    await storeRegister(dir, { ...register, counter: register.counter + 1 });
    await writeFileDurably(path(dir, 'next-', 'key'), made.keyPem, 0o600);
    await writeFileDurably(path(dir, 'next-', 'ca'), made.caPem, 0o644);
  }
  return publish(init, (revoked) => revoked);
}

/** From then on the next CA issues, and the one before stays trusted. */
export async function switchRotation(init: AtAuthority): Promise<TrustList> {
  const { dir } = init;
  // Switched already: the list once more.
  if (!(await isThere(dir, 'next-')) && (await isThere(dir, 'old-'))) return publish(init, (revoked) => revoked);
  if (!(await isThere(dir, 'next-')))
    throw new ParleyError('caller/no-rotation', 'there is no next CA: make one with "parley ca rotate begin"');
  if (!(await isThere(dir, 'old-')))
    for (const part of ['key', 'ca'] as const)
      await writeFileDurably(path(dir, 'old-', part), await readFile(path(dir, '', part), 'utf8'), modeOf(part));
  for (const part of ['key', 'ca'] as const)
    await writeFileDurably(path(dir, '', part), await readFile(path(dir, 'next-', part), 'utf8'), modeOf(part));
  for (const part of ['ca', 'key'] as const) await rm(path(dir, 'next-', part), { force: true });
  return publish(init, (revoked) => revoked);
}

/** From then on the CA before counts no more; its last signature says so, and its key goes. */
export async function finishRotation(init: AtAuthority): Promise<TrustList> {
  const { dir } = init;
  if (!(await isThere(dir, 'old-')))
    throw new ParleyError(
      'caller/no-rotation',
      'no CA is being replaced: begin with "parley ca rotate begin", then "parley ca rotate switch"',
    );
  const list = await publish(init, (revoked) => revoked, 'without old');
  // The certificate first: a key without one is no CA, and stops no later command.
  for (const part of ['ca', 'key'] as const) await rm(path(dir, 'old-', part), { force: true });
  return list;
}

/** The latest list of the CA; undefined where none was made. Throws `caller/no-authority`. */
export async function latestList(dir: string): Promise<TrustList | undefined> {
  return (await readLatest(dir, await openAuthority(dir))).list;
}

async function readLatest(dir: string, authority: OpenAuthority) {
  const text = await readFile(join(dir, TRUST_LIST_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return {};
  const ownPem = await readFile(path(dir, '', 'ca'), 'utf8');
  // Before the next CA was made, or the one before left, it was signed by fewer.
  const opened = [authority.caPem, ownPem, await readFile(path(dir, 'old-', 'ca'), 'utf8').catch(() => '')]
    .filter((pem) => pem !== '')
    .map((pem) => openTrustList(text, pem, authority.domain));
  const found = opened.find((each) => each.ok);
  if (found?.ok) return { list: found.value };
  const reason = opened[0]?.ok === false ? opened[0].reason : '';
  throw new ParleyError(
    'caller/no-authority',
    `${TRUST_LIST_FILE} in ${dir} does not verify (${reason}): restore the folder of the CA from its copy`,
  );
}

async function publish(
  { dir, clock }: AtAuthority,
  change: (revoked: readonly Revoked[]) => readonly Revoked[],
  without?: 'without old',
): Promise<TrustList> {
  const authority = await openAuthority(dir);
  const { list } = await readLatest(dir, authority);
  const others = await Promise.all((['next-', 'old-'] as const).map((which) => signerOf(dir, which)));
  const signers: ListSigner[] = [authority, ...others.filter((other) => other !== undefined)];
  const [, , old] = [authority, ...others];
  const named = without === undefined ? signers : signers.filter((signer) => signer !== old);
  const revoked = [...change(list?.revoked ?? [])];
  const number = Math.max(list?.number ?? 0, authority.register.trustList ?? 0) + 1;
  // Taken before it is used: a list that was let out is never followed by another one of its number.
  await storeRegister(dir, { ...authority.register, trustList: number });
  const text = sealTrustList(
    {
      ...{ domain: authority.domain, number, issued: isoTime(clock.nowMs()) },
      anchors: named.map(({ der }) => encodeBase64(der)),
      revoked,
    },
    signers,
  );
  const opened = openTrustList(text, authority.caPem, authority.domain);
  if (!opened.ok) throw new Error(`the new trust list does not verify: ${opened.reason}`);
  await writeFileDurably(join(dir, TRUST_LIST_FILE), text, 0o644);
  return opened.value;
}

type Which = '' | 'next-' | 'old-';

async function signerOf(dir: string, which: Which): Promise<ListSigner | undefined> {
  if (!(await isThere(dir, which))) return undefined;
  const der = decodePem(await readFile(path(dir, which, 'ca'), 'utf8'), 'CERTIFICATE');
  if (!der.ok) throw new Error(`${which}${AUTHORITY_FILES.ca}: ${der.reason}`);
  return { der: der.value, privateKey: createPrivateKey(await readFile(path(dir, which, 'key'), 'utf8')) };
}

function isThere(dir: string, which: Which): Promise<boolean> {
  return readFile(path(dir, which, 'ca')).then(
    () => true,
    () => false,
  );
}

function path(dir: string, which: Which, part: keyof typeof AUTHORITY_FILES): string {
  return join(dir, `${which}${AUTHORITY_FILES[part]}`);
}

function modeOf(part: keyof typeof AUTHORITY_FILES): number {
  return part === 'key' ? 0o600 : 0o644;
}
