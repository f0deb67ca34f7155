// What one frame says of how hosts get their addresses (RFC 2131): what a server offers, that a client asks, or takes an offer, and that a
// host reports that no process listens on its DHCP port (ICMP, RFC 792). Reads nothing of who the client is. Total.
import { decodeMessage } from '#codec/dhcp.ts';
import type { DhcpSign } from '#model/router/dhcp-history.ts';
import { IP_AT, payloadStart, UDP } from './ip-frames.ts';

const ICMP = 1;
const [SOURCE_AT, TARGET_AT] = [12, 16];
const [ICMP_BYTES, UDP_BYTES] = [8, 8];
const SERVER_PORT = 67;
const UNSPECIFIED = '0.0.0.0';
const BROADCAST = '255.255.255.255';

type Sign<S = DhcpSign> = S extends DhcpSign ? Omit<S, 'ifname'> : never;

export function dhcpSignIn(frame: Uint8Array): Sign | undefined {
  const payloadAt = payloadStart(frame);
  if (payloadAt === undefined || frame.length < payloadAt + UDP_BYTES) return undefined;
  const from = addressAt(frame, IP_AT + SOURCE_AT);
  const protocol = frame[IP_AT + 9];
  if (protocol === ICMP) return refusalIn(frame.subarray(payloadAt), from);
  if (protocol !== UDP) return undefined;
  const sourcePort = frame[payloadAt]! * 256 + frame[payloadAt + 1]!;
  const message = decodeMessage(frame.subarray(payloadAt + UDP_BYTES));
  if (message === undefined) return undefined;
  const { kind, transaction, address, server, mask, routers, names } = message;
  const gateway = message.link ?? message.gateway;
  // Without a relay it is for a host of this link, unless it renews a lease of a host on another link (RFC 2131 §4.3.2).
  const isNear = gateway !== UNSPECIFIED || kind === 'offer' || addressAt(frame, IP_AT + TARGET_AT) === BROADCAST;
  if ((kind === 'offer' || (kind === 'ack' && isNear)) && sourcePort === SERVER_PORT && address !== UNSPECIFIED)
    return {
      ...{ what: 'offered', from, server: server ?? from, address, routers, names },
      ...(mask === undefined ? {} : { mask }),
      ...(gateway === UNSPECIFIED ? {} : { gateway }),
    };
  // What a relay passes on was its clients' on their own port.
  if (sourcePort === SERVER_PORT) return undefined;
  if (kind === 'discover') return { what: 'asked', transaction };
  return kind === 'request' && server !== undefined ? { what: 'chosen', transaction, server } : undefined;
}

/** Port unreachable, by the very host that was asked. */
function refusalIn(icmp: Uint8Array, from: string): Sign | undefined {
  const asked = icmp.subarray(ICMP_BYTES);
  const portAt = (asked[0]! & 0x0f) * 4 + 2;
  if (icmp[0] !== 3 || icmp[1] !== 3 || asked.length < portAt + 2 || asked[9] !== UDP) return undefined;
  const port = asked[portAt]! * 256 + asked[portAt + 1]!;
  return port === SERVER_PORT && addressAt(asked, TARGET_AT) === from ? { what: 'refused', server: from } : undefined;
}

function addressAt(bytes: Uint8Array, at: number): string {
  return bytes.subarray(at, at + 4).join('.');
}
