// The tool `parley-capture`: a bounded packet capture on one interface, as PCAP. Ends by itself and leaves nothing behind (TS-22).
// Neighbours see probes and openings of BGP sessions, never customers' packets: everything else is for people and their controllers.
import { ParleyError } from '#base/error.ts';
import { withoutPayloads } from '#codec/pcap-headers.ts';
import { type ToolDefinition, WIRE_CODES } from '#model/definition.ts';
import { captureArguments } from '#model/router/probe-schema.ts';
import type { CaptureFilter, RouterPort } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import type { Wire } from '#model/wire/fields.ts';
import { argumentSchema } from '#model/wire/json-schema.ts';

/** RFC 4271. */
const BGP_PORT = 179;

export function captureTool(router: RouterPort): ToolDefinition {
  return {
    name: 'parley-capture',
    title: 'Packet capture',
    description: 'Captures a bounded number of packets on one interface as base64 PCAP.',
    capability: 'parley-capture',
    mutability: 'probe',
    inputSchema: argumentSchema(captureArguments),
    outputSchema: { type: 'object', required: ['pcap', 'packets', 'truncated'] },
    callers: ['node', 'operator', 'controller'],
    listing: 'agents',
    call: async (args, context) => {
      const asked = checked(captureArguments, args);
      const filter = filterOf(asked);
      if (context.caller.kind === 'node' && !forNeighbours(filter)) throw probesOnly(filter);
      const captured = await router.capture(
        {
          ifname: await interfaceOf(router, asked.interface, context.signal),
          filter,
          packetCount: asked.packetCount,
          timeoutMs: asked.timeoutMs,
        },
        context.signal,
      );
      return {
        // Our own probes carry no data of customers; of all other packets the payloads are left out (TS-32).
        pcap: Buffer.from(filter.kind === 'probe' ? captured.pcap : withoutPayloads(captured.pcap)).toString('base64'),
        packets: captured.packets,
        truncated: captured.truncated,
      };
    },
  };
}

/** A name of the inventory: nothing else reaches the program that captures. */
export async function interfaceOf(router: RouterPort, name: string, signal: AbortSignal): Promise<string> {
  const { interfaces } = await router.counters(signal);
  if (interfaces.some((entry) => entry.name === name)) return name;
  throw new ParleyError('caller/bad-argument', `expected an interface of this node, got ${name}`);
}

/** Probes are ours, and the packets that open or refuse a BGP session carry no data. */
function forNeighbours(filter: CaptureFilter): boolean {
  return filter.kind === 'probe' || (filter.kind === 'handshake' && filter.port === BGP_PORT);
}

function probesOnly(filter: CaptureFilter): ParleyError {
  return new ParleyError(
    'caller/refused',
    `expected the filter probe, or handshake of port ${BGP_PORT}, from a node, got ${filter.kind}`,
    {
      data: { wireCode: WIRE_CODES.accessDenied, wireMessage: 'Network.AccessDenied' },
    },
  );
}

function filterOf({ filter: kind, port }: Wire<typeof captureArguments>): CaptureFilter {
  if (kind === 'probe' || kind === 'srv6') return { kind };
  if (port !== undefined) return { kind, port };
  throw new ParleyError('caller/bad-argument', `expected a port with the filter ${kind}, got none`);
}
