// The tool `ietf-srv6-ping` (TS-15): N probes along a SID list, from this node to the reflector at the tail.
// Sends bounded traffic and leaves no state behind (TS-22).
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { ProbeRequest, ProbeResult, RouterPort } from '#model/router/router-port.ts';

/** The draft's default (TS-15); a verdict on loss asks for more. */
const DEFAULT_COUNT = 100;
const DEFAULT_INTERVAL_MS = 1;
const DEFAULT_PAYLOAD_BYTES = 64;
const DEFAULT_LINGER_MS = 300;

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    Head: { type: 'string', description: 'Name of the sending node at the head of the path' },
    Local: { type: 'string', description: 'Name of the sending node in the middle of the path' },
    Tail: { type: 'string', description: 'Name of the node at the tail' },
    'SID List': { type: 'array', items: { type: 'string' }, maxItems: LIMITS.probeSegments },
    Count: { type: 'integer', minimum: 1, maximum: LIMITS.probeCount, default: DEFAULT_COUNT },
    destination: { type: 'string', description: 'IPv6 address of the reflector at the tail' },
    source: { type: 'string', description: 'IPv6 address to send from' },
    segments: {
      type: 'array',
      items: { type: 'string' },
      maxItems: LIMITS.probeSegments,
      description: 'SIDs in the order they are visited; empty: a plain IPv6 probe',
    },
    intervalMs: {
      type: 'number',
      minimum: 1_000 / LIMITS.probesPerSecond,
      maximum: 1_000,
      default: DEFAULT_INTERVAL_MS,
    },
    payloadBytes: { type: 'integer', minimum: 32, maximum: LIMITS.probePayloadBytes, default: DEFAULT_PAYLOAD_BYTES },
    flows: {
      type: 'integer',
      minimum: 1,
      maximum: LIMITS.probeFlows,
      default: 1,
      description: 'UDP source ports that the probes use in turn',
    },
    trafficClass: {
      type: 'integer',
      minimum: 0,
      maximum: 255,
      description: 'DSCP and ECN of the probes (RFC 8200 §7)',
    },
    via: {
      type: 'object',
      properties: { ifname: { type: 'string' }, mac: { type: 'string' } },
      required: ['ifname', 'mac'],
      additionalProperties: false,
      description: 'Interface and MAC address of the neighbour that is handed the probes, whatever the routes say',
    },
    lingerMs: { type: 'integer', minimum: 0, maximum: 2_000, default: DEFAULT_LINGER_MS },
    train: {
      type: 'boolean',
      default: false,
      description: `All probes back to back, at most ${LIMITS.probeTrainBytes} bytes, and timed by the kernels on arrival`,
    },
  },
  required: ['destination', 'segments'],
};

const OUTPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    Tail: { type: 'string' },
    destination: { type: 'string' },
    segments: { type: 'array', items: { type: 'string' } },
    sent: { type: 'integer' },
    reflected: { type: 'integer', description: 'Probes that reached the tail (RFC 8762, stateful reflector)' },
    received: { type: 'integer' },
    duplicates: { type: 'integer' },
    lossPercent: { type: 'number', description: 'Round trip' },
    forwardLossPercent: { type: 'number' },
    reverseLossPercent: { type: 'number' },
    rttMs: { type: ['object', 'null'] },
    train: {
      type: 'object',
      description:
        'Microseconds from one probe of a train to the next: sent (sentUs), arrived at the tail (reachedUs), back here (returnedUs)',
    },
    sendErrors: { type: 'integer' },
    late: { type: 'integer', description: 'Came back after the linger: the tail or this node was busy' },
    reflectorRefused: { type: 'integer', description: 'Reached the tail and was not answered: its rate limit' },
  },
  required: ['destination', 'segments', 'sent', 'received'],
};

/** The tool over this node's RouterPort. */
export function srv6PingTool(router: RouterPort): ToolDefinition {
  return {
    name: 'ietf-srv6-ping',
    title: 'Probe a path',
    description: 'Sends probes along a SID list and tells forward loss, reverse loss and round-trip time apart.',
    capability: 'ietf-srv6-ping',
    mutability: 'probe',
    inputSchema: INPUT_SCHEMA,
    outputSchema: OUTPUT_SCHEMA,
    callers: ['node', 'operator', 'controller'],
    listing: 'extended',
    call: async (args, context) => {
      const request = requestOf(args);
      return resultOf(args, request, await router.probe(request, context.signal));
    },
  };
}

/** `args` have passed the input schema. */
function requestOf(args: JsonObject): ProbeRequest {
  const source = args['source'];
  return {
    destination: String(args['destination']),
    ...(typeof source === 'string' ? { source } : {}),
    segments: (args['segments'] as readonly string[]).map(String),
    count: Number(args['Count'] ?? DEFAULT_COUNT),
    intervalMs: Number(args['intervalMs'] ?? DEFAULT_INTERVAL_MS),
    payloadBytes: Number(args['payloadBytes'] ?? DEFAULT_PAYLOAD_BYTES),
    ...(args['flows'] === undefined ? {} : { flows: Number(args['flows']) }),
    ...(args['trafficClass'] === undefined ? {} : { trafficClass: Number(args['trafficClass']) }),
    ...(isJsonObject(args['via'])
      ? { via: { ifname: String(args['via']['ifname']), mac: String(args['via']['mac']) } }
      : {}),
    lingerMs: Number(args['lingerMs'] ?? DEFAULT_LINGER_MS),
    ...(args['train'] === true ? { train: true } : {}),
  };
}

function resultOf(args: JsonObject, request: ProbeRequest, probed: ProbeResult): JsonObject {
  const named = Object.fromEntries(
    ['Head', 'Local', 'Tail', 'SID List'].flatMap((key) => (key in args ? [[key, args[key]!]] : [])),
  );
  const reflected = probed.reflected;
  return {
    ...named,
    destination: request.destination,
    segments: [...request.segments],
    sent: probed.sent,
    received: probed.received,
    duplicates: probed.duplicates,
    sendErrors: probed.sendErrors,
    ...(probed.sendErrorReason === undefined ? {} : { sendErrorReason: probed.sendErrorReason }),
    ...(probed.late === undefined ? {} : { late: probed.late }),
    ...(probed.reflectorRefused === undefined ? {} : { reflectorRefused: probed.reflectorRefused }),
    rttMs: probed.rttMs,
    ...(probed.train === undefined ? {} : { train: { ...probed.train } }),
    lossPercent: percent(probed.sent - probed.received, probed.sent),
    ...(reflected === undefined
      ? {}
      : {
          reflected,
          forwardLossPercent: percent(probed.sent - reflected, probed.sent),
          reverseLossPercent: percent(reflected - probed.received, reflected),
        }),
  };
}

/** Percent with three decimals; 0 of 0 is 0. */
function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((Math.max(0, part) / whole) * 100_000) / 1_000;
}
