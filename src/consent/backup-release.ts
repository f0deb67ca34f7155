// Decides, in the process that holds the secrets, whether a backup leaves it (TS-32, NET-18): an admin of the domain has signed a consent
// to this backup, of this node, to this key, minutes ago, and it was not used before. Takes nobody's word but the signature's.
import { type Clock, isoTime } from '#base/clock.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { BACKUP_FILE, BACKUP_TOOL, type Backup, type BackupRelease, RECIPIENT } from '#model/router/backup.ts';
import type { UsedConsents } from '#model/router/change-authority.ts';
import { recipientId, sealText } from '#sign/sealed-text.ts';
import { type AdminDecision, type AdminDecisionParts, approvalOf, badConsent, consentIdOf } from './admin-decision.ts';

export type BackupReleaseParts = AdminDecisionParts & {
  readonly node: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly used: UsedConsents;
  /** A record beside the agent's trail, in a process that the agent cannot write to. */
  readonly log: Log;
};

export function createBackupRelease(parts: BackupReleaseParts): BackupRelease {
  const { node, clock, used } = parts;
  return async (signed, read) => {
    const { id, by, recipient, signedMs } = agreedTo(parts, signed);
    // Used from here on, so that two calls at once never share it; and not used where nothing has left.
    await used.take(id, signedMs);
    const sealed = await sealedBackup(node, clock, recipient, read).catch(async (error) => {
      await used.giveBack(id);
      throw error;
    });
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

type Agreed = Omit<AdminDecision, 'consent'> & { readonly recipient: string };

function agreedTo(parts: BackupReleaseParts, signed: JsonObject): Agreed {
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
