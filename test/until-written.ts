// Waits for what other processes write, by event and without a bound of time: on a machine that is busy everything takes long, and what has ended
// is seen at once.
import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';

/** Resolves when `holds`, looked at again at each change in the folder. Rejects when it throws, or when a process that is to write has ended. */
export async function untilWritten(
  folder: string,
  holds: () => boolean | Promise<boolean>,
  writers: readonly ChildProcess[] = [],
): Promise<void> {
  let wake = () => {};
  const changed = () => new Promise<void>((resolve) => (wake = resolve));
  const hear = () => wake();
  const watcher = watch(folder, hear);
  for (const writer of writers) writer.once('exit', hear);
  try {
    for (;;) {
      // What changes while it looks is looked at as well.
      const next = changed();
      if (await holds()) return;
      const ended = writers.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
      if (ended !== undefined) throw new Error(`a process has ended with ${ended.exitCode ?? ended.signalCode}`);
      await next;
    }
  } finally {
    watcher.close();
    for (const writer of writers) writer.off('exit', hear);
  }
}

/**
 * Resolves when a program that shows something again and again has shown it; then it is ended. One that ends before, as it found nobody to ask, is
 * started again, as long as `asked` runs.
 */
export async function untilShown(args: readonly string[], shown: RegExp[], asked: ChildProcess): Promise<void> {
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
    const how = await seen;
    asked.off('exit', stop);
    stop();
    if (how === 'seen') return;
    if (asked.exitCode !== null || asked.signalCode !== null)
      throw new Error(`what was asked has ended, and showed ${text}`);
  }
}
