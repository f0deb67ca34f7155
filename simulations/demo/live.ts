// Runs `parley` as an operator would and shows its progress while it runs; the answer is the JSON object on standard output.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ParleyError } from '#base/error.ts';

export type Live = { readonly exitCode: number; readonly answer: Readonly<Record<string, unknown>> };

const RUN_MS = 60_000;

/** Each line of standard error goes to `show`. Rejects when the program prints no JSON object. */
export async function runLive(command: readonly string[], show: (line: string) => void): Promise<Live> {
  const [program, ...args] = command;
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
  const printed: Buffer[] = [];
  const said: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  createInterface({ input: child.stderr }).on('line', (line) => {
    said.push(line);
    show(line);
  });
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  }).finally(() => clearTimeout(timer));
  const text = Buffer.concat(printed).toString('utf8').trim();
  try {
    return { exitCode, answer: JSON.parse(text) as Record<string, unknown> };
  } catch (cause) {
    const last = said.slice(-3).join(' | ');
    throw new ParleyError('us/demo', `expected an answer as JSON, got exit code ${exitCode}: ${last}`, { cause });
  }
}
