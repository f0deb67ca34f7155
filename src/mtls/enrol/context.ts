// What a SPAKE2+ run is bound to: this TLS session and this request. A person in the middle has two sessions, and no code for either.
import { EXPORTER_BYTES } from './messages.ts';
import type { Ids } from './spake2plus.ts';

const LABEL = 'parley-enrolment-1\0';

/** Context of RFC 9383 §3.3. `exporter`: 32 octets of the TLS session; `requestSha256`: 64 hex digits. */
export function contextOf(exporter: Uint8Array, requestSha256: string): Uint8Array {
  if (exporter.length !== EXPORTER_BYTES)
    throw new RangeError(`expected ${EXPORTER_BYTES} octets, got ${exporter.length}`);
  return Buffer.concat([Buffer.from(LABEL), exporter, Buffer.from(requestSha256, 'hex')]);
}

/** Both sides' names in a run: the code's own name stands for the node, whose real name is checked after the proof. */
export function idsOf(codeId: string): Ids {
  return { idProver: codeId, idVerifier: 'parley registrar' };
}
