// Runs another command of this program with --json, as an operator would type it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { run } from '#base/process.ts';
import { CLI_LIMITS } from '../limits.ts';

export type OwnResult = { readonly exitCode: number; readonly result: JsonObject };

/** Rejects with the error that the command gave. */
export async function runOwn(args: readonly string[]): Promise<OwnResult> {
  const program = [...process.execArgv, process.argv[1] ?? ''];
  const ended = await run(process.execPath, [...program, ...args, '--json'], {
    timeoutMs: CLI_LIMITS.setupCommandMs,
  });
  const line = ended.stdout.trim().split('\n').at(-1) ?? '';
  const result: unknown = line.startsWith('{') ? JSON.parse(line) : undefined;
  if (!isJsonObject(result)) {
    const said = (ended.stderr || ended.stdout).trim().slice(0, 500);
    throw new ParleyError('us/setup', `"parley ${args.join(' ')}" ended with ${ended.exitCode}: ${said}`);
  }
  const { error } = result;
  if (isJsonObject(error)) throw new ParleyError(error['code'] as ParleyError['code'], String(error['message']));
  return { exitCode: ended.exitCode, result };
}

/** A code that was typed goes into a file that only this user reads: every user of the machine sees command lines. */
export async function withCodeFile<T>(
  { code, codeFile }: { readonly code?: string; readonly codeFile?: string },
  work: (file: string) => Promise<T>,
): Promise<T> {
  if (codeFile !== undefined) return work(codeFile);
  const folder = await mkdtemp(join(tmpdir(), 'parley-setup-'));
  try {
    const file = join(folder, 'code');
    await writeFile(file, code ?? '', { mode: 0o600 });
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
