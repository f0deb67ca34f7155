// The last thing that happens to text before a terminal gets it. Names, reasons and configurations come from peers, devices and files: a
// terminal control sequence in them could hide the rest of a change that an admin is about to sign, or rewrite what stands above. So every
// control, direction and unseen character is shown by its number, but ends of lines (CSV has CR LF, RFC 4180 §2), tabs and the tones of layout.ts.
import { UNSEEN } from '#base/json.ts';
import { TONE_SEQUENCES } from './layout.ts';

/** With `tones`: text that this program has coloured. */
export function harmless(text: string, { tones = false }: { readonly tones?: boolean } = {}): string {
  if (!tones) return shown(text);
  return text
    .split(TONE)
    .map((part) => (TONE_SEQUENCES.includes(part) ? part : shown(part)))
    .join('');
}

const TONE = new RegExp(`(${TONE_SEQUENCES.map((each) => each.replaceAll('[', '\\[')).join('|')})`);

function shown(text: string): string {
  return text.replace(UNSEEN, (sign, at: number) =>
    isPlain(text, at) ? sign : `<U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

/** A carriage return alone would go back to the start of its line and write over it. */
function isPlain(text: string, at: number): boolean {
  return text[at] === '\n' || text[at] === '\t' || (text[at] === '\r' && text[at + 1] === '\n');
}
