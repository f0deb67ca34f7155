// What both programs work with that may undo a change, the configuration helper and parley-rollback: the journal, FRR's programs, live
// settings, and a time that a restart does not set back. Each works in a folder of its own below the same state.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { ReadInterfaces } from './commit.ts';
import type { Failpoint } from './failpoint.ts';
import { createFrrPrograms } from './frr-programs.ts';
import { createJournal } from './journal.ts';
import { createLivePrograms } from './live.ts';
import { createMomentSource, type Owner, ownerOf } from './moment.ts';
import type { WatchParts } from './watch.ts';

export type ChangeOptions = { readonly state: string; readonly startup: string; readonly bootId?: string };

/** `self` is this process, as the journal names it. */
export async function openChangeParts(
  options: ChangeOptions,
  role: 'helper' | 'rollback',
  failpoint: Failpoint,
  log: Log,
): Promise<WatchParts & { readonly self: Owner; readonly interfaces: ReadInterfaces }> {
  const self = await ownerOf(process.pid);
  if (self === undefined) throw new ParleyError('node/no-proc', 'expected /proc to show this process, it does not');
  const clock = createSystemClock();
  return {
    journal: createJournal(options.state, failpoint),
    frr: createFrrPrograms(options.state, role),
    interfaces: readInterfaces,
    live: createLivePrograms(options.state),
    now: createMomentSource(clock, options.bootId),
    failpoint,
    startupPath: options.startup,
    lockPath: join(options.state, 'lock'),
    clock,
    log,
    self,
  };
}

/** Of this process's network namespace, whatever is mounted as /sys. */
const DEVICES = '/proc/self/net/dev';

async function readInterfaces(): Promise<ReadonlySet<string>> {
  const text = await readFile(DEVICES, 'utf8');
  return new Set(text.split('\n').flatMap((line) => /^\s*([^\s:]+(?::[^\s:]+)*):\s/.exec(line)?.[1] ?? []));
}
