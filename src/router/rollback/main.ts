// parley-rollback: undoes an unconfirmed change of the configuration by its deadline, after a reboot, or when the configuration
// helper died, without the agent or the helper. It ends by itself when no change is open. It takes no commands.
import { parseArgs } from 'node:util';
import { isDiskFull } from '#base/disk-full.ts';
import { messageOf } from '#base/error.ts';
import { createLog, type Log } from '#base/log.ts';
import { redactText } from '#model/redaction.ts';
import { setArmed } from '../config/armed.ts';
import { openChangeParts } from '../config/change-parts.ts';
import { type Failpoint, noFailpoint } from '../config/failpoint.ts';
import type { CommitRecord } from '../config/journal.ts';
import { watchUntilSettled } from '../config/watch.ts';

export type RollbackOptions = { readonly state: string; readonly startup: string; readonly bootId?: string };

/** `[--state DIR] [--startup FILE] [--boot-id FILE]`. */
export function parseRollbackOptions(args: readonly string[]): RollbackOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      state: { type: 'string', default: '/var/lib/parley-config' },
      startup: { type: 'string', default: '/etc/frr/frr.conf' },
      'boot-id': { type: 'string' },
    },
  });
  const bootId = values['boot-id'];
  return { state: values.state, startup: values.startup, ...(bootId === undefined ? {} : { bootId }) };
}

/** Resolves when no change is open. */
export async function watchChanges(
  options: RollbackOptions,
  log: Log,
  failpoint: Failpoint = noFailpoint,
): Promise<void> {
  const parts = await openChangeParts(options, 'rollback', failpoint, log);
  const arm = (record: CommitRecord) =>
    setArmed(options.state, record.id, parts.self).catch((error) => {
      // Without the mark nothing is applied; what was applied before the disk became full is undone all the same.
      if (!isDiskFull(error)) throw error;
      log.warn('a full disk has no room for the mark', { commit: record.id });
    });
  await watchUntilSettled(parts, arm);
}

if (import.meta.main) {
  const log = createLog({
    level: 'info',
    sink: (line) => process.stderr.write(`${line}\n`),
    now: Date.now,
    redact: redactText,
  });
  try {
    await watchChanges(parseRollbackOptions(process.argv.slice(2)), log);
  } catch (error) {
    log.error('changes cannot be watched', { reason: messageOf(error) });
    process.exitCode = 1;
  }
}
