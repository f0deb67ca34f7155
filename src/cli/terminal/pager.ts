// Long answers go through the operator's pager: PARLEY_PAGER, PAGER, else less. Only where a person reads at a terminal, and only what does not
// fit on it. A pager that is missing or fails takes nothing away: the text is printed.
import { showThrough } from '#base/process.ts';
import { written } from './harmless.ts';
import type { Line, Terminal } from './layout.ts';
import type { Output } from './output.ts';

const DEFAULT = 'less';
/** Keep colours, and leave the text on the screen; as git starts it. */
const LESS = 'FRX';

/** Runs `work` with an output whose lines are held back until it ends, also where it fails. */
export async function paged<T>(output: Output, work: (output: Output) => Promise<T>): Promise<T> {
  const { terminal } = output;
  if (output.json || terminal?.isTty !== true) return work(output);
  const lines: Line[] = [];
  const held: Output = { ...output, line: (line = '') => void lines.push(line) };
  try {
    return await work(held);
  } finally {
    await show(lines, output, terminal);
  }
}

async function show(lines: readonly Line[], output: Output, terminal: Terminal): Promise<void> {
  const text = lines.map((line) => `${written(line, terminal)}\n`).join('');
  const command = process.env['PARLEY_PAGER'] ?? process.env['PAGER'] ?? DEFAULT;
  const fits = text.split('\n').length < (process.stdout.rows ?? Number.POSITIVE_INFINITY);
  const [program = '', ...args] = command.split(' ').filter((word) => word !== '');
  if (!fits && program !== '' && program !== 'cat' && (await showThrough(program, args, text, { LESS }))) return;
  for (const line of lines) output.line(line);
}
