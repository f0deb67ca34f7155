// Questions to a name server, and what an answer holds (RFC 1035 §4.1): whether there is a record, for which name, whether the server is the
// authority for it, and the IPv4 addresses that it gives. No names are decompressed; of records only the data of A is read.

const HEADER_BYTES = 12;
const RECURSION_DESIRED = 0x01;
const IS_ANSWER = 0x80;
const ERROR_BITS = 0x0f;
/** QR, opcode 0, AA, not truncated; recursion bits may have any value. */
const HEAD_BITS = 0xfe;
const OWN_ANSWER = 0x84;
const AUTHORITY = 0x04;
/** NXDOMAIN and REFUSED; that a server fails (SERVFAIL) says nothing of the name. */
const DENIALS: ReadonlySet<number> = new Set([3, 5]);
const QTYPE_A = 1;
const CLASS_IN = 1;
const LABEL_BYTES = 63;
/** First octet of a pointer to a name that stands elsewhere (RFC 1035 §4.1.4). */
const POINTER = 0xc0;
/** Of a record after its name, without its data. */
const RECORD_BYTES = 10;
const ADDRESS_BYTES = 4;
const NAME_LABELS = 127;

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

/**
 * The IPv4 addresses that an answer to that question gives, sorted, each once and at most `most`; none of an error, of an answer to
 * another question, and of what ends before it should. Total: pointers are passed over, never followed.
 */
export function addressesIn(answer: Uint8Array, id: number, most: number): readonly string[] {
  if (!holdsRecord(answer, id)) return [];
  let at: number | undefined = HEADER_BYTES;
  for (let left = answer[4]! * 256 + answer[5]!; left > 0; left--) {
    const end = nameEnd(answer, at);
    if (end === undefined) return [];
    at = end + 4;
  }
  const found = new Set<string>();
  for (let left = answer[6]! * 256 + answer[7]!; left > 0 && found.size < most; left--) {
    const head = nameEnd(answer, at);
    if (head === undefined || head + RECORD_BYTES > answer.length) break;
    const size = answer[head + 8]! * 256 + answer[head + 9]!;
    const data = head + RECORD_BYTES;
    const isAddress = answer[head]! * 256 + answer[head + 1]! === QTYPE_A && size === ADDRESS_BYTES;
    if (data + size > answer.length) break;
    if (isAddress) found.add([...answer.subarray(data, data + size)].join('.'));
    at = data + size;
  }
  return [...found].sort();
}

/** Where what follows a name begins; undefined where the message ends within it. */
function nameEnd(message: Uint8Array, start: number): number | undefined {
  for (let at = start, labels = 0; labels <= NAME_LABELS; labels++) {
    const length = message[at];
    if (length === undefined) return undefined;
    if (length === 0) return at + 1;
    if (length >= POINTER) return at + 2;
    if (length > LABEL_BYTES) return undefined;
    at += 1 + length;
  }
  return undefined;
}

export type NameAnswer = {
  /** In lower case. */
  readonly name: string;
  /** The server gives an address as its authority (AA); without it, it has none, knows no such name, or refuses. */
  readonly given: boolean;
};

/**
 * What a server answers to a question for an IPv4 address; undefined for every other message, for what a resolver has from elsewhere,
 * and for a server that fails. Total: what a stranger sends is read once, forwards, and pointers are not followed.
 */
export function nameAnswerIn(message: Uint8Array): NameAnswer | undefined {
  if (message.length < HEADER_BYTES || message[4]! * 256 + message[5]! !== 1) return undefined;
  const given = givenIn(message);
  const name = given === undefined ? undefined : askedNameIn(message);
  return given === undefined || name === undefined ? undefined : { name, given };
}

function givenIn(message: Uint8Array): boolean | undefined {
  const [head, error] = [message[2]! & HEAD_BITS, message[3]! & ERROR_BITS];
  if ((head | AUTHORITY) !== OWN_ANSWER) return undefined;
  if (DENIALS.has(error)) return false;
  if (error !== 0) return undefined;
  if (message[6]! * 256 + message[7]! === 0) return false;
  return head === OWN_ANSWER ? true : undefined;
}

function askedNameIn(message: Uint8Array): string | undefined {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > LABEL_BYTES || labels.length > NAME_LABELS) return undefined;
    at += 1;
    if (length === 0) break;
    if (at + length > message.length) return undefined;
    labels.push(Buffer.from(message.subarray(at, at + length)).toString('latin1'));
    at += length;
  }
  if (at + 4 > message.length) return undefined;
  const [type, group] = [message[at]! * 256 + message[at + 1]!, message[at + 2]! * 256 + message[at + 3]!];
  return type === QTYPE_A && group === CLASS_IN ? labels.join('.').toLowerCase() : undefined;
}
