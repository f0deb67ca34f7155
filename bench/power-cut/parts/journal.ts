// The journal of changes: after a cut the node runs the last configuration that was confirmed, in its start-up file as well, and no change stays
// open. FRR is played: what it runs outlives a killed helper, and after a cut it starts with its start-up file.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { makeFolder } from '#base/files.ts';
import { silentLog } from '#base/log.ts';
import { setArmed } from '#router/config/armed.ts';
import { applyCommit, type CommitParts, cancelCommit, confirmCommit, markVerified } from '#router/config/commit.ts';
import type { FailpointName } from '#router/config/failpoint.ts';
import { createJournal } from '#router/config/journal.ts';
import { ownerOf } from '#router/config/moment.ts';
import { fingerprint } from '#router/config/text.ts';
import { settleOpen } from '#router/config/watch.ts';
import { acksOf, attemptsOf, type Part } from '../part.ts';

const HOLDER = 'operator/ann';
const HOUR_MS = 3_600_000;

export const journal: Part = {
  name: 'commit journal',
  async prepare(dir) {
    await mkdir(join(dir, 'etc'), { recursive: true });
    await writeFile(join(dir, 'etc', 'frr.conf'), textOf(0));
    await writeFile(runningFileOf(dir), textOf(0));
  },
  async work({ dir, number, random, operations, attempt, ack }) {
    const runningFile = runningFileOf(dir);
    const frr = frrOf(
      () => readFile(runningFile, 'utf8'),
      (text) => writeFile(runningFile, text),
    );
    const parts = await partsOf(dir, frr, 'boot-1');
    await settleOpen(parts);
    for (let done = 0; done < operations / 40; done++) {
      const change = number * 1_000 + done;
      const before = await parts.frr.readRunning();
      const candidate = {
        holder: HOLDER,
        base: before,
        baseFingerprint: fingerprint(before),
        text: textOf(change),
        live: [],
      };
      const grant = { by: HOLDER, basis: 'off' } as const;
      const { id } = await applyCommit(parts, candidate, {
        holder: HOLDER,
        grant,
        timeoutMs: HOUR_MS,
      });
      if (random() < 0.3) {
        await cancelCommit(parts, HOLDER, 'as wanted');
        ack({ what: 'undone', change });
        continue;
      }
      await markVerified(parts, id);
      attempt({ what: 'confirmed', change });
      await confirmCommit(parts, HOLDER);
      ack({ what: 'confirmed', change, id });
    }
  },
  async check({ dir, notes }) {
    const startup = join(dir, 'etc', 'frr.conf');
    let running = await readFile(startup, 'utf8');
    const frr = frrOf(
      async () => running,
      async (text) => {
        running = text;
      },
    );
    const parts = await partsOf(dir, frr, 'boot-2');
    // As the helper does as it starts; without an open change it does nothing but take a lock.
    if ((await parts.journal.open()) !== undefined) await settleOpen(parts);
    const open = await parts.journal.open();
    if (open !== undefined) return [`change ${open.id} is still ${open.state}`];
    const kept = changeOf(await readFile(startup, 'utf8'));
    const faults: string[] = [];
    if (kept !== changeOf(running)) faults.push(`change ${changeOf(running)} runs, ${kept} is what FRR starts with`);
    const confirmed = Number(acksOf(notes, 'confirmed').at(-1)?.['change'] ?? 0);
    const allowed = [0, ...attemptsOf(notes, 'confirmed').map(({ change }) => Number(change))];
    if (kept < confirmed || !allowed.includes(kept))
      faults.push(`change ${kept} runs, ${confirmed} was confirmed last`);
    const history = new Map((await parts.journal.history()).map((record) => [record.id, record.state]));
    for (const { id } of acksOf(notes, 'confirmed').slice(-8))
      if (history.get(String(id)) !== 'CONFIRMED')
        faults.push(`change ${id} was confirmed, its record is ${history.get(String(id))}`);
    return faults;
  },
};

/** Beside the recorded folder: what a daemon runs is in its memory. */
function runningFileOf(dir: string): string {
  return join(dirname(dirname(dir)), 'running.conf');
}

/** Longer than a sector, so that it can be torn. */
function textOf(change: number): string {
  const lines = Array.from(
    { length: 60 },
    (_, index) => `interface eth${index}\n isis metric ${10 + (change % 90)}\nexit\n!\n`,
  );
  return `frr version 8.4.4\nhostname change-${change}\n${lines.join('')}`;
}

function changeOf(text: string): number {
  const change = Number(/hostname change-(\d+)/.exec(text)?.[1] ?? Number.NaN);
  return text === textOf(change) ? change : Number.NaN;
}

function frrOf(readRunning: () => Promise<string>, apply: (text: string) => Promise<void>): CommitParts['frr'] {
  return { readRunning, apply, checkSyntax: async () => undefined, trial: async () => '', endLeftovers: async () => 0 };
}

async function partsOf(dir: string, frr: CommitParts['frr'], bootId: string): Promise<CommitParts> {
  const state = join(dir, 'state');
  await makeFolder(state);
  const self = (await ownerOf(process.pid))!;
  const clock = createSystemClock();
  const failpoint = async (name: FailpointName) => {
    if (name === 'watch.wanted') await setArmed(state, (await made.open())!.id, self);
  };
  const made = createJournal(state, failpoint);
  return {
    interfaces: async () => new Set(),
    ...{ journal: made, frr, failpoint, clock, self, log: silentLog },
    live: {
      plan: () => Promise.reject(new Error('no live settings')),
      mustBeAsPlanned: async () => {},
      apply: async () => {},
      isInForce: async () => true,
      undo: async () => [],
    },
    now: async () => ({ bootId, uptimeMs: clock.monotonicMs(), wallMs: clock.nowMs() }),
    startupPath: join(dir, 'etc', 'frr.conf'),
    lockPath: join(state, 'lock'),
  };
}
