// Takes up a certificate that was put into the identity folder while the agent runs, as "parley ca issue --renew" or a copy by hand does
// (TS-24). Nothing is ended: open sessions keep the old one. One for another party or with another signing key is not taken: this agent has
// signed with its own since it started.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { slept } from '#base/every.ts';
import type { Log } from '#base/log.ts';
import type { AuditRecord } from '#model/ports.ts';
import { type Identity, loadIdentity } from '#mtls/identity.ts';
import { IDENTITY_FILES } from '#mtls/identity-files.ts';
import type { Part } from '../lifecycle.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { LiveIdentity } from './live-identity.ts';

export type IdentityWatch = Part & {
  /** Looks at the folder now; true where a new certificate was taken up. */
  look(): Promise<boolean>;
};

export function createIdentityWatch(init: {
  readonly config: { readonly identity: { readonly dir: string } };
  readonly live: LiveIdentity;
  readonly trust: { nowMs(): number };
  readonly record: (record: AuditRecord) => void;
  readonly clock: Clock;
  readonly log: Log;
}): IdentityWatch {
  const { live, log, clock } = init;
  const { dir } = init.config.identity;
  const ended = new AbortController();
  /** Undefined at first: what is there at the start may be newer than what was loaded. */
  let seen: string | undefined;
  let bad: { readonly mark: string; looks: number } | undefined;
  let loop: Promise<void> = Promise.resolve();

  const take = (next: Identity): boolean => {
    const before = live.current();
    if (next.thumbprint === before.thumbprint) return false;
    const wrong = whyNot(before, next);
    if (wrong !== undefined) {
      log.error('the certificate in the identity folder is not taken up', { dir, reason: wrong });
      return false;
    }
    live.replace(next);
    const notAfter = isoTime(next.notAfterMs);
    log.info('a new certificate was taken up', { certificate: next.thumbprint, notAfter });
    const detail = { registrar: 'identity folder', before: before.thumbprint, certificate: next.thumbprint, notAfter };
    init.record({ event: 'own-certificate-renewed', detail });
    return true;
  };

  const look = async (): Promise<boolean> => {
    const mark = await markOf(dir);
    if (mark === undefined || mark === seen) return false;
    if (bad?.mark !== mark) bad = { mark, looks: 0 };
    bad.looks += 1;
    const { looks } = bad;
    if (looks > AGENT_LIMITS.identityLooks && looks % AGENT_LIMITS.identitySlowLooks !== 0) return false;
    try {
      // A renewal that is under way writes the same files.
      const taken = await live.inTurn(async () => take(await loadIdentity(dir, { nowMs: () => init.trust.nowMs() })));
      seen = mark;
      bad = undefined;
      return taken;
    } catch (error) {
      // Files that are copied one by one do not fit each other for a moment.
      if (looks === AGENT_LIMITS.identityLooks)
        log.error('the certificate in the identity folder cannot be used', { dir, reason: messageOf(error) });
      return false;
    }
  };
  return {
    name: 'identity-watch',
    look,
    start: async () => {
      const run = async () => {
        while (await slept(clock, AGENT_LIMITS.identityLookMs, ended.signal)) await look();
      };
      loop = run();
    },
    stop: async () => {
      ended.abort();
      await loop;
    },
  };
}

function whyNot(before: Identity, next: Identity): string | undefined {
  const [was, is] = [before.party, next.party];
  if (is.kind !== was.kind || is.name !== was.name || is.domain !== was.domain)
    return `expected ${was.kind} ${was.name} of ${was.domain}, got ${is.kind} ${is.name} of ${is.domain}`;
  if (is.signingKey !== was.signingKey) return 'it has another signing key: restart to use it';
  if (next.caPem !== before.caPem) return 'it comes with another ca.pem: restart to trust that CA';
  return undefined;
}

/** Changes with the files, their owners and rights; undefined where there is no certificate. */
async function markOf(dir: string): Promise<string | undefined> {
  const found = await Promise.all(
    Object.values(IDENTITY_FILES).map((file) => stat(join(dir, file)).catch(() => undefined)),
  );
  if (found.includes(undefined)) return undefined;
  return found.map((each) => `${each!.ino} ${each!.mtimeMs} ${each!.ctimeMs} ${each!.size}`).join(' ');
}
