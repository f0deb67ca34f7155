// Server-sent events (WHATWG HTML §9.2.6) as far as MCP uses them: the data of each event.

export type EventSink = { data(bytes: Buffer): void; tooLong(): void };

const LF = 10;
const CR = 13;
const DATA = Buffer.from('data:');

/** Takes the bytes of a stream as they come. Events of more than `maxBytes` end it. */
export function createEventReader(maxBytes: number, sink: EventSink): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let data: Buffer[] = [];
  let dataBytes = 0;
  const line = (bytes: Buffer) => {
    if (bytes.length === 0) {
      if (data.length > 0) sink.data(data.length === 1 ? data[0]! : joined(data));
      data = [];
      dataBytes = 0;
    } else if (bytes.subarray(0, DATA.length).equals(DATA)) {
      const value = bytes.subarray(bytes[DATA.length] === 0x20 ? DATA.length + 1 : DATA.length);
      // An event without content only says where the stream can be resumed.
      if (value.length > 0) data.push(Buffer.from(value));
      dataBytes += value.length;
    }
  };
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(LF); end >= 0; end = rest.indexOf(LF, from)) {
      line(rest.subarray(from, end > from && rest[end - 1] === CR ? end - 1 : end));
      from = end + 1;
    }
    rest = rest.subarray(from);
    if (rest.length + dataBytes > maxBytes) sink.tooLong();
  };
}

function joined(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from('\n'), part])));
}
