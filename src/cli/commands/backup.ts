// `parley backup save | restore` (TS-32, NET-18): a node's configuration with its secrets. The node seals it to one P-256 key; only this
// command, which has the private key, opens it. A restore fills the candidate; a commit makes it run, as with any change.
import { open, readFile, unlink } from 'node:fs/promises';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { nodeKey } from '#model/names.ts';
import { BACKUP_FILE, BACKUP_TOOL, type Backup } from '#model/router/backup.ts';
import { openText, recipientId, recipientOf } from '#sign/sealed-text.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';

type SaveOptions = AgentOptions & { readonly out: string; readonly recipient: string };
type RestoreOptions = AgentOptions & { readonly key: string; readonly otherNode?: boolean };

export async function backupSaveCommand(options: SaveOptions): Promise<number> {
  const output = createOutput(options.json ?? false);
  const recipient = await readRecipient(options.recipient);
  await writeNew(options.out, async () => {
    const { sealed } = await withClient(options, (client) =>
      client.callTool(BACKUP_TOOL, { file: BACKUP_FILE, recipient }, { timeoutMs: LIMITS.configApplyMs }),
    ).catch((error) => Promise.reject(asLocalError(error)));
    return `${String(sealed)}\n`;
  });
  const key = recipientId(recipient);
  output.result({ file: options.out, recipient: key });
  output.line(`written to ${options.out}: only the holder of the key ${key} can read it`);
  return EXIT.ok;
}

/**
 * Opens the file before it requests the text, because the request uses up a consent. Removes the file if no text arrives. Never
 * overwrites another backup: it may be the only one.
 */
export async function writeNew(path: string, textOf: () => Promise<string>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause) => {
    throw new ParleyError('caller/bad-argument', `expected a new, writable file, got: ${messageOf(cause)}`, {
      cause,
    });
  });
  try {
    await file.writeFile(await textOf());
    await file.sync();
  } catch (error) {
    await unlink(path);
    throw error;
  } finally {
    await file.close();
  }
}

export async function backupRestoreCommand(options: RestoreOptions, [file]: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const backup = backupIn(await readFile(file!, 'utf8'), await readFile(options.key, 'utf8'));
  const pushed = await withClient(options, async (client) => {
    const { node } = await client.callTool('parley-peers', {});
    if (nodeKey(String(node)) !== nodeKey(backup.node) && options.otherNode !== true)
      throw new ParleyError(
        'caller/bad-argument',
        `expected a backup of ${String(node)}, got one of ${backup.node}: add --other-node to use it`,
      );
    return client.callTool('network.file.push', { content: backup.configuration }, { timeoutMs: LIMITS.configApplyMs });
  }).catch((error) => Promise.reject(asLocalError(error)));
  output.result({ node: backup.node, created: backup.created, ...pushed });
  output.line(`backup of ${backup.node} at ${backup.created}: in the candidate, not running yet`);
  for (const line of changesOf(pushed)) output.line(`  ${line}`);
  if (changesOf(pushed).length === 0) output.line('  same as the running configuration');
  if (typeof pushed['wrong'] === 'string') output.line(`the router would reject it: ${pushed['wrong']}`);
  else output.line(`to apply it: parley call network.commit '{"confirmed": 120, "persist": "WORD"}', then confirm it`);
  return pushed['status'] === 'candidate' ? EXIT.ok : EXIT.incomplete;
}

/** A key made for backups: a certificate's key changes at each renewal and could not open older backups. */
export async function readRecipient(file: string): Promise<string> {
  const recipient = recipientOf(await readFile(file, 'utf8'));
  if (!recipient.ok) throw new ParleyError('caller/bad-argument', `${file}: ${recipient.reason}`);
  return recipient.value;
}

function backupIn(sealed: string, keyPem: string): Backup {
  const opened = openText(sealed, keyPem);
  if (!opened.ok) throw new ParleyError('caller/bad-backup', opened.reason);
  let value: unknown;
  try {
    value = JSON.parse(opened.value);
  } catch {
    value = undefined;
  }
  if (
    isJsonObject(value) &&
    value['schemaVersion'] === 1 &&
    ['node', 'created', 'configuration'].every((name) => typeof value[name] === 'string')
  )
    return value as unknown as Backup;
  throw new ParleyError('caller/bad-backup', 'expected a backup of schemaVersion 1 inside, got something else');
}

function changesOf({ changes }: JsonObject): readonly string[] {
  const all: readonly JsonValue[] = Array.isArray(changes) ? changes : [];
  return all
    .filter(isJsonObject)
    .map(({ sign, context, line }) => `${String(sign)} ${context === '' ? '' : `${String(context)}: `}${String(line)}`);
}
