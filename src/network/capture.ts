// The tool `parley-capture`: a bounded packet capture on one interface, as PCAP. Ends by itself and leaves nothing behind (TS-22).
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { ToolOffer } from '#model/offer.ts';
import type { CaptureFilter, RouterPort } from '#model/router-port.ts';

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    interface: { type: 'string', minLength: 1, maxLength: 64 },
    filter: { enum: ['srv6', 'udp-port', 'tcp-port'], default: 'srv6' },
    port: { type: 'integer', minimum: 1, maximum: 65_535 },
    packetCount: { type: 'integer', minimum: 1, maximum: LIMITS.capturePackets, default: 20 },
    timeoutMs: { type: 'integer', minimum: 1, maximum: LIMITS.captureMs, default: 2_000 },
  },
  required: ['interface'],
};

export function captureOffer(router: RouterPort): ToolOffer {
  return {
    name: 'parley-capture',
    title: 'Packet capture',
    description: 'Captures a bounded number of packets on one interface as base64 PCAP.',
    capability: 'parley-capture',
    mutability: 'probe',
    inputSchema: INPUT_SCHEMA,
    outputSchema: { type: 'object', required: ['pcap', 'packets', 'truncated'] },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const captured = await router.capture(
        {
          ifname: String(args['interface']),
          filter: filterOf(args),
          packetCount: Number(args['packetCount'] ?? 20),
          timeoutMs: Number(args['timeoutMs'] ?? 2_000),
        },
        context.signal,
      );
      return {
        pcap: Buffer.from(captured.pcap).toString('base64'),
        packets: captured.packets,
        truncated: captured.truncated,
      };
    },
  };
}

function filterOf(args: JsonObject): CaptureFilter {
  const kind = args['filter'] ?? 'srv6';
  if (kind !== 'udp-port' && kind !== 'tcp-port') return { kind: 'srv6' };
  if (typeof args['port'] === 'number') return { kind, port: args['port'] };
  throw new ParleyError('caller/bad-argument', `expected a port with the filter ${kind}, came none`);
}
