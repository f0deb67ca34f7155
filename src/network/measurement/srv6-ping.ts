// The tool `ietf-srv6-ping` (TS-15): N probes along a SID list, from this node to the reflector at the tail.
// Sends bounded traffic and leaves no state behind (TS-22).
import * as z from 'zod';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { CallContext, ToolDefinition } from '#model/definition.ts';
import { costOfProbe } from '#model/links/probe-cost.ts';
import { probeRequest } from '#model/router/probe-schema.ts';
import type { ProbeRequest, ProbeResult, RouterPort } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { argumentSchema } from '#model/wire/json-schema.ts';
import { type NamedWay, noWay, type ProbeWay } from './named-way.ts';
import { questionOf } from './probe-key.ts';

/** The draft's default (TS-15); a verdict on loss asks for more. */
const DEFAULT_COUNT = 100;
const DEFAULT_INTERVAL_MS = 1;
const DEFAULT_PAYLOAD_BYTES = 64;
const DEFAULT_LINGER_MS = 300;

const SID_LIST = 'SID List';
const { shape } = probeRequest;

/** The draft's own argument names begin with a capital letter; an unknown argument of a newer peer is passed over. */
const pingArguments = z.object({
  Head: z.string().meta({ description: 'Name of the sending node at the head of the path' }).exactOptional(),
  Local: z.string().meta({ description: 'Name of the sending node in the middle of the path' }).exactOptional(),
  Tail: z.string().meta({ description: 'Name of the node at the tail' }).exactOptional(),
  [SID_LIST]: z.array(z.string()).max(LIMITS.probeSegments).meta({ description: 'Names of the SIDs' }).exactOptional(),
  Count: shape.count.default(DEFAULT_COUNT).meta({ description: 'Probes' }),
  destination: shape.destination
    .meta({
      description: 'Address of the reflector at the tail; absent: this node finds it, and the SIDs, by the names',
    })
    .exactOptional(),
  source: shape.source.meta({ description: 'Address to send from, of the same family' }),
  segments: shape.segments
    .meta({ description: 'SIDs in the order they are visited; empty: a plain probe' })
    .exactOptional(),
  intervalMs: shape.intervalMs.default(DEFAULT_INTERVAL_MS).meta({ description: 'Between two probes' }),
  payloadBytes: shape.payloadBytes.default(DEFAULT_PAYLOAD_BYTES).meta({ description: 'Of a probe' }),
  eachPayloadBytes: shape.eachPayloadBytes.meta({
    description: 'Payloads of the probes in turn, in place of payloadBytes',
  }),
  flows: shape.flows.meta({ description: 'UDP source ports that the probes use in turn; 1 when absent' }),
  trafficClass: shape.trafficClass.meta({ description: 'DSCP and ECN of the probes (RFC 8200 §7)' }),
  via: shape.via.meta({
    description: 'Interface and MAC address of the neighbour that is handed the probes, whatever the routes are',
  }),
  lingerMs: shape.lingerMs.default(DEFAULT_LINGER_MS).meta({ description: 'Wait for the last answers' }),
  train: shape.train.meta({
    description: `All probes back to back, at most ${LIMITS.probeTrainBytes} bytes, and timed by the kernels on arrival`,
  }),
});

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
    lostPayloadBytes: {
      type: 'array',
      items: { type: 'integer' },
      description: 'Where lengths were asked for: payloads of the probes that did not come back',
    },
    sendErrors: { type: 'integer' },
    late: { type: 'integer', description: 'Came back after the linger: the tail or this node was busy' },
    reflectorRefused: { type: 'integer', description: 'Reached the tail and was not answered: its rate limit' },
  },
  required: ['destination', 'segments', 'sent', 'received'],
};

/** The tool over this node's RouterPort. `wayOf`: addresses and SIDs of named nodes; absent where no other node is known. */
export function srv6PingTool(
  router: RouterPort,
  wayOf?: (named: NamedWay, context: CallContext) => Promise<ProbeWay>,
): ToolDefinition {
  return {
    name: 'ietf-srv6-ping',
    title: 'Probe a path',
    description: 'Sends probes along a SID list and tells forward loss, reverse loss and round-trip time apart.',
    capability: 'ietf-srv6-ping',
    mutability: 'probe',
    inputSchema: argumentSchema(pingArguments),
    outputSchema: OUTPUT_SCHEMA,
    callers: ['node', 'operator', 'controller'],
    listing: 'extended',
    probes: (args) => costOfProbe(requestOf(args, likelyWay(args))),
    call: async (args, context) => {
      const named = namedWay(args);
      if (named !== undefined && wayOf === undefined)
        throw noWay('expected destination and segments, got names of nodes');
      const way = named === undefined ? undefined : await wayOf!(named, context);
      const request = { ...requestOf(args, way), ...questionOf(context) };
      return resultOf(args, request, await router.probe(request, context.signal));
    },
  };
}

/** The draft's own form, without addresses. Throws where neither it nor ours is whole. */
function namedWay(args: JsonObject): NamedWay | undefined {
  const { Tail: tail, destination, segments, [SID_LIST]: sidList = [] } = checked(pingArguments, args);
  if (destination !== undefined && segments !== undefined) return undefined;
  if (destination === undefined && segments === undefined && tail !== undefined) return { tail, sidList };
  throw new ParleyError(
    'caller/bad-argument',
    'expected destination and segments, or neither and Tail, got a part of them',
  );
}

/** As many SIDs as names, for the cost of what is sent before it is known where to. */
function likelyWay(args: JsonObject): ProbeWay | undefined {
  const named = namedWay(args);
  if (named === undefined) return undefined;
  return { destination: '2001:db8::', segments: named.sidList.map((_, index) => `2001:db8::${index + 1}`) };
}

function requestOf(args: JsonObject, way?: ProbeWay): ProbeRequest {
  const { Head: _head, Local: _local, Tail: _tail, [SID_LIST]: _sids, Count, ...rest } = checked(pingArguments, args);
  return checked(probeRequest, { ...rest, ...way, count: Count });
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
    ...(probed.lostPayloadBytes === undefined ? {} : { lostPayloadBytes: [...probed.lostPayloadBytes] }),
    ...(probed.untestedPayloadBytes === undefined ? {} : { untestedPayloadBytes: [...probed.untestedPayloadBytes] }),
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
