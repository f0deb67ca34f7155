// A line of output as a command gave it, without tones, before anything in it was made harmless.
import type { Line } from '../../src/cli/terminal/layout.ts';

export function plain(line: Line): string {
  if (typeof line === 'string') return line;
  return line.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('');
}
