// Decides, in the process that holds the secrets, whether a backup leaves it (TS-32, NET-18): an admin of the domain has signed a consent
// to this backup, of this node, to this key, minutes ago, and it was not used before. Trusts nothing but the signature.
import { type Clock, isoTime } from '#base/clock.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { BACKUP_FILE, BACKUP_TOOL, type Backup, type BackupRelease, RECIPIENT } from '#model/router/backup.ts';
import { recipientId, sealText } from '#sign/sealed-text.ts';
import {
  type AdminDecision,
  approvalOf,
  badConsent,
  consentIdOf,
  type ReleaseParts,
  usingConsent,
} from './admin-decision.ts';

export function createBackupRelease(parts: ReleaseParts): BackupRelease {
  const { node, clock } = parts;
  return async (signed, read) => {
    const { id, by, recipient, signedMs } = agreedTo(parts, signed);
    const sealed = await usingConsent(parts, { id, signedMs }, () => sealedBackup(node, clock, recipient, read));
    parts.log.info('a backup was sealed', { consent: id, agreedBy: by, recipient: recipientId(recipient) });
    return sealed;
  };
}

async function sealedBackup(
  node: string,
  clock: Pick<Clock, 'nowMs'>,
  recipient: string,
  read: () => Promise<string>,
): Promise<string> {
  const content: Backup = { schemaVersion: 1, node, created: isoTime(clock.nowMs()), configuration: await read() };
  const sealed = sealText(recipient, JSON.stringify(content));
  if (!sealed.ok) throw badConsent(sealed.reason);
  return sealed.value;
}

type Agreed = Omit<AdminDecision, 'consent' | 'key'> & { readonly recipient: string };

function agreedTo(parts: ReleaseParts, signed: JsonObject): Agreed {
  const { by, consent, signedMs } = approvalOf(parts, signed);
  const args = consent['arguments'];
  if (consent['node'] !== parts.node || consent['tool'] !== BACKUP_TOOL || args === undefined || !isJsonObject(args))
    throw badConsent('expected a consent to a backup of this node, got another');
  const { file, recipient, ...rest } = args;
  const isBackup = file === BACKUP_FILE && Object.keys(rest).length === 0;
  if (!isBackup || typeof recipient !== 'string' || !new RegExp(RECIPIENT).test(recipient))
    throw badConsent('expected a consent to a backup of this node, got another');
  return { id: consentIdOf(consent), by, recipient, signedMs };
}
