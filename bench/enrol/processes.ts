// The processes of `npm run bench -- enrol`: one registrar, which may be killed and started again on its port, and processes of nodes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Attempt, Attempted } from './rack.ts';

export type RegistrarProcess = {
  readonly port: number;
  killAndRestart(): Promise<void>;
  /** Ends it; resolves with what it says of itself. */
  end(): Promise<{ readonly outcomes: Record<string, number>; readonly cpuMs: number; readonly grownBytes: number }>;
  kill(): void;
};

/** Nothing of a run that was killed. */
export type NodeRun = { readonly done: Promise<readonly Attempted[]>; kill(): void };

export async function startRegistrar(dir: string, identityDir: string): Promise<RegistrarProcess> {
  let child = start('registrar.ts', [dir, identityDir, '0']);
  const port = await portOf(child);
  return {
    port,
    async killAndRestart() {
      child.kill('SIGKILL');
      await once(child, 'exit');
      child = start('registrar.ts', [dir, identityDir, String(port)]);
      await portOf(child);
    },
    async end() {
      const rest = text(child.stdout!);
      child.stdin!.end();
      return JSON.parse(await rest);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

export function startNodes(attempts: readonly Attempt[], port: number, dir: string): NodeRun {
  const child = start('nodes.ts', []);
  child.stdin!.on('error', () => {});
  child.stdin!.end(JSON.stringify({ attempts, port, dir }));
  const done = text(child.stdout!).then((said) => (said === '' ? [] : (JSON.parse(said) as readonly Attempted[])));
  return { done, kill: () => void child.kill('SIGKILL') };
}

function start(script: string, args: readonly string[]): ChildProcess {
  const file = join(import.meta.dirname, script);
  return spawn(process.execPath, ['--conditions=parley-source', file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function portOf(child: ChildProcess): Promise<number> {
  const [chunk] = (await once(child.stdout!, 'data')) as [Buffer];
  return (JSON.parse(chunk.toString().split('\n')[0]!) as { port: number }).port;
}
