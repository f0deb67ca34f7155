// The killing hook of the crash campaign: inside a node, reads from a file at which named point the process must die, and dies there by
// SIGKILL, once. With `applying`, what frr-reload.py has begun dies first, so that the change stays half applied.
import { readdirSync, readFileSync, rmSync } from 'node:fs';

export const POINT_FILE = '/var/lib/parley-config/crash-point';

export type CrashPoint = {
  readonly point: string;
  readonly program: 'helper' | 'rollback';
  readonly applying: boolean;
};

export function crashAt(program: CrashPoint['program']): (name: string) => Promise<void> {
  return async (name) => {
    const wanted = readPoint();
    if (wanted?.point !== name || wanted.program !== program) return;
    rmSync(POINT_FILE);
    if (wanted.applying) endApplying();
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  };
}

function readPoint(): CrashPoint | undefined {
  try {
    return JSON.parse(readFileSync(POINT_FILE, 'utf8')) as CrashPoint;
  } catch {
    return undefined;
  }
}

function endApplying(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes('PARLEY_APPLY=')) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Another user's process, or one that has ended.
    }
  }
}
