// Hosts are what is connected to a network without an agent of its own: hosts. What their first router knows of them, and
// what it finds when it asks them.

/** Somebody who was heard on a port, from the router's own memory. */
export type Host = {
  readonly ifname: string;
  readonly address: string;
  readonly mac: string;
};

/** A service that somebody on a port was seen to serve. */
export type Served = {
  readonly ifname: string;
  readonly address: string;
  readonly service: 'tcp' | 'udp';
  readonly port: number;
  readonly agoMs: number;
};

export type HostScanRequest = {
  readonly ports: readonly { readonly ifname: string; readonly addresses: readonly string[] }[];
  /** Also who is alive on the link, whatever its address. */
  readonly census: boolean;
};

/** What one port answered. */
export type HostPort = {
  readonly ifname: string;
  /** Who answered for an address; two MAC addresses are two hosts. */
  readonly answers: readonly { readonly address: string; readonly macs: readonly string[] }[];
  /** Those that answered an echo from `source`, an address off the link; absent when the node has none. */
  readonly echoed?: readonly string[];
  readonly source?: string;
  /** Whom the hosts asked for meanwhile. */
  readonly asks: readonly { readonly mac: string; readonly sender: string; readonly target: string }[];
  /** MAC addresses that were heard or answered an echo over IPv6; only of a census. */
  readonly alive?: readonly string[];
};

/** One try of a service: an echo, a TCP connection, or a datagram that a closed port refuses. */
export type ServiceProbe = {
  readonly destination: string;
  readonly service: 'echo' | 'tcp' | 'udp';
  readonly port?: number;
  /** Of echoes: handed to this neighbour on this interface, whichever way the node's own routing takes. */
  readonly via?: { readonly ifname: string; readonly mac: string };
  /** Of name servers: this name is asked for, instead of an empty question. */
  readonly record?: string;
  /** Of name servers: asked several times, with patience, and echoes beside it; how long each took is told. */
  readonly timed?: boolean;
};

/** Ports of services that everybody uses: names, pages. */
export const SERVICE_PORTS = [53, 80, 443, 8080] as const;

/** `answered`: anything came back, a refusal included; `open`: the service itself did; `found`: it knows the name that was asked for. */
export type ServiceProbeResult = ServiceProbe & {
  readonly sent: number;
  readonly answered: boolean;
  readonly open: boolean;
  readonly found?: boolean;
  /** How long each answer to a datagram took, and each echo beside it where both were asked for. */
  readonly tookMs?: readonly number[];
  readonly echoMs?: readonly number[];
};

/** A name that may be asked for: labels of RFC 1123, two at least, of 253 characters at most (RFC 1035 §2.3.4). */
export function isHostName(text: string): boolean {
  return (
    text.length <= 253 &&
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/.test(text)
  );
}
