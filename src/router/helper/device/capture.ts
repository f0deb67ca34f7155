// One bounded packet capture by tcpdump: packets, bytes and time are limited, and the child never outlives this process,
// whatever kills it (TS-22). The filter comes from a closed set, never from a caller's text.
import { spawn } from 'node:child_process';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Capture, CaptureFilter, CaptureRequest } from '#model/router/router-port.ts';
import { isInterface } from '../../native/addresses.ts';
import { HELPER_LIMITS } from '../limits.ts';

const PCAP_HEADER_BYTES = 24;
const PACKET_HEADER_BYTES = 16;
const SNAP_BYTES = 512;
/** Ethernet, IPv6, an SRH of three segments, IPv6 and UDP. */
const PROBE_SNAP_BYTES = 160;

export function filterExpression(filter: CaptureFilter, probePort: number): string {
  switch (filter.kind) {
    case 'probe':
      return probeExpression(probePort);
    case 'handshake':
      return handshakeExpression(filter.port);
    case 'srv6':
      return 'ip6 proto 43';
    case 'udp-port':
      return `udp port ${filter.port}`;
    case 'tcp-port':
      return `tcp port ${filter.port}`;
  }
}

/**
 * The flow of probes alone, plain or behind a segment routing header: IPv6, routing header with IPv6 next to it, and in that UDP
 * to our port. Offsets are octets from the start of the outer IPv6 header; octet 41 is the routing header's length in units of eight.
 */
function probeExpression(port: number): string {
  const inner = '(ip6[41] + 1) * 8';
  const inside = `ip6[40] = 41 and ip6[${inner} + 46] = 17 and ip6[${inner} + 82 : 2] = ${port}`;
  return `(ip6 and udp port ${port}) or (ip6 proto 43 and ${inside})`;
}

/** SYN is 2 and RST is 4 of the flags, octet 13 of the TCP header; tcpdump reads `tcp[…]` of IPv4 alone. */
function handshakeExpression(port: number): string {
  return `tcp port ${port} and ((ip and tcp[13] & 6 != 0) or (ip6 and ip6[6] = 6 and ip6[53] & 6 != 0))`;
}

/**
 * Arguments of the child. `-Z root` keeps tcpdump from changing its user, which would clear the parent-death signal that
 * setpriv has set; it writes packets without dissecting them, so there is no parser to confine.
 */
export function captureCommand(request: CaptureRequest, probePort: number): readonly string[] {
  const snapBytes = ['probe', 'handshake'].includes(request.filter.kind) ? PROBE_SNAP_BYTES : SNAP_BYTES;
  const options = ['-Z', 'root', '-n', '-p', '--immediate-mode', '-U', '-s', String(snapBytes), '-w', '-'];
  return [
    '--pdeathsig',
    'KILL',
    'tcpdump',
    ...options,
    '-c',
    String(request.packetCount),
    '-i',
    request.ifname,
    filterExpression(request.filter, probePort),
  ];
}

/** Ends with the last packet asked for, with the time, or with the bytes; `started` is called when tcpdump listens. */
export async function capturePackets(
  request: CaptureRequest,
  probePort: number,
  started: () => void,
  signal: AbortSignal,
): Promise<Capture> {
  if (!(await isInterface(request.ifname)))
    throw new ParleyError('caller/bad-argument', `expected an interface of this node, got ${request.ifname}`);
  return new Promise((resolve, reject) => {
    const child = spawn('setpriv', captureCommand(request, probePort), { stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    let byteCount = 0;
    let said = '';
    let listening = false;
    let timer: NodeJS.Timeout | undefined;
    const stop = () => child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();

    child.on('error', (error) => {
      said = messageOf(error);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-2_000);
      if (listening || !said.includes('listening on')) return;
      listening = true;
      timer = setTimeout(stop, request.timeoutMs);
      started();
    });
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      byteCount += chunk.length;
      if (byteCount > HELPER_LIMITS.captureBytes) stop();
    });
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (signal.aborted) return reject(signal.reason);
      if (!listening) {
        return reject(
          new ParleyError(
            'node/capture-failed',
            `expected tcpdump to listen, got exit code ${exitCode}: ${lastLine(said)}`,
          ),
        );
      }
      resolve(wholePackets(Buffer.concat(chunks), HELPER_LIMITS.captureBytes));
    });
  });
}

/** Cuts a little-endian or big-endian PCAP file behind its last whole packet within `mostBytes`. */
export function wholePackets(pcap: Uint8Array, mostBytes: number): Capture {
  if (pcap.length < PCAP_HEADER_BYTES) return { pcap: new Uint8Array(0), packets: 0, truncated: false };
  const view = new DataView(pcap.buffer, pcap.byteOffset, pcap.byteLength);
  const littleEndian = view.getUint8(0) === 0xd4;
  let end = PCAP_HEADER_BYTES;
  let packets = 0;
  while (end + PACKET_HEADER_BYTES <= pcap.length) {
    const next = end + PACKET_HEADER_BYTES + view.getUint32(end + 8, littleEndian);
    if (next > pcap.length || next > mostBytes) break;
    end = next;
    packets += 1;
  }
  return { pcap: new Uint8Array(pcap.subarray(0, end)), packets, truncated: pcap.length > end };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
}
