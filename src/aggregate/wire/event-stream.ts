// Server-sent events (WHATWG HTML §9.2.6) as far as MCP uses them: the data of each event, its id, and the wait before the stream is resumed.

export type EventSink = {
  data(bytes: Buffer): void;
  tooLong(): void;
  /** Where a stream that ends can be resumed: `id` of the last whole event. */
  readonly place?: StreamPlace;
};

export type StreamPlace = { id: string | undefined; retryMs: number | undefined };

const LF = 10;
const CR = 13;

/** Takes the bytes of a stream as they come. Events of more than `maxBytes` end it. */
export function createEventReader(maxBytes: number, sink: EventSink): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let data: Buffer[] = [];
  let dataBytes = 0;
  let id: string | undefined;
  const dispatch = () => {
    // Before the data: what hears the data may end the stream.
    if (id !== undefined && sink.place !== undefined) sink.place.id = id;
    if (data.length > 0) sink.data(data.length === 1 ? data[0]! : joined(data));
    data = [];
    dataBytes = 0;
  };
  const line = (bytes: Buffer) => {
    if (bytes.length === 0) return dispatch();
    const value = (name: string) => fieldIn(bytes, name);
    const text = value('data');
    if (text !== undefined) {
      // An event without content only says where the stream can be resumed.
      if (text.length > 0) data.push(Buffer.from(text));
      dataBytes += text.length;
      return;
    }
    id = value('id')?.toString('latin1') ?? id;
    const retry = value('retry')?.toString('latin1');
    if (retry !== undefined && /^\d{1,9}$/.test(retry) && sink.place !== undefined) sink.place.retryMs = Number(retry);
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

/** Of a line of this field; undefined for a line of another. */
function fieldIn(line: Buffer, name: string): Buffer | undefined {
  const prefix = `${name}:`;
  if (line.length < prefix.length || line.toString('latin1', 0, prefix.length) !== prefix) return undefined;
  return line.subarray(line[prefix.length] === 0x20 ? prefix.length + 1 : prefix.length);
}

function joined(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from('\n'), part])));
}
