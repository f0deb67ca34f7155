// NETCONF's two framings (RFC 6242 §4): `]]>]]>` until both sides have said base:1.1, chunks afterwards. Total: bad bytes are a
// value, and nothing is kept beyond the bound.
import { bad, ok, type Result } from '#base/result.ts';
import { createGatheredBytes } from '#codec/gathered-bytes.ts';

export type NetconfFraming = '1.0' | '1.1';

export type NetconfDecoder = {
  /** Whole messages that `chunk` completed; after a bad result the connection must end. */
  push(chunk: Uint8Array): Result<readonly string[]>;
  /** From the next octet on (RFC 6242 §4.1: right after the hello). */
  useChunks(): void;
};

const END = Buffer.from(']]>]]>');
const CHUNK_END = '##';
/** A chunk's length has at most ten digits (RFC 6242 §4.2). */
const HEADER_OCTETS = 13;

export function encodeNetconf(text: string, framing: NetconfFraming): Uint8Array {
  const body = Buffer.from(text, 'utf8');
  if (framing === '1.0') return Buffer.concat([body, END]);
  return Buffer.concat([Buffer.from(`\n#${body.length}\n`), body, Buffer.from('\n##\n')]);
}

export function createNetconfDecoder(maxBytes: number): NetconfDecoder {
  let framing: NetconfFraming = '1.0';
  const pending = createGatheredBytes();
  const body = createGatheredBytes();
  /** Octets of `pending` in which no end begins. */
  let searched = 0;

  const takeEnd = (): string | undefined => {
    const bytes = pending.view();
    const at = bytes.indexOf(END, searched);
    searched = at < 0 ? Math.max(0, bytes.length - END.length + 1) : 0;
    if (at < 0) return undefined;
    const text = bytes.toString('utf8', 0, at);
    pending.drop(at + END.length);
    return text;
  };
  /** A message, nothing yet, or what is wrong. */
  const takeChunk = (): Result<string | undefined> => {
    for (;;) {
      const bytes = pending.view();
      const header = readHeader(bytes);
      if (!header.ok) return header;
      if (header.value === undefined) return ok(undefined);
      const { octets, length } = header.value;
      if (length === CHUNK_END) {
        pending.drop(octets);
        const text = body.view().toString('utf8');
        body.drop(body.length);
        return ok(text);
      }
      if (body.length + length > maxBytes) return bad(`expected a message of at most ${maxBytes} bytes, got more`);
      if (bytes.length < octets + length) return ok(undefined);
      body.add(bytes.subarray(octets, octets + length));
      pending.drop(octets + length);
    }
  };
  return {
    push(chunk) {
      pending.add(chunk);
      const messages: string[] = [];
      for (;;) {
        const taken: Result<string | undefined> = framing === '1.0' ? ok(takeEnd()) : takeChunk();
        if (!taken.ok) return taken;
        if (taken.value === undefined) break;
        messages.push(taken.value);
        // The hello is the only message whose end may change how the rest is read.
        if (framing === '1.0') break;
      }
      if (pending.length > maxBytes + HEADER_OCTETS)
        return bad(`expected a message of at most ${maxBytes} bytes, got more`);
      return ok(messages);
    },
    useChunks() {
      framing = '1.1';
    },
  };
}

type Header = { readonly octets: number; readonly length: number | typeof CHUNK_END };

function readHeader(bytes: Buffer): Result<Header | undefined> {
  const text = bytes.subarray(0, HEADER_OCTETS).toString('latin1');
  if (text.startsWith('\n##\n')) return ok({ octets: 4, length: CHUNK_END });
  const match = /^\n#([1-9]\d{0,9})\n/.exec(text);
  if (match) return ok({ octets: match[0].length, length: Number(match[1]) });
  const beginning = /^(\n(#([1-9]\d{0,9}|#)?)?)?$/.test(text) && text.length < HEADER_OCTETS;
  return beginning ? ok(undefined) : bad('expected the header of a chunk, got something else');
}
