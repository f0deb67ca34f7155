// Builds the recorder, has the workload live and die below it, and reads what was recorded. Fails where the recording does not give the very
// folder that the workload left: a recorder that missed a write would find no loss.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { childEnvironment, run } from '#base/process.ts';
import { Disk } from './disk.ts';
import { imageOfFolder, mustBeSame } from './image.ts';
import { folderOf, PARTS } from './parts.ts';
import { type Change, readRecording } from './recording.ts';

export type Recording = {
  /** A new folder, without symbolic links in its path. */
  readonly dir: string;
  readonly seed: number;
  readonly lives: number;
  readonly operations: number;
  /** Name of the only part that works; empty: all. */
  readonly only: string;
  /** Synchronising does nothing: the bench must then find losses. */
  readonly noSync: boolean;
  readonly random: () => number;
  readonly say: (line: string) => void;
};

/** `before`: what was on disk as the recording began. */
export type Recorded = { readonly before: Disk; readonly changes: readonly Change[]; readonly kills: number };

const COMPILE_MS = 60_000;

export async function recordWorkload(init: Recording): Promise<Recorded> {
  const { dir, lives, random, say } = init;
  const recorder = await buildRecorder(dir);
  const root = join(dir, 'disk');
  for (const part of PARTS) {
    await mkdir(join(root, folderOf(part)), { recursive: true });
    await part.prepare?.(join(root, folderOf(part)));
  }
  const [before, replayed] = [await Disk.of(root), await Disk.of(root)];
  let [kills, wholeLife] = [0, 0];
  for (let number = 1; number <= lives; number++) {
    // The first and the last life end in order; from the first it is known how long one is.
    const isKilled = number > 1 && number < lives;
    const records = isKilled ? Math.ceil(wholeLife * (0.1 + 0.8 * random())) : undefined;
    await live(init, { recorder, root, number, records });
    if (number === 1) wholeLife = (await readRecording(join(dir, 'recording'))).length;
    kills += isKilled ? 1 : 0;
    say(`life ${number} of ${lives} ${isKilled ? `was killed after ${records} records` : 'ended'}`);
  }
  const changes = await readRecording(join(dir, 'recording'));
  for (const change of changes) replayed.apply(change);
  mustBeSame(replayed.live(), await imageOfFolder(root));
  return { before, changes, kills };
}

async function buildRecorder(dir: string): Promise<string> {
  const out = join(dir, 'recorder.so');
  const options = ['-shared', '-fPIC', '-O2', '-Wall', '-Wextra', '-o', out];
  const source = join(import.meta.dirname, 'recorder.c');
  const built = await run('gcc', [...options, source, '-ldl', '-lpthread'], { timeoutMs: COMPILE_MS });
  if (built.exitCode !== 0)
    throw new Error(`the recorder could not be compiled, which needs gcc and libc6-dev: ${built.stderr}`);
  return out;
}

type OneLife = {
  readonly recorder: string;
  readonly root: string;
  readonly number: number;
  /** Changes after which the process is killed; undefined: it ends in order. */
  readonly records: number | undefined;
};

async function live(init: Recording, { recorder, root, number, records }: OneLife): Promise<void> {
  const { dir, seed, operations, only, noSync } = init;
  const notes = join(dir, 'notes');
  const args = [root, notes, number, seed, operations, only].map(String);
  const env = childEnvironment({
    LD_PRELOAD: recorder,
    PARLEY_CUT_ROOT: root,
    PARLEY_CUT_LOG: join(dir, 'recording'),
    PARLEY_CUT_NOTES: notes,
    // What the kernel does by itself on a ring is seen by no library.
    UV_USE_IO_URING: '0',
    ...(noSync ? { PARLEY_CUT_NO_SYNC: '1' } : {}),
    ...(records === undefined ? {} : { PARLEY_CUT_LIFE: String(records) }),
  });
  const workload = join(import.meta.dirname, 'workload.ts');
  const child = spawn(process.execPath, ['--conditions=parley-source', workload, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = text(child.stderr!);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (records === undefined ? code === 0 : signal === 'SIGKILL' || code === 0) return;
  throw new Error(`life ${number} of the workload ended with ${signal ?? code}: ${await said}`);
}
