// Where the members of a JSON object lie in its text, so that a message can be passed on byte for byte with one member changed: parsing
// and writing again would round numbers beyond 2^53. Works on text that was parsed before, and finds nothing wrong with it.

/** `[start, end)` of a member's value. */
export type Span = { readonly start: number; readonly end: number };

/** The members of the object that begins at `start` (white space before it is passed over), by name. */
export function memberSpans(text: string, start = 0): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  let index = text.indexOf('{', start) + 1;
  for (;;) {
    index = skipBlank(text, index);
    if (text.charCodeAt(index) !== QUOTE) return spans;
    const nameEnd = endOfString(text, index);
    const raw = text.slice(index + 1, nameEnd - 1);
    const name = raw.includes('\\') ? (JSON.parse(text.slice(index, nameEnd)) as string) : raw;
    const valueStart = skipBlank(text, skipBlank(text, nameEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    spans.set(name, { start: valueStart, end: valueEnd });
    index = skipBlank(text, valueEnd);
    if (text.charCodeAt(index) === COMMA) index += 1;
  }
}

/** The text of one member's value; undefined where the object has none of that name. */
export function memberText(text: string, name: string): string | undefined {
  const span = memberSpans(text).get(name);
  return span === undefined ? undefined : text.slice(span.start, span.end);
}

/** The object's text with `name` set to `valueText`; every other byte stays as it is. */
export function withMember(text: string, name: string, valueText: string): string {
  const span = memberSpans(text).get(name);
  if (span !== undefined) return text.slice(0, span.start) + valueText + text.slice(span.end);
  return withFirst(text, name, valueText);
}

/** The object's text with one member more, which it has not. */
export function withFirst(text: string, name: string, valueText: string): string {
  const open = text.indexOf('{') + 1;
  const comma = text.charCodeAt(skipBlank(text, open)) === CLOSE_BRACE ? '' : ',';
  return `${text.slice(0, open)}${JSON.stringify(name)}:${valueText}${comma}${text.slice(open)}`;
}

/** The object's text without these members; every other value stays as it is. */
export function withoutMembers(text: string, names: readonly string[]): string {
  const spans = memberSpans(text);
  if (!names.some((name) => spans.has(name))) return text;
  const kept = [...spans].filter(([name]) => !names.includes(name));
  return `{${kept.map(([name, { start, end }]) => `${JSON.stringify(name)}:${text.slice(start, end)}`).join(',')}}`;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const CLOSE_BRACE = 0x7d;

function skipBlank(text: string, from: number): number {
  let index = from;
  for (; ; index++) {
    const code = text.charCodeAt(index);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return index;
  }
}

/** Index behind the closing quote. */
function endOfString(text: string, start: number): number {
  for (let index = text.indexOf('"', start + 1); ; index = text.indexOf('"', index + 1)) {
    if (index === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return index + 1;
  }
}

/** Index behind the value that begins at `start`. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (first !== 0x7b && first !== 0x5b) return endOfScalar(text, start);
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index) - 1;
        break;
      case 0x7b: // {
      case 0x5b: // [
        depth += 1;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1;
        if (depth === 0) return index + 1;
    }
  }
  return text.length;
}

const SCALAR_END = /[\s,}\]]/g;

function endOfScalar(text: string, start: number): number {
  SCALAR_END.lastIndex = start;
  return SCALAR_END.exec(text)?.index ?? text.length;
}
