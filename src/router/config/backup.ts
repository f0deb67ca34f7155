// The one operation of the configuration helper that lets configuration out with its secrets: only sealed, and only to whom a signed
// decision names, which `release` verifies in this process [NET-18], TS-32. The agent carries both and can read neither.
import { ParleyError } from '#base/error.ts';
import { isJsonObject } from '#base/json.ts';
import type { BackupRelease } from '#model/router/backup.ts';
import { refuse } from '#model/wire/check.ts';
import type { Operation } from '../protocol/operation.ts';
import * as check from './arguments.ts';
import type { FrrPrograms } from './frr-programs.ts';

export function backupOperations(
  frr: Pick<FrrPrograms, 'readRunning'>,
  release: BackupRelease | undefined,
): ReadonlyMap<string, Operation> {
  const backup: Operation = async (args) => {
    check.onlyMembers(args, ['decision']);
    const decision = args['decision'];
    if (decision === undefined || !isJsonObject(decision)) return refuse('a signed decision', '');
    if (release === undefined)
      throw new ParleyError(
        'node/no-backup',
        'expected a folder that says whose consent counts (--authority), this helper has none',
      );
    return { sealed: await release(decision, () => frr.readRunning()) };
  };
  return new Map([['backup', backup]]);
}
