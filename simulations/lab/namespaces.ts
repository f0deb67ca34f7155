// Named network namespaces: made, emptied and removed one by one, by name. Never touches a namespace that it was not given.
import { readdirSync } from 'node:fs';
import { ParleyError } from '#base/error.ts';
import { isAlive, markProcess, type ProcessMark } from './registry.ts';
import { mustRun, tryRun } from './shell.ts';
import { waitUntil } from './wait.ts';

const NETNS_DIR = '/run/netns';
/** Time that killed processes have to be gone. */
const EMPTY_MS = 60_000;

export function namespaceNames(): string[] {
  try {
    return readdirSync(NETNS_DIR).sort();
  } catch {
    return [];
  }
}

/** Refuses when one of the names is taken: it belongs to somebody else. */
export async function createNamespaces(names: readonly string[]): Promise<void> {
  const taken = names.filter((name) => namespaceNames().includes(name));
  if (taken.length > 0)
    throw new ParleyError('caller/namespace-exists', `expected free names, taken: ${taken.join(' ')}`);
  await mustRun('ip', ['-batch', '-'], {}, names.map((name) => `netns add ${name}`).join('\n'));
}

/** Kills what runs inside and removes the namespaces; those that do not exist are fine. */
export async function removeNamespaces(names: readonly string[]): Promise<void> {
  const present = names.filter((name) => namespaceNames().includes(name));
  await Promise.all(present.map(emptyNamespace));
  await Promise.all(present.map((name) => tryRun('ip', ['netns', 'delete', name])));
  const left = present.filter((name) => namespaceNames().includes(name));
  if (left.length > 0)
    throw new ParleyError('node/namespace-left', `expected to remove ${left.join(' ')}, they are still there`);
}

/** Numbers of the processes whose network namespace this is. */
export async function processesIn(namespace: string): Promise<number[]> {
  const listed = await tryRun('ip', ['netns', 'pids', namespace]);
  return listed.stdout.split('\n').filter(Boolean).map(Number);
}

/** Resolves when every process that was seen inside has ended, not only been told to. */
export async function emptyNamespace(namespace: string): Promise<void> {
  const seen = new Map<number, ProcessMark | undefined>();
  const killAll = async () => {
    for (const pid of await processesIn(namespace)) {
      if (!seen.has(pid)) seen.set(pid, markProcess(pid));
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    const left = [...seen].filter(([, mark]) => isAlive(mark)).map(([pid]) => pid);
    return left.length === 0 ? undefined : `processes ${left.join(' ')}`;
  };
  await waitUntil(`no process in ${namespace}`, killAll, { timeoutMs: EMPTY_MS, intervalMs: 10 });
}
