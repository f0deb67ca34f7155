// Questions to a name server, and whether an answer holds a record (RFC 1035 §4.1). No names are decompressed, and nothing of a
// record is read: whether there is one is all that is asked.

const HEADER_BYTES = 12;
const RECURSION_DESIRED = 0x01;
const IS_ANSWER = 0x80;
const ERROR_BITS = 0x0f;

/** A question for the IPv4 address of `name`; without one a header that asks nothing, which servers answer with an error. */
export function encodeQuestion(id: number, name?: string): Uint8Array {
  const start = [id >> 8, id & 0xff];
  if (name === undefined) return Uint8Array.from([...start, RECURSION_DESIRED, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const labels = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label, 'latin1')]);
  return Uint8Array.from([...start, RECURSION_DESIRED, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, 1, 0, 1]);
}

/** An answer to that question, without an error, with a record in it. Total. */
export function holdsRecord(answer: Uint8Array, id: number): boolean {
  if (answer.length < HEADER_BYTES) return false;
  const ours = answer[0] === id >> 8 && answer[1] === (id & 0xff);
  const well = (answer[2]! & IS_ANSWER) !== 0 && (answer[3]! & ERROR_BITS) === 0;
  return ours && well && answer[6]! * 256 + answer[7]! > 0;
}
