// How text is laid out on a terminal: wrapped to its width with a label at the left, and coloured where the terminal has colours. Text that is
// piped is neither wrapped nor coloured: programs read it line by line. NO_COLOR (no-color.org) and TERM=dumb take colours away.

export type Terminal = {
  readonly isTty: boolean;
  /** Absent: lines are as long as they are. */
  readonly width?: number;
  readonly hasColour: boolean;
};

export type Tone = 'bad' | 'good' | 'doubt' | 'dim' | 'strong';

const CODES: Readonly<Record<Tone, readonly [on: string, off: string]>> = {
  // Readable on dark and on light grounds: no yellow, no bright colours. What is coloured is bold, so that it stands out without colours.
  bad: ['1;31', '22;39'],
  good: ['1;32', '22;39'],
  doubt: ['1;35', '22;39'],
  dim: ['2', '22'],
  strong: ['1', '22'],
};

/** Labels of an answer stand in so many columns. */
export const LABEL_CHARS = 12;
/** Lines longer than this are hard to read, however wide the terminal is. */
const WIDEST = 120;
const NARROWEST = 40;

type Environment = Readonly<Record<string, string | undefined>>;

/** `COLUMNS`, where it is exported, also wraps what is piped. */
export function terminalOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Environment,
): Terminal {
  const isTty = stream.isTTY === true;
  const told = Number(env['COLUMNS'] ?? '');
  const columns = isTty ? (stream.columns ?? 80) : Number.isInteger(told) && told > 0 ? told : undefined;
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return {
    isTty,
    ...(columns === undefined ? {} : { width: Math.min(WIDEST, Math.max(NARROWEST, columns)) }),
    hasColour: isTty && !isPlain,
  };
}

/** Text in a tone: an object, so that no text of a peer can be one. The codes are put around it when it is written. */
export type Toned = { readonly text: string; readonly tone: Tone };
export type Line = string | readonly (string | Toned)[];

export function coloured({ text, tone }: Toned, { hasColour }: Pick<Terminal, 'hasColour'>): string {
  const [on, off] = CODES[tone];
  return hasColour ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}

/** Blanks at which a line may end: not between a number and its unit. */
const BREAK = / (?! )(?!(?:%|kB|MB|s|ms|min|h|d)(?![\p{L}\p{N}]))/u;

/**
 * Lines of at most `width` columns; those after the first are indented by so many blanks, or begin with a text. A word that is longer
 * stands alone.
 */
export function wrapped(text: string, width: number | undefined, indent: number | string = 0): readonly string[] {
  if (width === undefined || [...text].length <= width) return [text];
  const [head = '', ...words] = text.split(BREAK);
  const pad = typeof indent === 'string' ? indent : ' '.repeat(indent);
  const lines: string[] = [];
  let line = head;
  for (const word of words) {
    if ([...line].length + 1 + [...word].length > width && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = `${pad}${word}`;
    } else line = `${line} ${word}`;
  }
  return [...lines, line];
}

/** `label` in its column, and the text beside it. */
export function labelled(label: string, text: string, width: number | undefined): readonly string[] {
  const column = label.length < LABEL_CHARS ? label.padEnd(LABEL_CHARS) : `${label}  `;
  return wrapped(`${column}${text}`, width, LABEL_CHARS);
}
