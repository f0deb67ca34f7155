// Long answers go through the operator's pager: PARLEY_PAGER, PAGER, else less. Only where a person reads at a terminal, and only what does not
// fit on it. A pager that is missing or fails takes nothing away: the text is printed.
import { spawn } from 'node:child_process';
import type { Output } from './output.ts';

const DEFAULT = 'less';
/** Keep colours, and leave the text on the screen; as git starts it. */
const LESS = 'FRX';

/** Runs `work` with an output whose lines are held back until it ends, also where it fails. */
export async function paged<T>(output: Output, work: (output: Output) => Promise<T>): Promise<T> {
  const { terminal } = output;
  if (output.json || terminal?.isTty !== true) return work(output);
  const lines: string[] = [];
  const held: Output = { ...output, line: (text = '') => void lines.push(text) };
  try {
    return await work(held);
  } finally {
    await show(lines, output);
  }
}

async function show(lines: readonly string[], output: Output): Promise<void> {
  const text = lines.map((line) => `${line}\n`).join('');
  const command = process.env['PARLEY_PAGER'] ?? process.env['PAGER'] ?? DEFAULT;
  const fits = text.split('\n').length < (process.stdout.rows ?? Number.POSITIVE_INFINITY);
  if (!fits && command !== '' && command !== 'cat' && (await pipedTo(command, text))) return;
  for (const line of lines) output.line(line);
}

/** False where the pager did not start. */
function pipedTo(command: string, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    // As every tool: the setting is a command line of the operator's own shell.
    const pager = spawn('/bin/sh', ['-c', command], {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { LESS, ...process.env },
    });
    pager.on('error', () => resolve(false));
    // The operator left before the end.
    pager.stdin.on('error', () => {});
    // 126 and 127: the shell found nothing to run.
    pager.on('close', (code) => resolve(code !== 126 && code !== 127));
    pager.stdin.end(text);
  });
}
