// The tools `ping`, `traceroute` and `tracepath` (TS-3, TS-27): bounded ICMP echoes with progress for each answer, ended by the
// caller's cancellation. traceroute raises the hop limit; tracepath also finds where the path's MTU shrinks.
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { CallContext, ToolDefinition } from '#model/definition.ts';
import { costOfEchoes, costOfTrace } from '#model/links/probe-cost.ts';
import type { DevicePort, EchoReply, EchoRequest } from '#model/router/device-port.ts';
import { NETWORK_LIMITS } from '../limits.ts';

/** The troubleshooting draft's default. */
const PING_COUNT = 5;
const TRACE_HOPS = 16;
const INTERVAL_MS = 200;
const PAYLOAD_BYTES = 56;
/** IP and ICMP headers around the payload. */
const IPV4_HEADERS = 28;
const IPV6_HEADERS = 48;
const LARGEST_MTU = 9_000;
const SMALLEST_MTU = 576;

const ADDRESS = { type: 'string', minLength: 2, maxLength: 45 };
const WHERE: JsonObject = {
  destination: { ...ADDRESS, description: 'IPv4 or IPv6 address' },
  source: { ...ADDRESS, description: 'An address of this node; its own choice without it' },
  vrf: { type: 'string', minLength: 1, maxLength: 15, description: 'Name of a VRF of this node' },
};
const HOPS: JsonObject = {
  type: 'integer',
  minimum: 1,
  maximum: NETWORK_LIMITS.traceHops,
  default: TRACE_HOPS,
  description: 'Most routers on the way',
};
const HOP_LIST: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      hop: { type: 'integer' },
      address: { type: 'string' },
      outcome: { type: 'string' },
      rttMs: { type: 'number' },
    },
    required: ['hop', 'outcome'],
  },
};
const CALLERS: ToolDefinition['callers'] = ['node', 'operator', 'controller'];

export function echoTools(device: DevicePort): readonly ToolDefinition[] {
  return [pingTool(device), traceTool(device), pathTool(device)];
}

function pingTool(device: DevicePort): ToolDefinition {
  return {
    name: 'ping',
    title: 'Ping',
    description: 'Sends ICMP echo requests; answers loss and round-trip times.',
    capability: 'ping',
    mutability: 'probe',
    inputSchema: schema({
      count: {
        type: 'integer',
        minimum: 1,
        maximum: LIMITS.echoCount,
        default: PING_COUNT,
        description: 'Echo requests',
      },
      size: {
        type: 'integer',
        minimum: 0,
        maximum: LIMITS.echoPayloadBytes,
        default: PAYLOAD_BYTES,
        description: 'Bytes of payload',
      },
      dontFragment: { type: 'boolean', default: false, description: 'Larger packets are dropped, not cut' },
    }),
    outputSchema: {
      type: 'object',
      properties: {
        loss: { type: 'number', description: 'Percent' },
        rtt: {
          type: ['object', 'null'],
          properties: { min: { type: 'number' }, avg: { type: 'number' }, max: { type: 'number' } },
        },
        sent: { type: 'integer' },
        received: { type: 'integer' },
        errors: { type: 'array', items: { type: 'object' } },
      },
      required: ['loss', 'rtt'],
    },
    callers: CALLERS,
    probes: (args) => costOfEchoes(pingOf(args)),
    call: async (args, context) => {
      const request = pingOf(args);
      let seen = 0;
      const each = (reply: EchoReply) => context.progress(++seen, request.count, describe(reply));
      const { sent, replies } = await device.echo(request, each, context.signal);
      return { ...summary(sent, replies), sent, received: answered(replies).length, errors: errorsOf(replies) };
    },
  };
}

function traceTool(device: DevicePort): ToolDefinition {
  return {
    name: 'traceroute',
    title: 'Traceroute',
    description: 'Names the routers on the way to a destination.',
    capability: 'traceroute',
    mutability: 'probe',
    inputSchema: schema({ hops: HOPS }),
    outputSchema: {
      type: 'object',
      properties: { hops: HOP_LIST, reached: { type: 'boolean' } },
      required: ['hops', 'reached'],
    },
    callers: CALLERS,
    probes: (args) => costOfTrace({ hops: hopsOf(args), findsMtu: false }),
    call: async (args, context) => trace(device, requestOf(args), hopsOf(args), context),
  };
}

function pathTool(device: DevicePort): ToolDefinition {
  return {
    name: 'tracepath',
    title: 'Trace the path and its MTU',
    description: 'Names the routers on the way, the largest packet that arrives whole, and where it shrinks.',
    capability: 'tracepath',
    mutability: 'probe',
    inputSchema: schema({ hops: HOPS }),
    outputSchema: {
      type: 'object',
      properties: {
        hops: HOP_LIST,
        reached: { type: 'boolean' },
        pathMtu: { type: ['integer', 'null'] },
        shrinksAt: { type: 'string' },
      },
      required: ['hops', 'reached', 'pathMtu'],
    },
    callers: CALLERS,
    probes: (args) => costOfTrace({ hops: hopsOf(args), findsMtu: true }),
    call: async (args, context) => {
      const request = requestOf(args);
      const traced = await trace(device, request, hopsOf(args), context);
      if (!traced.reached) return { ...traced, pathMtu: null };
      return { ...traced, ...(await findMtu(device, request, context)) };
    },
  };
}

