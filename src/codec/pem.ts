// PEM (RFC 7468): one or more base64 blocks with a label. Refuses another label, headers, and base64 that is not canonical.
import { bad, ok, type Result } from '#base/result.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';

const LINE_CHARS = 64;

/** One block with line feeds, ending in a line feed. */
export function encodePem(bytes: Uint8Array, label: string): string {
  const lines = encodeBase64(bytes).match(new RegExp(`.{1,${LINE_CHARS}}`, 'g')) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** The only block of `text`. */
export function decodePem(text: string, label: string): Result<Uint8Array> {
  const blocks = decodePemAll(text, label);
  if (!blocks.ok) return blocks;
  const [first, second] = blocks.value;
  if (first === undefined || second !== undefined) return bad(`expected one ${label}, got ${blocks.value.length}`);
  return ok(first);
}

/** All blocks of `text` in their order; between them only white space. */
export function decodePemAll(text: string, label: string): Result<Uint8Array[]> {
  const begin = `-----BEGIN ${label}-----`;
  const end = `-----END ${label}-----`;
  const blocks: Uint8Array[] = [];
  for (let from = 0; ; ) {
    const start = from + /^\s*/.exec(text.slice(from))![0].length;
    if (start === text.length) return ok(blocks);
    if (!text.startsWith(begin, start)) return bad(`expected ${begin}, got something else`, start);
    const stop = text.indexOf(end, start);
    if (stop === -1) return bad(`expected ${end}, got the end of the text`, text.length);
    const bytes = decodeBase64(text.slice(start + begin.length, stop).replace(/[ \t\r\n]/g, ''));
    if (!bytes.ok) return bad(bytes.reason, start);
    blocks.push(bytes.value);
    from = stop + end.length;
  }
}
