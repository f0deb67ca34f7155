// `npm run bench -- <name> [options]`: each benchmark prints one JSON line with ratios from one run. Progress goes to standard error.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '#base/error.ts';

/** What a file of this folder exports to be a benchmark; it resolves with nothing when it printed something else than figures. */
export type Benchmark = (
  args: readonly string[],
  say: (line: string) => void,
) => Promise<Readonly<Record<string, unknown>> | undefined>;

const SCHEMA_VERSION = 1;
const SUPPORT = new Set(['main', 'statistics', 'bare-tls']);

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .filter((name) => !SUPPORT.has(name));
const [name, ...args] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  process.stderr.write(`usage: npm run bench -- ${names.join('|')} [options]\n`);
  process.exitCode = 2;
} else {
  await run(name);
}

async function run(benchmark: string): Promise<void> {
  const started = performance.now();
  try {
    const { bench } = (await import(join(import.meta.dirname, `${benchmark}.ts`))) as { bench: Benchmark };
    const figures = await bench(args, (line) => void process.stderr.write(`${line}\n`));
    if (figures === undefined) return;
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    process.stdout.write(
      `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, bench: benchmark, ...figures, seconds })}\n`,
    );
  } catch (error) {
    process.stderr.write(`bench ${benchmark}: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
