// Server-sent events (WHATWG HTML §9.2.6) as far as MCP uses them: the data of each event, its id, and the wait before the stream is resumed.
import { createGatheredBytes } from '#codec/gathered-bytes.ts';

export type EventSink = {
  data(bytes: Buffer): void;
  tooLong(): void;
  /** Where a stream that ends can be resumed: `id` of the last whole event. */
  readonly place?: StreamPlace;
};

export type StreamPlace = { id: string | undefined; retryMs: number | undefined };

const LF = 10;
const CR = 13;

/** Takes the bytes of a stream as they come. Events of more than `maxBytes`, the ends of their lines included, end it. */
export function createEventReader(maxBytes: number, sink: EventSink): (chunk: Buffer) => void {
  const rest = createGatheredBytes();
  const data = createGatheredBytes();
  /** Octets of `rest` in which no line ends. */
  let searched = 0;
  let id: string | undefined;
  let isTooLong = false;
  const dispatch = () => {
    // Before the data: what hears the data may end the stream.
    if (id !== undefined && sink.place !== undefined) sink.place.id = id;
    // The last line has an end of its own too.
    const event = data.length === 0 ? undefined : Buffer.from(data.view().subarray(0, data.length - 1));
    data.drop(data.length);
    if (event !== undefined) sink.data(event);
  };
  const line = (bytes: Buffer) => {
    if (bytes.length === 0) return dispatch();
    const value = (name: string) => fieldIn(bytes, name);
    const text = value('data');
    if (text !== undefined) {
      // An event without content only says where the stream can be resumed.
      if (text.length === 0) return;
      data.add(text);
      data.add(END_OF_LINE);
      return;
    }
    id = value('id')?.toString('latin1') ?? id;
    const retry = value('retry')?.toString('latin1');
    if (retry !== undefined && /^\d{1,9}$/.test(retry) && sink.place !== undefined) sink.place.retryMs = Number(retry);
  };
  return (chunk) => {
    if (isTooLong) return;
    rest.add(chunk);
    const bytes = rest.view();
    let from = 0;
    for (let end = bytes.indexOf(LF, searched); end >= 0; end = bytes.indexOf(LF, from)) {
      line(bytes.subarray(from, end > from && bytes[end - 1] === CR ? end - 1 : end));
      from = end + 1;
    }
    rest.drop(from);
    searched = rest.length;
    isTooLong = rest.length + data.length > maxBytes;
    if (isTooLong) sink.tooLong();
  };
}

const END_OF_LINE = Buffer.from('\n');

/** Of a line of this field; undefined for a line of another. */
function fieldIn(line: Buffer, name: string): Buffer | undefined {
  const prefix = `${name}:`;
  if (line.length < prefix.length || line.toString('latin1', 0, prefix.length) !== prefix) return undefined;
  return line.subarray(line[prefix.length] === 0x20 ? prefix.length + 1 : prefix.length);
}
