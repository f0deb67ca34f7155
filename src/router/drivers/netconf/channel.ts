// NETCONF messages over a byte stream of any kind (an SSH channel, a pipe): framing in both directions, parsed XML inwards. Ends at the first
// message that is none.
import { messageOf } from '#base/error.ts';
import { DRIVER_LIMITS } from '../limits.ts';
import { createNetconfDecoder, encodeNetconf, type NetconfFraming } from './framing.ts';
import { parseXml, type XmlElement } from './xml.ts';

/** What of Node's Duplex is used here. */
export type ByteStream = {
  write(bytes: Uint8Array): unknown;
  on(event: 'data', hear: (chunk: Uint8Array) => void): unknown;
  on(event: 'close', hear: () => void): unknown;
  on(event: 'error', hear: (error: Error) => void): unknown;
  destroy(): unknown;
};

export type NetconfChannel = {
  send(text: string): void;
  /** Both sides have said base:1.1: chunks from here on (RFC 6242 §4.1). */
  useChunks(): void;
  readonly closed: boolean;
  end(reason: string): void;
};

export function createNetconfChannel(
  stream: ByteStream,
  hear: { readonly message: (message: XmlElement) => void; readonly end: (reason: string) => void },
): NetconfChannel {
  const decoder = createNetconfDecoder(DRIVER_LIMITS.netconfBytes);
  let framing: NetconfFraming = '1.0';
  let closed = false;
  const end = (reason: string) => {
    if (closed) return;
    closed = true;
    stream.destroy();
    hear.end(reason);
  };
  const take = (text: string) => {
    const parsed = parseXml(text);
    if (parsed.ok) hear.message(parsed.value);
    else end(`came a message that is no XML: ${parsed.reason}`);
  };
  stream.on('error', (error) => end(`came ${messageOf(error)}`));
  stream.on('close', () => end('came the end of the stream'));
  stream.on('data', (chunk) => {
    let next = chunk;
    // One message may change how the octets behind it are read, so the rest is looked at again after each.
    while (!closed) {
      const messages = decoder.push(next);
      if (!messages.ok) return end(`came bytes that are no message: ${messages.reason}`);
      if (messages.value.length === 0) return;
      messages.value.forEach(take);
      next = new Uint8Array(0);
    }
  });
  return {
    send: (text) => void stream.write(encodeNetconf(text, framing)),
    useChunks() {
      decoder.useChunks();
      framing = '1.1';
    },
    get closed() {
      return closed;
    },
    end,
  };
}
