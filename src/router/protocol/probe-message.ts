// What probes and reflections say: 64 octets at the head of the UDP payload, in the manner of RFC 8762 (stateful
// reflector: it numbers what it receives). A reflection is exactly as long as its probe, so nothing is amplified, and
// only probes are answered, so two reflectors never talk to each other. What a probe proves of its sender is checked elsewhere
// (helper/probe/probe-keys.ts).
import { bad, ok, type Result } from '#base/result.ts';
import { PROBE_MESSAGE_BYTES } from '#model/router/probe-schema.ts';

/** "PLYp" */
const MAGIC = 0x504c5970;
const VERSION = 1;
const TIMED = 1;

/**
 * `probe` and `reflection` are a measurement; `query` and `status` ask for the counts again without being counted; a `refusal` says that
 * the probe arrived and was not counted, as the reflector has no place left for its session.
 */
const PROBE_KINDS = ['probe', 'reflection', 'query', 'status', 'refusal'] as const;
export type ProbeKind = (typeof PROBE_KINDS)[number];

export type ProbeMessage = {
  readonly kind: ProbeKind;
  /** 16 hex digits, new for every `ietf-srv6-ping`. */
  readonly session: string;
  /** The sender's number of this probe, from 0. */
  readonly sequence: number;
  /** The reflector's number of this reflection, from 0. */
  readonly reflectorSequence: number;
  /** Different probes of the session that the reflector has received. */
  readonly reflectorReceived: number;
  /** Probes of the session that the reflector received and did not answer because of its rate limit. */
  readonly reflectorRefused: number;
  /** In a probe: its reflection is to say when it arrived. */
  readonly timed?: true;
  /**
   * In a reflection: when the reflector's kernel took the probe in, counted from the session's first one: RFC 8762 §4.3.1 tells the
   * clock itself, which no other router shares. Absent: not asked for, or it cannot tell.
   */
  readonly arrivedUs?: number;
  /** Beside it: for how long the probe then waited for the reflector, in whole milliseconds as the reflector's clock shows them. */
  readonly heldUs?: number;
  /** In a probe or query: that its sender knows the key of a question. */
  readonly proof?: ProbeProof;
};

/** Names a key, and proves of one session that it was begun by a node that knows it: 8 and 16 hex digits. */
export type ProbeProof = { readonly keyId: string; readonly token: string };

const NO_TOKEN = '0'.repeat(16);

/** Layout: magic 4, version 1, kind 1, flags 1 (1: timed), reserved 1, session 8, sequence 4, reflector sequence 4, received 4, refused 4, arrived 8, held 4, key 4, token 8, zeros. */
export function encodeProbeMessage(message: ProbeMessage, payloadBytes: number = PROBE_MESSAGE_BYTES): Uint8Array {
  const bytes = new Uint8Array(Math.max(payloadBytes, PROBE_MESSAGE_BYTES));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC);
  view.setUint8(4, VERSION);
  view.setUint8(5, PROBE_KINDS.indexOf(message.kind) + 1);
  view.setUint8(6, message.timed === true ? TIMED : 0);
  view.setBigUint64(8, BigInt(`0x${message.session}`));
  view.setUint32(16, message.sequence);
  view.setUint32(20, message.reflectorSequence);
  view.setUint32(24, message.reflectorReceived);
  view.setUint32(28, message.reflectorRefused);
  view.setBigUint64(32, BigInt(message.arrivedUs ?? 0));
  view.setUint32(40, message.heldUs ?? 0);
  if (message.proof !== undefined) {
    view.setUint32(44, Number.parseInt(message.proof.keyId, 16));
    view.setBigUint64(48, BigInt(`0x${message.proof.token}`));
  }
  return bytes;
}

export function decodeProbeMessage(bytes: Uint8Array): Result<ProbeMessage> {
  if (bytes.length < PROBE_MESSAGE_BYTES)
    return bad(`expected at least ${PROBE_MESSAGE_BYTES} bytes, got ${bytes.length}`, 0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== MAGIC) return bad('expected our magic, got another', 0);
  if (view.getUint8(4) !== VERSION) return bad(`expected version ${VERSION}, got ${view.getUint8(4)}`, 4);
  const kind = PROBE_KINDS[view.getUint8(5) - 1];
  if (kind === undefined) return bad(`expected kind 1 to ${PROBE_KINDS.length}, got ${view.getUint8(5)}`, 5);
  const isTimed = (view.getUint8(6) & TIMED) !== 0;
  const arrivedUs = Number(view.getBigUint64(32));
  const heldUs = view.getUint32(40);
  const token = hexOf(view.getBigUint64(48));
  return ok({
    kind,
    session: hexOf(view.getBigUint64(8)),
    sequence: view.getUint32(16),
    reflectorSequence: view.getUint32(20),
    reflectorReceived: view.getUint32(24),
    reflectorRefused: view.getUint32(28),
    ...(isTimed ? { timed: true } : {}),
    ...(arrivedUs > 0 && Number.isSafeInteger(arrivedUs) ? { arrivedUs } : {}),
    ...(heldUs > 0 ? { heldUs } : {}),
    ...(token === NO_TOKEN ? {} : { proof: { keyId: view.getUint32(44).toString(16).padStart(8, '0'), token } }),
  });
}

function hexOf(octets: bigint): string {
  return octets.toString(16).padStart(16, '0');
}
