// The last thing that happens to text before a terminal gets it. Names, reasons and configurations come from peers, devices and files: a
// terminal control sequence in them could hide the rest of a change that an admin is about to sign, rewrite what stands above, or colour it as
// this program colours a verdict. So every control, direction and unseen character is shown by its number, but ends of lines (CSV has CR LF, RFC 4180 §2)
// and tabs. Colours come after that, from pieces that are no text.
import { UNSEEN } from '#base/json.ts';
import { coloured, type Line, type Terminal } from './layout.ts';

export function harmless(text: string): string {
  return text.replace(UNSEEN, (sign, at: number) =>
    isPlain(text, at) ? sign : `<U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

/** A line as it is written: no text in it acts, and the tones are those of its pieces. */
export function written(line: Line, terminal: Pick<Terminal, 'hasColour'>): string {
  const pieces = typeof line === 'string' ? [line] : line;
  return pieces
    .map((piece) =>
      typeof piece === 'string' ? harmless(piece) : coloured({ ...piece, text: harmless(piece.text) }, terminal),
    )
    .join('');
}

/** A carriage return alone would go back to the start of its line and write over it. */
function isPlain(text: string, at: number): boolean {
  return text[at] === '\n' || text[at] === '\t' || (text[at] === '\r' && text[at + 1] === '\n');
}
