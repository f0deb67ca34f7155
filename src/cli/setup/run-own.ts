// Runs another command of this program with --json, as an operator would type it.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { run } from '#base/process.ts';
import { CLI_LIMITS } from '../limits.ts';

export type OwnResult = { readonly exitCode: number; readonly result: JsonObject };

/** `input`: standard input, for what must not stand on a command line. Rejects with the error that the command gave. */
export async function runOwn(args: readonly string[], input?: string): Promise<OwnResult> {
  const program = [...process.execArgv, process.argv[1] ?? ''];
  const ended = await run(process.execPath, [...program, ...args, '--json'], {
    timeoutMs: CLI_LIMITS.setupCommandMs,
    ...(input === undefined ? {} : { input }),
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
