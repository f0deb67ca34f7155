// Orders to stop and to go on as they are signed and verified: closed shape, one signature of an admin's key. The caller verifies the chain, as of
// the order's own time: an order outlives the certificate that signed it. Refuses everything that is not exactly that.
import { isoTime } from '#base/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { PAYLOAD_TYPES, type SignedEnvelope } from '#model/envelope.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { isNodeName } from '#model/names.ts';
import type { Signer } from '#model/ports.ts';
import { ORDER_STOPS, type Order } from '#model/rights/order.ts';
import { canonicalSha256 } from './digest.ts';
import { openEnvelope, parseEnvelope } from './envelope.ts';
import { SIGN_LIMITS } from './limits.ts';

export type SignedOrder = { readonly envelope: SignedEnvelope; readonly chain: CertificateChain };

export function signOrder(init: {
  readonly signer: Signer;
  readonly chain: CertificateChain;
  readonly order: Omit<Order, 'by' | 'time'>;
  readonly nowMs: number;
}): SignedOrder {
  const { signer, chain } = init;
  const { scope, domain, number, stop, reason } = init.order;
  const envelope = signer.seal(PAYLOAD_TYPES.order, {
    type: PAYLOAD_TYPES.order,
    signer: signer.node,
    keyId: signer.keyId,
    scope: scope.kind === 'domain' ? 'domain' : `node/${scope.node}`,
    domain,
    number,
    stop,
    reason,
    chainSha256: canonicalSha256(chain as unknown as JsonValue),
    time: isoTime(init.nowMs),
  });
  return { envelope, chain };
}

/** The order of an admin of this domain. `verifyChain` is asked as of the order's time. */
export function verifyOrder(
  value: unknown,
  verifyChain: (chain: CertificateChain, atMs: number) => Result<Party>,
): Result<{ readonly order: Order; readonly signed: SignedOrder }> {
  const signed = readSigned(value);
  if (!signed.ok) return signed;
  const { envelope, chain } = signed.value;
  const claimed = claimedTime(envelope);
  const party = verifyChain(chain, claimed);
  if (!party.ok) return bad(`certificate of who gave the order: ${party.reason}`);
  const { kind, role, name, signingKey = '' } = party.value;
  if (kind !== 'operator' || role !== 'admin') return bad(`expected an order of an admin, got one of ${kind}/${name}`);
  const opened = openEnvelope(envelope, Buffer.from(signingKey, 'hex'), PAYLOAD_TYPES.order);
  if (!opened.ok) return opened;
  const { signer, chainSha256 } = opened.value;
  if (signer !== name) return bad('expected the signer that the certificate names, got another');
  if (chainSha256 !== canonicalSha256(chain as unknown as JsonValue))
    return bad('expected the chain that was signed, got another');
  const order = readOrder(opened.value, name);
  if (!order.ok) return order;
  if (order.value.domain !== party.value.domain) return bad('expected an order for this domain, got one for another');
  return ok({ order: order.value, signed: signed.value });
}

function readSigned(value: unknown): Result<SignedOrder> {
  if (!isJsonObject(value)) return bad('expected a signed order, got something else');
  const { envelope, chain } = value;
  const parsed = parseEnvelope(envelope);
  if (!parsed.ok) return parsed;
  if (parsed.value.payload.length > SIGN_LIMITS.orderChars)
    return bad(`expected an order of at most ${SIGN_LIMITS.orderChars} characters, got more`);
  if (!Array.isArray(chain) || !chain.every((each) => typeof each === 'string'))
    return bad('expected the certificates of who gave the order, got something else');
  return ok({ envelope: parsed.value, chain: chain as string[] });
}

/** Not verified yet: a chain is asked for as of this time, and the signature over it is checked right after. */
function claimedTime({ payload }: SignedEnvelope): number {
  try {
    const { time } = JSON.parse(Buffer.from(payload, 'base64').toString()) as JsonObject;
    return typeof time === 'string' ? Date.parse(time) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}

function readOrder(payload: JsonObject, by: string): Result<Order> {
  const { type, scope, domain, number, stop, reason, time } = payload;
  const known = ORDER_STOPS.find((each) => each === stop);
  const node = typeof scope === 'string' && scope.startsWith('node/') ? scope.slice(5) : undefined;
  const isShaped =
    type === PAYLOAD_TYPES.order &&
    known !== undefined &&
    typeof domain === 'string' &&
    Number.isSafeInteger(number) &&
    Number(number) > 0 &&
    typeof reason === 'string' &&
    typeof time === 'string' &&
    (scope === 'domain' || (node !== undefined && isNodeName(node)));
  if (!isShaped) return bad('expected an order of the known form, got another');
  const given = {
    domain,
    number: Number(number),
    stop: known,
    reason: reason.slice(0, SIGN_LIMITS.orderReasonChars),
    by,
    time,
  };
  return ok({ scope: node === undefined ? { kind: 'domain' } : { kind: 'node', node }, ...given });
}
