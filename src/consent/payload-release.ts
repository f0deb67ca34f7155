// Decides, in the process that captures, whether payloads of packets leave it (TS-32): an admin of the domain has signed a consent to this capture
// of this node, minutes ago, and it was not used before. Trusts nothing but the signature.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { DEFAULT_CAPTURE, PAYLOAD_TOOL, type PayloadRelease } from '#model/consent.ts';
import type { CaptureRequest } from '#model/router/router-port.ts';
import { canonicalSha256 } from '#sign/digest.ts';
import { approvalOf, badConsent, consentIdOf, type ReleaseParts, usingConsent } from './admin-decision.ts';

export function createPayloadRelease(parts: ReleaseParts): PayloadRelease {
  return async (request, signed, capture) => {
    const { by, consent, signedMs } = approvalOf(parts, signed);
    const id = consentIdOf(consent);
    const fault = differenceFrom(parts, request, consent);
    if (fault !== undefined) throw badConsent(fault);
    const captured = await usingConsent(parts, { id, signedMs }, capture);
    parts.log.info('payloads of packets were let out', { consent: id, agreedBy: by, interface: request.ifname });
    return captured;
  };
}

/** What of the signed consent is not about this capture; undefined when it is about exactly this one. */
function differenceFrom(
  { node, clock }: ReleaseParts,
  request: Omit<CaptureRequest, 'decision'>,
  consent: JsonObject,
): string | undefined {
  const args = consent['arguments'];
  if (consent['node'] !== node) return `expected a consent for node ${node}, got one for another`;
  if (consent['tool'] !== PAYLOAD_TOOL || args === undefined || !isJsonObject(args) || args['payload'] !== true)
    return 'expected a consent to a capture with payloads, got another';
  if (canonicalSha256(capturedBy(args)) !== canonicalSha256({ ...request, filter: { ...request.filter } }))
    return 'expected a consent to this capture, got one to another interface, filter, number or time';
  const expires = consent['expires'];
  const expiresMs = typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  // The agent's clock made this time, and may be off by as much as a signer's.
  if (!(clock.nowMs() < expiresMs + LIMITS.consentSkewMs)) return 'expected a consent that is in force, it has expired';
  return undefined;
}

/** The request that `tcpdump` makes of the arguments that the admin read. */
function capturedBy(args: JsonObject): JsonObject {
  const { interface: ifname, protocol, port, count, seconds } = args;
  const kind = { srv6: 'srv6', tcp: 'tcp-port', udp: 'udp-port' }[String(protocol)] ?? '';
  return {
    ifname: ifname ?? '',
    filter: kind === 'srv6' ? { kind } : { kind, port: port ?? 0 },
    packetCount: count ?? DEFAULT_CAPTURE.count,
    timeoutMs: Number(seconds ?? DEFAULT_CAPTURE.seconds) * 1_000,
  };
}
