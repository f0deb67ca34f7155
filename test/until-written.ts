// Waits for what other processes write, by event: on a machine that is busy everything takes long, and what has ended is seen at once. The bound of
// time is for processes that hang: no wait of a sound one comes near it.
import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';

/** Shorter than the silence at which `npm test` ends all, and than the time that a test may set itself: what hangs is named. */
export const HANG_MS = 100_000;

/** Rejects after so long with what did not happen; to be raced with it. */
export function hangs(what: string, boundMs = HANG_MS): Promise<never> {
  const over = new Promise<never>((_, reject) => {
    const late = () => reject(new Error(`${what}: not in ${boundMs / 1_000} s, something hangs`));
    AbortSignal.timeout(boundMs).addEventListener('abort', late, { once: true });
  });
  // What came in time no longer waits for it.
  over.catch(() => {});
  return over;
}

/** Resolves when `holds`, looked at again at each change in the folder. Rejects when it throws, when a process that is to write has ended, or when all hangs. */
export async function untilWritten(
  folder: string,
  holds: () => boolean | Promise<boolean>,
  writers: readonly ChildProcess[] = [],
  boundMs = HANG_MS,
): Promise<void> {
  const over = hangs(`what is awaited in ${folder}`, boundMs);
  let wake = () => {};
  const changed = () => new Promise<void>((resolve) => (wake = resolve));
  const hear = () => wake();
  const watcher = watch(folder, hear);
  for (const writer of writers) writer.once('exit', hear);
  try {
    for (;;) {
      // What changes while it looks is looked at as well.
      const next = changed();
      if (await Promise.race([holds(), over])) return;
      const ended = writers.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
      if (ended !== undefined) throw new Error(`a process has ended with ${ended.exitCode ?? ended.signalCode}`);
      await Promise.race([next, over]);
    }
  } finally {
    watcher.close();
    for (const writer of writers) writer.off('exit', hear);
  }
}

/**
 * Resolves when a program that shows something again and again has shown it; then it is ended. One that ends before, as it found no agent to ask, is
 * started again, as long as `asked` runs.
 */
export async function untilShown(
  args: readonly string[],
  shown: RegExp[],
  asked: ChildProcess,
  boundMs = HANG_MS,
): Promise<void> {
  const over = hangs(`${args.join(' ')} shows ${shown.join(' and ')}`, boundMs);
  for (;;) {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    const seen = new Promise<'seen' | 'ended'>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (shown.every((each) => each.test(text))) resolve('seen');
      });
      child.once('close', () => resolve('ended'));
    });
    const stop = () => void child.kill();
    asked.once('exit', stop);
    const how = await Promise.race([seen, over]).finally(() => {
      asked.off('exit', stop);
      stop();
    });
    if (how === 'seen') return;
    if (asked.exitCode !== null || asked.signalCode !== null)
      throw new Error(`what was asked has ended, and showed ${text}`);
  }
}