type Traced = { readonly hops: readonly JsonObject[]; readonly reached: boolean };

async function trace(
  device: DevicePort,
  request: EchoRequest,
  hopCount: number,
  context: CallContext,
): Promise<Traced> {
  const hops: JsonObject[] = [];
  for (let ttl = 1; ttl <= hopCount; ttl++) {
    const { replies } = await device.echo({ ...request, count: 1, ttl }, () => {}, context.signal);
    const reply = replies[0];
    const hop: JsonObject = reply
      ? {
          hop: ttl,
          address: reply.from,
          outcome: reply.outcome,
          ...(reply.rttMs === undefined ? {} : { rttMs: reply.rttMs }),
        }
      : { hop: ttl, outcome: 'no-answer' };
    hops.push(hop);
    context.progress(ttl, hopCount, `${ttl}: ${reply?.from ?? '*'}`);
    if (reply?.outcome === 'reply') return { hops, reached: true };
    if (reply?.outcome === 'unreachable') break;
  }
  return { hops, reached: false };
}

/** Asks with the don't-fragment bit; follows what routers say of their next link, and bisects where they are silent. */
async function findMtu(
  device: DevicePort,
  request: EchoRequest,
  context: CallContext,
): Promise<{ pathMtu: number | null; shrinksAt?: string }> {
  const headers = request.destination.includes(':') ? IPV6_HEADERS : IPV4_HEADERS;
  let fits = SMALLEST_MTU;
  let tooBig = LARGEST_MTU + 1;
  let next = LARGEST_MTU;
  let shrinksAt: string | undefined;
  while (tooBig - fits > 1) {
    const probe = { ...request, count: 1, payloadBytes: next - headers, dontFragment: true };
    const { replies } = await device.echo(probe, () => {}, context.signal);
    const reply =
      replies.find(({ outcome }) => outcome === 'reply') ?? replies.find(({ outcome }) => outcome === 'too-big');
    context.progress(LARGEST_MTU - (tooBig - fits), LARGEST_MTU, `${next} bytes: ${reply?.outcome ?? 'no answer'}`);
    if (reply?.outcome === 'reply') fits = next;
    else {
      tooBig = next;
      if (reply?.outcome === 'too-big') shrinksAt = reply.from;
      if (reply?.mtu !== undefined && reply.mtu < tooBig && reply.mtu > fits) {
        next = reply.mtu;
        continue;
      }
    }
    next = (fits + tooBig) >> 1;
  }
  return { pathMtu: fits, ...(shrinksAt === undefined ? {} : { shrinksAt }) };
}

function schema(more: JsonObject): JsonObject {
  return { type: 'object', properties: { ...WHERE, ...more }, required: ['destination'], additionalProperties: false };
}

function requestOf(args: JsonObject): EchoRequest {
  const text = (name: 'source' | 'vrf') => (typeof args[name] === 'string' ? { [name]: args[name] } : {});
  return {
    destination: String(args['destination']),
    ...text('source'),
    ...text('vrf'),
    count: 1,
    intervalMs: INTERVAL_MS,
    payloadBytes: PAYLOAD_BYTES,
    dontFragment: false,
  };
}

function pingOf(args: JsonObject): EchoRequest {
  return {
    ...requestOf(args),
    count: Number(args['count'] ?? PING_COUNT),
    payloadBytes: Number(args['size'] ?? PAYLOAD_BYTES),
    dontFragment: args['dontFragment'] === true,
  };
}

function hopsOf(args: JsonObject): number {
  return Number(args['hops'] ?? TRACE_HOPS);
}

function answered(replies: readonly EchoReply[]): readonly EchoReply[] {
  return replies.filter(({ outcome }) => outcome === 'reply');
}

/** Appendix A.1 of the troubleshooting draft: `{loss, rtt: {min, max, avg}}`, percent and milliseconds. */
function summary(sent: number, replies: readonly EchoReply[]): JsonObject {
  const times = answered(replies).map(({ rttMs }) => rttMs ?? 0);
  const loss = sent === 0 ? 0 : Math.round(((sent - times.length) / sent) * 1_000) / 10;
  if (times.length === 0) return { loss, rtt: null };
  const avg = times.reduce((sum, time) => sum + time, 0) / times.length;
  return { loss, rtt: { min: Math.min(...times), max: Math.max(...times), avg: Math.round(avg * 1_000) / 1_000 } };
}

function errorsOf(replies: readonly EchoReply[]): JsonObject[] {
  return replies.filter(({ outcome }) => outcome !== 'reply').map((reply) => ({ ...reply }));
}

function describe(reply: EchoReply): string {
  return `${reply.from}: ${reply.outcome}${reply.rttMs === undefined ? '' : ` after ${reply.rttMs} ms`}`;
}
