// Runs in a mount namespace of its own, on a disk of a few megabytes: agents, or the configuration helper's operations, before the disk is
// full, while it is, and after. Says on standard output, as one JSON text, what each of them did.
// Usage: disk-full-host.ts agents|commit DISK
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { verifyAudit } from '#audit/verify.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { runParley, upAgents } from '../agent/agent-bed.ts';
import { liveBed } from '../router/live-bed.ts';

const [what, disk = ''] = process.argv.slice(2);
const FILL = join(disk, 'fill');

/** Until not one more octet fits. */
function fill(): string {
  const file = openSync(FILL, 'a');
  try {
    for (const bytes of [65_536, 4_096, 1])
      for (let isRoom = true; isRoom; )
        try {
          writeSync(file, Buffer.alloc(bytes, 1));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          isRoom = false;
        }
  } finally {
    closeSync(file);
  }
  return 'ENOSPC';
}

async function endOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return error instanceof ParleyError ? `${error.code}: ${error.message}` : String(error);
  }
}

async function agents(): Promise<JsonObject> {
  const state = join(disk, 'state');
  const bed = await upAgents(['pe1', 'p2', 'pe3'], {
    pe1: { state, access: { roles: { local: 'admin' } } },
  });
  const trail = join(state, 'audit');
  const ask = async () => {
    const asked = await runParley(['ask', 'is anything wrong', '--json', '--socket', bed.socketOf('pe1')]);
    const { verdict, outcomes, notStored } = JSON.parse(asked.stdout);
    const statuses = [...new Set(outcomes.map(({ status }: { status: string }) => status))].join();
    return { verdict: verdict.kind ?? verdict, statuses, ...(notStored === undefined ? {} : { notStored }) };
  };
  const tool = async (name: string, args: JsonObject) => {
    const client = await bed.local('pe1');
    try {
      return await client.callTool(name, args);
    } finally {
      await client.close();
    }
  };
  const listed = async () => ((await tool('parley-report-list', {}))['reports'] as unknown[]).length;
  const events = () => {
    const files = readdirSync(trail).filter((name) => name.startsWith('audit-'));
    // A line that is being written has no end yet.
    const lines = files.sort().flatMap((name) => readFileSync(join(trail, name), 'utf8').split('\n').slice(0, -1));
    return lines.map((line) => JSON.parse(line));
  };
  const reserve = () => existsSync(join(trail, 'reserve'));
  try {
    const before = { asked: await ask(), listed: await listed(), reserve: reserve() };
    fill();
    // What the reserve leaves is used up first.
    const first = await ask();
    fill();
    const full = { first, again: await ask(), listed: await listed() };
    fill();
    const refused = await endOf(tool('parley-report-delete', { olderThanMs: 0 }));
    const said = events()
      .filter(({ event }) => event.startsWith('audit/'))
      .map(({ event }) => event);
    const restarts = [];
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const ended = await bed.stop('pe1', signal);
      fill();
      await bed.start('pe1');
      restarts.push({
        ended,
        asked: await ask(),
        listed: await listed(),
        refused: await endOf(tool('parley-report-delete', { olderThanMs: 0 })),
      });
    }
    const isAlive = bed.processOf('pe1').exitCode === null;
    rmSync(FILL);
    const after = { asked: await ask(), listed: await listed(), reserve: reserve() };
    await bed.stop('pe1');
    const last = events()
      .filter(({ event }) => event === 'audit/disk-has-room')
      .at(-1);
    const { ok, tornBytes } = await verifyAudit(trail);
    return { before, full, refused, said, restarts, isAlive, after, last, verified: { ok, tornBytes } };
  } finally {
    await bed.down();
  }
}

async function commit(): Promise<JsonObject> {
  const afters: (() => void)[] = [];
  process.env['TMPDIR'] = disk;
  const bed = await liveBed({ after: (work: () => void) => void afters.push(work) } as never);
  const edit = () => bed.asHolder('edit', { lines: ['interface eth1', ' isis metric 20'] });
  const metric = () => /metric (\d+)/.exec(bed.played.text)?.[1] ?? '';
  await edit();
  fill();
  const refused = await endOf(bed.asHolder('commit', { timeoutMs: 60_000 }));
  const untouched = { metric: metric(), open: (await bed.parts.journal.open()) !== undefined };
  rmSync(FILL);
  await bed.asHolder('commit', { timeoutMs: 60_000 });
  const applied = metric();
  fill();
  const undone = await endOf(bed.asHolder('cancel', { reason: 'cancelled' }));
  const history = (await bed.parts.journal.history()).map(({ state }) => state);
  const ended = { metric: metric(), open: (await bed.parts.journal.open()) !== undefined };
  rmSync(FILL);
  await edit();
  const { id } = await bed.asHolder('commit', { timeoutMs: 60_000 });
  fill();
  const verified = await endOf(bed.call('verified', { commit: String(id) }));
  fill();
  const confirmed = await endOf(bed.asHolder('confirm'));
  const kept = { metric: metric(), startup: readFileSync(bed.parts.startupPath, 'utf8').includes('metric 20') };
  for (const work of afters) work();
  return { refused, untouched, applied, undone, ended, history, verified, confirmed, kept };
}

process.stdout.write(`${JSON.stringify(what === 'agents' ? await agents() : await commit())}\n`);
