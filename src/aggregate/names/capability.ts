// What is said of a tool (AX-14): how late it may answer, whether it changes something and whether that can be undone. A subserver's word is a
// claim: it may raise what this aggregator asks for, and lowers nothing. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';

export const LATENCY_CLASSES = ['realtime', 'fast', 'standard', 'slow', 'batch'] as const;
export type LatencyClass = (typeof LATENCY_CLASSES)[number];

/** MCP-AX §7.3; undefined: the caller sees to it. */
const TIMEOUT_MS: Readonly<Record<LatencyClass, number | undefined>> = {
  realtime: 500,
  fast: 5_000,
  standard: 30_000,
  slow: 120_000,
  batch: undefined,
};

/** Members of `_meta` by which aggregators speak of a tool. */
export const META = {
  capability: 'x-mcpax-capability',
  safety: 'x-mcpax-safety',
  hops: 'x-mcpax-hops',
  name: 'x-mcpax-name',
  original: 'x-mcpax-original-name',
  route: 'x-mcpax-route',
  cursor: 'x-mcpax-cursor',
  latency: 'x-mcpax-latency-ms',
  confirmation: 'x-mcpax-confirmation',
  proof: 'x-mcpax-proof',
  related: 'x-mcpax-related',
  sequence: 'x-mcpax-sequence',
} as const;

/** Member of `capabilities.experimental` by which a client chooses its view, and an aggregator of ours announces itself. */
export const AGGREGATE_EXPERIMENT = 'io.parley/aggregate';

/** Of `_meta` of a request: routing, approvals, credentials, and the envelope of the revision that this client speaks. None of it goes further. */
export function isOfThisHop(name: string): boolean {
  return OF_THIS_HOP.some((prefix) => name.startsWith(prefix));
}

const OF_THIS_HOP = ['x-mcpax-', 'io.parley/', 'io.modelcontextprotocol/'];

export const IRREVERSIBLE = 'irreversible_mutable';

/** `unsaid`: neither the tool nor an aggregator above says whether it changes something. */
export type Safety = 'read' | 'mutable' | typeof IRREVERSIBLE | 'unsaid';

export type ToolClaims = {
  readonly latencyClass: LatencyClass;
  readonly safety: Safety;
  /** Cost units of one call. */
  readonly cost: number;
  /** Depth below the subserver: 0 for a tool of a leaf. */
  readonly hops: number;
  /** As the tool has it, to be passed on unchanged but for a raised latency class; absent where it has none. */
  readonly capability?: JsonObject;
};

const COST: Readonly<Record<string, number>> = { free: 0, metered: 1, expensive: 10 };

export function claimsOf(definition: JsonObject): ToolClaims {
  const meta = objectOf(definition['_meta']);
  const capability = meta[META.capability];
  const given = capability !== undefined && isJsonObject(capability) ? capability : undefined;
  const hops = meta[META.hops];
  return {
    latencyClass: LATENCY_CLASSES.find((each) => each === given?.['latency_class']) ?? 'standard',
    safety: safetyOf(given, objectOf(definition['annotations']), meta),
    cost: COST[String(given?.['cost_class'])] ?? 1,
    hops: Number.isSafeInteger(hops) && Number(hops) >= 0 ? Number(hops) : 0,
    ...(given === undefined ? {} : { capability: given }),
  };
}

/** The most careful reading of what the definition says in three places. */
function safetyOf(capability: JsonObject | undefined, annotations: JsonObject, meta: JsonObject): Safety {
  if (meta[META.safety] === IRREVERSIBLE) return IRREVERSIBLE;
  const said: Safety[] = [];
  if (capability?.['mutable'] === true) said.push(capability['reversible'] === false ? IRREVERSIBLE : 'mutable');
  if (capability?.['mutable'] === false) said.push('read');
  if (annotations['readOnlyHint'] === true) said.push('read');
  else if (annotations['destructiveHint'] === true) said.push(IRREVERSIBLE);
  else if (annotations['destructiveHint'] === false || annotations['readOnlyHint'] === false) {
    // MCP: a tool that is not read-only is destructive unless it says that it is not.
    said.push(annotations['destructiveHint'] === false ? 'mutable' : IRREVERSIBLE);
  }
  return said.toSorted((one, other) => CARE.indexOf(other) - CARE.indexOf(one))[0] ?? 'unsaid';
}

const CARE: readonly Safety[] = ['unsaid', 'read', 'mutable', IRREVERSIBLE];

/** The slower of the class and what the path to the subserver makes of it; never a faster one. */
export function raisedClass(given: LatencyClass, roundTripMs: number): LatencyClass {
  const from = LATENCY_CLASSES.indexOf(given);
  const fitting = LATENCY_CLASSES.findIndex(
    (each) => (TIMEOUT_MS[each] ?? Number.POSITIVE_INFINITY) >= 2 * roundTripMs,
  );
  return LATENCY_CLASSES[Math.max(from, fitting)]!;
}

export function timeoutMsOf(given: LatencyClass): number | undefined {
  return TIMEOUT_MS[given];
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
