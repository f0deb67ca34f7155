// What `parley doctor` looks at in the identity of a node: how long its certificate is good, whether it is revoked, and whether the clock is
// behind a time that the node has seen.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime } from '#base/clock.ts';
import { isDenied } from '#base/owners.ts';
import type { Config } from '#config/schema.ts';
import type { Identity } from '#mtls/identity.ts';
import { issuedAtMs, type Life, warningNow } from '#mtls/lifetime/life.ts';
import { deniedBy, indexOf } from '#mtls/revocation/denied.ts';
import { TRUST_LIST_FILE } from '#mtls/revocation/kept-list.ts';
import { openTrustList, type TrustList } from '#mtls/revocation/trust-list.ts';
import { createTrust } from '#mtls/trust.ts';
import { CLI_LIMITS } from '../limits.ts';

/** Of the certificate: a fault from the last tenth of its life on, and from the first time on at which its agent warns. */
export function lifeLeft(life: Life, nowMs: number): string {
  const { notBeforeMs, notAfterMs } = life;
  const until = isoTime(notAfterMs);
  const lifeMs = notAfterMs - notBeforeMs;
  // It is renewed before its last third: where that is two days or more, so little left means that renewal has failed for some time.
  const soonMs = lifeMs / 3 >= CLI_LIMITS.certificateSoonMs ? CLI_LIMITS.certificateSoonMs : 0;
  const warnMs = Math.max(soonMs, Math.min(CLI_LIMITS.certificateEndsMs, lifeMs / 10));
  if (notAfterMs - nowMs > warnMs && warningNow(life, nowMs) === undefined) return `valid until ${until}`;
  throw new Error(
    `its certificate ends on ${until} and was not renewed: "parley identity" says why; then run "parley renew", or get a new one with "parley enrol --again" or "parley ca issue" and restart the agent`,
  );
}

type Standing = { readonly nowMs: number; readonly said: string };

/** Rejects where the certificate is revoked, or the clock cannot be right. `nowMs`: the newest time that is known. */
export async function standingOf(
  { state, trustList }: Pick<Config, 'state' | 'trustList'>,
  identity: Identity,
  clock: Pick<Clock, 'nowMs'>,
): Promise<Standing> {
  const trust = await createTrust({ clock, path: join(state, 'clock-floor') }).catch((error) => {
    if (isDenied(error) || isDenied(error?.cause)) return createTrust({ clock });
    throw error;
  });
  trust.proveTime(issuedAtMs(identity));
  const behindMs = trust.clockBehindMs();
  if (behindMs > CLI_LIMITS.clockBehindMs)
    throw new Error(
      `the clock of this machine says ${isoTime(clock.nowMs())} and this node has seen ${isoTime(trust.nowMs())}: set the clock; if the clock is right, remove ${join(state, 'clock-floor')}`,
    );
  const list = await newestOf([join(state, TRUST_LIST_FILE), trustList.file], identity);
  const denied = list === undefined ? undefined : deniedBy(indexOf(list), identity.chain);
  if (denied !== undefined) throw new Error(`${denied}; enrol it again with a new code, once it is back in good hands`);
  const said = list === undefined ? '' : `, by trust list ${list.number} of ${list.issued}`;
  return { nowMs: trust.nowMs(), said };
}

/** Of the lists that this user may read and that verify. */
async function newestOf(files: readonly string[], { caPem, party }: Identity): Promise<TrustList | undefined> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => undefined)));
  const lists = texts.flatMap((text) => {
    const opened = text === undefined ? undefined : openTrustList(text, caPem, party.domain);
    return opened?.ok ? [opened.value] : [];
  });
  return lists.toSorted((one, other) => other.number - one.number)[0];
}
