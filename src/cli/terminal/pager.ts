// Long answers go through the operator's pager: PARLEY_PAGER, PAGER, else less. Only where a person reads at a terminal, and only what does not
// fit on it. A pager that is missing or fails takes nothing away: the text is printed.
import { showThrough } from '#base/process.ts';
import { harmless } from './harmless.ts';
import type { Output } from './output.ts';

const DEFAULT = 'less';
/** Keep colours, and leave the text on the screen; as git starts it. */
const LESS = 'FRX';

/** Runs `work` with an output whose lines are held back until it ends, also where it fails. */
export async function paged<T>(output: Output, work: (output: Output) => Promise<T>): Promise<T> {
  const { terminal } = output;
  if (output.json || terminal?.isTty !== true) return work(output);
  const lines: string[] = [];
  const held: Output = { ...output, line: (text = '') => void lines.push(harmless(text, { tones: true })) };
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
  const [program = '', ...args] = command.split(' ').filter((word) => word !== '');
  if (!fits && program !== '' && program !== 'cat' && (await showThrough(program, args, text, { LESS }))) return;
  for (const line of lines) output.line(line);
}
