// Messages on an enrolment's TLS session: four octets of length, then JSON. One message is awaited at a time; a longer one, a second one
// and anything that is no strict JSON ends the session.
import type { TLSSocket } from 'node:tls';
import type { JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeStrictJson, type JsonBounds } from '#codec/strict-json.ts';
import { ENROL_LIMITS } from './limits.ts';

const HEADER_BYTES = 4;
const BOUNDS: JsonBounds = { depth: 4, arrayItems: 16, values: 64 };

/** The next message; `closed` where the peer ended the session before it was whole. */
export type Received = Result<JsonValue> | 'closed';

/** Awaits one message. Attach it only while the peer is to speak. */
export function receiveMessage(socket: TLSSocket): Promise<Received> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const settle = (value: Received) => {
      socket.pause();
      socket.off('data', onData).off('close', onClose);
      resolve(value);
    };
    const onClose = () => settle('closed');
    const onData = (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const message = cut(received);
      if (message !== undefined) settle(message);
    };
    if (socket.destroyed || socket.readableEnded) return resolve('closed');
    socket.on('data', onData).on('close', onClose);
    socket.resume();
  });
}

/** Undefined while more octets are needed. */
function cut(received: Buffer): Result<JsonValue> | undefined {
  if (received.length < HEADER_BYTES) return undefined;
  const byteCount = received.readUInt32BE(0);
  if (byteCount > ENROL_LIMITS.messageBytes)
    return bad(`expected a message of at most ${ENROL_LIMITS.messageBytes} octets, got ${byteCount}`);
  if (received.length > HEADER_BYTES + byteCount) return bad('expected one message, got more');
  return received.length === HEADER_BYTES + byteCount
    ? decodeStrictJson(received.subarray(HEADER_BYTES), BOUNDS)
    : undefined;
}

export function sendMessage(socket: TLSSocket, message: object): void {
  const body = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(body.length);
  socket.write(Buffer.concat([header, body]));
}

/** A message of this form, or the reason why it is none. */
export function parsedBy<Value>(
  schema: { safeParse(value: unknown): { success: true; data: Value } | { success: false } },
  received: Result<JsonValue>,
): Result<Value> {
  if (!received.ok) return received;
  const parsed = schema.safeParse(received.value);
  return parsed.success ? ok(parsed.data) : bad('expected a message of an enrolment, got another');
}
