// One process at a time changes the configuration. The kernel's file lock is held by a small child (`flock`) whose standard
// input we keep open: when this process dies in any way, the child reads the end, and the lock is free.
import { spawn } from 'node:child_process';
import { ParleyError } from '#base/error.ts';
import { ROUTER_LIMITS } from '../limits.ts';

export type Unlock = () => Promise<void>;

/** Rejects with `node/config-busy` when another process holds the lock for longer than `waitMs`. */
function acquireLock(path: string, waitMs: number = ROUTER_LIMITS.configLockMs): Promise<Unlock> {
  return new Promise((resolve, reject) => {
    const seconds = String(Math.max(1, Math.ceil(waitMs / 1_000)));
    const child = spawn('flock', ['--exclusive', '--wait', seconds, path, 'cat'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const ended = new Promise<void>((done) => child.once('close', () => done()));
    child.stdin.on('error', () => {});
    child.once('error', (error) => reject(new ParleyError('node/config-busy', error.message, { cause: error })));
    child.once('close', () =>
      reject(new ParleyError('node/config-busy', `expected no other change within ${seconds} s, one goes on`)),
    );
    // `cat` answers only once `flock` has the lock.
    child.stdout.once('data', () =>
      resolve(async () => {
        child.stdin.end();
        await ended;
      }),
    );
    child.stdin.write('?');
  });
}

/** Runs `work` while no other process changes the configuration. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const unlock = await acquireLock(path);
  try {
    return await work();
  } finally {
    await unlock();
  }
}
