// The tool `tcpdump` (TS-3): a bounded capture in words that operators use. The filter is made of typed fields, never of text;
// the capture ends by itself, by cancellation, or with the connection, and leaves nothing behind (TS-22).
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { withoutPayloads } from '#codec/pcap-headers.ts';
import type { ConsentAnswer, ConsentGate } from '#model/consent.ts';
import { DEFAULT_CAPTURE, PAYLOAD_TOOL, REFUSED_FOR_GOOD } from '#model/consent.ts';
import type { CallContext, ToolDefinition } from '#model/definition.ts';
import type { CaptureFilter, RouterPort } from '#model/router/router-port.ts';
import { askAdmin } from '../configuration/ask-admin.ts';
import { noConsent } from '../configuration/change.ts';
import { interfaceOf } from './capture.ts';

/**
 * Payloads are data of customers (TS-32, level 3): left out unless an admin has signed a consent to exactly this capture, whatever the settings.
 * The privileged helper cuts them off and verifies the signature itself; they are cut here as well, for devices without a helper.
 */
export function tcpdumpTool(router: RouterPort, consent: ConsentGate | undefined): ToolDefinition {
  return {
    name: 'tcpdump',
    title: 'Packet capture',
    description: 'Captures a few packets on one interface: SRv6, or one TCP or UDP port. Answers base64 PCAP.',
    capability: 'tcpdump',
    mutability: 'probe',
    inputSchema: {
      type: 'object',
      properties: {
        interface: { type: 'string', minLength: 1, maxLength: 64, description: 'Name of an interface of this node' },
        protocol: { enum: ['srv6', 'tcp', 'udp'], description: 'What is captured' },
        port: { type: 'integer', minimum: 1, maximum: 65_535, description: 'For tcp and udp' },
        count: {
          type: 'integer',
          minimum: 1,
          maximum: LIMITS.capturePackets,
          default: DEFAULT_CAPTURE.count,
          description: 'Most packets',
        },
        payload: { type: 'boolean', default: false, description: 'Payloads too; needs consent' },
        seconds: {
          type: 'integer',
          minimum: 1,
          maximum: LIMITS.captureMs / 1_000,
          default: DEFAULT_CAPTURE.seconds,
          description: 'Longest time',
        },
      },
      required: ['interface', 'protocol'],
      if: { properties: { protocol: { enum: ['tcp', 'udp'] } } },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword
      then: { required: ['port'] },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        pcap: { type: 'string', description: 'base64' },
        packets: { type: 'integer' },
        truncated: { type: 'boolean' },
      },
      required: ['pcap', 'packets', 'truncated'],
    },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const { signal, progress } = context;
      const ifname = await interfaceOf(router, String(args['interface']), signal);
      const wantsPayload = args['payload'] === true;
      const agreed = wantsPayload ? await askForPayload(consent, args, context) : undefined;
      const timeoutMs = Number(args['seconds'] ?? DEFAULT_CAPTURE.seconds) * 1_000;
      progress(0, 1, `capturing for at most ${timeoutMs / 1_000} s`);
      const request = {
        ifname,
        filter: filterOf(args),
        packetCount: Number(args['count'] ?? DEFAULT_CAPTURE.count),
        timeoutMs,
        ...(agreed?.decision === undefined ? {} : { decision: agreed.decision }),
      };
      const captured = await router.capture(request, signal).catch(async (error) => {
        // The helper, which verifies it again, sees to it that a signature counts once. Where its answer was lost it says only at the next call that
        // the consent was used: it is not given back then, or no other could be asked for.
        if (!(error instanceof ParleyError && REFUSED_FOR_GOOD.includes(error.code))) await agreed?.giveBack?.();
        throw error;
      });
      return {
        pcap: Buffer.from(wantsPayload ? captured.pcap : withoutPayloads(captured.pcap)).toString('base64'),
        packets: captured.packets,
        truncated: captured.truncated,
      };
    },
  };
}

async function askForPayload(
  consent: ConsentGate | undefined,
  args: JsonObject,
  context: CallContext,
): Promise<Extract<ConsentAnswer, { granted: true }>> {
  const summary = `payloads of packets on ${String(args['interface'])}`;
  const shared = { caller: context.caller, tool: PAYLOAD_TOOL, arguments: args, summary, tag: 'payload' };
  const request = { ...shared, rollbackMs: 0, signed: true as const };
  const answer = consent === undefined ? NO_CONSENT : (await askAdmin(consent, context, request)).answer;
  if (!answer.granted) throw noConsent(answer);
  return answer;
}

const NO_CONSENT = { granted: false, reason: 'this node has no way to give consent' } as const;

function filterOf(args: JsonObject): CaptureFilter {
  if (args['protocol'] === 'srv6') return { kind: 'srv6' };
  return { kind: args['protocol'] === 'tcp' ? 'tcp-port' : 'udp-port', port: Number(args['port']) };
}
