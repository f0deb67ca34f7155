// Pre-authentication encoding in the manner of DSSE: what is signed names its type and both lengths, so that no bytes can be
// read as a payload of another type. No `node:` import: the portable verifier uses it too.
const encoder = new TextEncoder();

/** `"DSSEv1" SP LEN(type) SP type SP LEN(body) SP body`, lengths in decimal bytes. */
export function preAuthEncoding(payloadType: string, body: Uint8Array): Uint8Array {
  const typeBytes = encoder.encode(payloadType).length;
  const head = encoder.encode(`DSSEv1 ${typeBytes} ${payloadType} ${body.length} `);
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}
