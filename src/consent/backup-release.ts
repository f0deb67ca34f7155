// Decides, in the process that holds the secrets, whether a backup leaves it (TS-32, NET-18): an admin of the domain has signed a consent
// to this backup, of this node, to this key, minutes ago, and it was not used before. Trusts nothing but the signature.
import { type Clock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import type { Result } from '#base/result.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { BACKUP_FILE, BACKUP_TOOL, type Backup, type BackupRelease, RECIPIENT } from '#model/router/backup.ts';
import { verifyDecision } from '#sign/decision.ts';
import { recipientId, sealText } from '#sign/sealed-text.ts';
import { CONSENT_LIMITS } from './limits.ts';

export type BackupReleaseParts = {
  readonly node: string;
  readonly clock: Clock;
  /** A record beside the agent's trail, in a process that the agent cannot write to. */
  readonly log: Log;
  readonly verifyChain: (chain: CertificateChain, atMs: number) => Result<Party>;
};

export function createBackupRelease(parts: BackupReleaseParts): BackupRelease {
  const { node, clock } = parts;
  /** Consents that were used, until they would have ended anyway. */
  const used = new Map<string, number>();
  return async (signed, read) => {
    for (const [id, endsMs] of used) if (clock.monotonicMs() >= endsMs) used.delete(id);
    const { id, by, recipient } = agreedTo(parts, signed);
    if (used.has(id)) throw refused('expected a consent that was not used before, it was');
    if (used.size >= CONSENT_LIMITS.consents)
      throw refused(`expected at most ${CONSENT_LIMITS.consents} backups in a while, got more`);
    // Longer than any clock here may be set back while the same signature still counts.
    used.set(id, clock.monotonicMs() + 2 * (LIMITS.consentMs + LIMITS.consentSkewMs));
    // Used from here on, so that two calls at once never share it; and not used where nothing has left.
    const sealed = await sealedBackup(node, clock, recipient, read).catch((error) => {
      used.delete(id);
      throw error;
    });
    parts.log.info('a backup was sealed', { consent: id, agreedBy: by, recipient: recipientId(recipient) });
    return sealed;
  };
}

async function sealedBackup(
  node: string,
  clock: Clock,
  recipient: string,
  read: () => Promise<string>,
): Promise<string> {
  const content: Backup = { schemaVersion: 1, node, created: isoTime(clock.nowMs()), configuration: await read() };
  const sealed = sealText(recipient, JSON.stringify(content));
  if (!sealed.ok) throw refused(sealed.reason);
  return sealed.value;
}

type Agreed = { readonly id: string; readonly by: string; readonly recipient: string };

function agreedTo(parts: BackupReleaseParts, signed: JsonObject): Agreed {
  const chain = chainOf(signed['chain']);
  const party = parts.verifyChain(chain, parts.clock.nowMs());
  if (!party.ok) throw notApprover(`expected a certificate of this domain: ${party.reason}`);
  // The role in the certificate only: what the agent's settings make of a name is the agent's word.
  if (party.value.kind !== 'operator' || party.value.role !== 'admin')
    throw notApprover(`expected an admin's certificate, got ${party.value.kind}/${party.value.name}`);
  const verified = verifyDecision({ envelope: signed['envelope'], chain }, party.value, parts.clock);
  if (!verified.ok) throw refused(verified.reason);
  const { decision, consent } = verified.value;
  if (decision !== 'approve') throw refused('expected an approval, got a denial');
  const args = consent['arguments'];
  if (consent['node'] !== parts.node || consent['tool'] !== BACKUP_TOOL || args === undefined || !isJsonObject(args))
    throw refused('expected a consent to a backup of this node, got another');
  const { file, recipient, ...rest } = args;
  const isBackup = file === BACKUP_FILE && Object.keys(rest).length === 0;
  if (!isBackup || typeof recipient !== 'string' || !new RegExp(RECIPIENT).test(recipient))
    throw refused('expected a consent to a backup of this node, got another');
  const id = consent['id'];
  if (typeof id !== 'string' || id === '' || id.length > 64)
    throw refused('expected a consent with an id, it has none');
  return { id, by: party.value.name, recipient };
}

function chainOf(value: JsonValue | undefined): CertificateChain {
  const texts: readonly JsonValue[] = Array.isArray(value) ? value : [];
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string'))
    throw refused('expected the chain of certificates of the signer, got something else');
  return texts as readonly string[];
}

function refused(message: string): ParleyError {
  return new ParleyError('caller/bad-consent', message);
}

function notApprover(message: string): ParleyError {
  return new ParleyError('caller/not-approver', message);
}
