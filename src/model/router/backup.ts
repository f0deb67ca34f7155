// A backup that can be restored: the running configuration with its secrets, readable by one key only (TS-32, NET-18). What is asked
// for and what is inside; that it leaves at all is decided by an admin's signature, which the configuration helper verifies itself.
import type { JsonObject } from '#base/json.ts';

export const BACKUP_TOOL = 'network.file.pull';
export const BACKUP_FILE = 'backup';

/** Base64 of the SubjectPublicKeyInfo of a P-256 key, uncompressed: its one spelling. */
export const RECIPIENT = '^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[A-Za-z0-9+/]{86}==$';

/** What is sealed. */
export type Backup = {
  readonly schemaVersion: 1;
  readonly node: string;
  readonly created: string;
  readonly configuration: string;
};

/**
 * Seals what `read` gives to the key that a signed decision names. Rejects with `caller/bad-consent` or `caller/not-approver`, and
 * reads nothing, unless an admin of this domain has signed exactly that, minutes ago and not used yet.
 */
export type BackupRelease = (signedDecision: JsonObject, read: () => Promise<string>) => Promise<string>;
