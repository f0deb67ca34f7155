// Frames on ALPN `mcp` (NET-14): uint32 big-endian length, not counting itself, then 1 byte to LIMITS.frameBytes.
// Refuses empty and oversized frames as soon as their length is known, before a byte of them is kept; tells a truncated stream.

import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { type Bad, bad, ok, type Result } from '#base/result.ts';

const LENGTH_BYTES = 4;
/** First buffer of a frame that arrives in pieces; it doubles, so that a length alone cannot claim a mebibyte. */
const FIRST_BUFFER_BYTES = 16_384;

export type FrameDecoder = {
  /** Frames completed by `chunk`, as copies. After a bad length every further push gives the same fault: close the connection. */
  push(chunk: Uint8Array): Result<Uint8Array[]>;
  /** Bytes of a frame that is not complete yet, its length prefix included. */
  readonly pendingBytes: number;
  /** Call when the stream ended: a fault when it ended inside a frame. */
  end(): Result<void>;
};

/** Throws ParleyError `us/frame-size` when `payload` is empty or too large: that is our own mistake. */
export function encodeFrame(payload: Uint8Array): Uint8Array {
  if (payload.length < 1 || payload.length > LIMITS.frameBytes) throw wrongSize(payload.length);
  const frame = new Uint8Array(LENGTH_BYTES + payload.length);
  new DataView(frame.buffer).setUint32(0, payload.length);
  frame.set(payload, LENGTH_BYTES);
  return frame;
}

/** The same of the UTF-8 of `text`, without a copy in between. */
export function encodeTextFrame(text: string): Uint8Array {
  const payloadBytes = Buffer.byteLength(text);
  if (payloadBytes < 1 || payloadBytes > LIMITS.frameBytes) throw wrongSize(payloadBytes);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + payloadBytes);
  frame.writeUInt32BE(payloadBytes, 0);
  frame.write(text, LENGTH_BYTES);
  return frame;
}

function wrongSize(payloadBytes: number): ParleyError {
  return new ParleyError('us/frame-size', `expected 1 to ${LIMITS.frameBytes} bytes in a frame, got ${payloadBytes}`);
}

/** Takes time linear in the bytes pushed, however they are cut into chunks. */
export function createFrameDecoder(init: { readonly maxBytes?: number } = {}): FrameDecoder {
  const maxBytes = init.maxBytes ?? LIMITS.frameBytes;
  let lengthBytes = 0;
  let frameBytes = 0;
  let body: Uint8Array = new Uint8Array(0);
  let bodyBytes = 0;
  /** Stream offset of the frame in work, for faults. */
  let frameStart = 0;
  let fault: Bad | undefined;

  /** Reads one byte of the length prefix. */
  const readLength = (byte: number): Bad | undefined => {
    frameBytes = frameBytes * 256 + byte;
    if (++lengthBytes < LENGTH_BYTES) return undefined;
    if (frameBytes >= 1 && frameBytes <= maxBytes) return undefined;
    return bad(`expected a frame of 1 to ${maxBytes} bytes, got ${frameBytes}`, frameStart);
  };
  const nextFrame = () => {
    frameStart += LENGTH_BYTES + frameBytes;
    lengthBytes = frameBytes = bodyBytes = 0;
    body = new Uint8Array(0);
  };

  return {
    push(chunk) {
      if (fault !== undefined) return fault;
      const frames: Uint8Array[] = [];
      for (let index = 0; index < chunk.length; ) {
        if (lengthBytes < LENGTH_BYTES) {
          fault = readLength(chunk[index++]!);
          if (fault !== undefined) return fault;
          continue;
        }
        const taken = Math.min(frameBytes - bodyBytes, chunk.length - index);
        body = roomFor(body, bodyBytes, bodyBytes + taken, frameBytes);
        body.set(chunk.subarray(index, index + taken), bodyBytes);
        bodyBytes += taken;
        index += taken;
        if (bodyBytes < frameBytes) continue;
        frames.push(body.subarray(0, frameBytes));
        nextFrame();
      }
      return ok(frames);
    },
    get pendingBytes() {
      return lengthBytes + bodyBytes;
    },
    end() {
      if (fault !== undefined) return fault;
      const pendingBytes = lengthBytes + bodyBytes;
      if (pendingBytes === 0) return ok(undefined);
      return bad('expected a whole frame, got the end of the stream', frameStart + pendingBytes);
    },
  };
}

/** A buffer for `neededBytes` that keeps the first `usedBytes`: grown by doubling, never beyond the frame. */
function roomFor(buffer: Uint8Array, usedBytes: number, neededBytes: number, frameBytes: number): Uint8Array {
  if (neededBytes <= buffer.length) return buffer;
  const wantedBytes = Math.max(neededBytes, buffer.length * 2, FIRST_BUFFER_BYTES);
  const larger = new Uint8Array(Math.min(wantedBytes, frameBytes));
  larger.set(buffer.subarray(0, usedBytes));
  return larger;
}
