// The messages of registration (MCP-AX §6) as they stand on the wire: read strictly, made in one place for both sides.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';

const VERSION = '2026-05-01';

/** Asks the aggregator above whether the tree knows a subserver elsewhere. */
export const WHERE_METHOD = 'mcpax/where';

export type RegisterRequest = {
  readonly subserverId: string;
  readonly segment: string;
  readonly authority: string | undefined;
  /** A JWT that proves the authority, where the certificate does not. */
  readonly authorityProof?: string | undefined;
  readonly heartbeatMs: number;
  readonly transportClass: string;
  /** Absent for a leaf, whose names have no dots. */
  readonly aggregatorId: string | undefined;
  readonly subtreeIds: readonly string[];
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function parseRegister(params: JsonObject): Result<RegisterRequest> {
  const {
    subserver_id,
    segment,
    authority,
    'x-mcpax-authority-proof': proof,
    heartbeat_interval_ms = 0,
    transport_class = 'native',
    version,
    aggregator_id,
  } = params;
  if (!isUuid(subserver_id)) return bad('subserver_id: expected a UUID in lower case');
  if (typeof segment !== 'string') return bad('segment: expected a text');
  if (authority !== undefined && (typeof authority !== 'string' || authority.length > 255))
    return bad('authority: expected a text such as dns:edge01.example');
  if (proof !== undefined && (typeof proof !== 'string' || proof.length > AGGREGATE_LIMITS.authorityProofChars))
    return bad('x-mcpax-authority-proof: expected a JWT');
  if (version !== VERSION) return bad(`version: expected ${VERSION}`);
  if (typeof transport_class !== 'string') return bad('transport_class: expected a text');
  const interval = Number(heartbeat_interval_ms);
  const { heartbeatLeastMs, heartbeatMostMs } = AGGREGATE_LIMITS;
  if (
    !Number.isSafeInteger(heartbeat_interval_ms) ||
    (interval !== 0 && (interval < heartbeatLeastMs || interval > heartbeatMostMs))
  )
    return bad(`heartbeat_interval_ms: expected 0, or ${heartbeatLeastMs} to ${heartbeatMostMs}`);
  if (aggregator_id !== undefined && !isUuid(aggregator_id)) return bad('aggregator_id: expected a UUID in lower case');
  const subtreeIds = parseSubtreeIds(params);
  if (!subtreeIds.ok) return subtreeIds;
  if (aggregator_id !== undefined && !subtreeIds.value.includes(aggregator_id))
    return bad('x-mcpax-subtree-ids: expected the id of the aggregator itself among them');
  return ok({
    subserverId: subserver_id,
    segment,
    authority,
    authorityProof: proof,
    heartbeatMs: interval,
    transportClass: transport_class,
    aggregatorId: aggregator_id,
    subtreeIds: subtreeIds.value,
  });
}

export function parseSubtreeIds(params: JsonObject): Result<readonly string[]> {
  const given = params['x-mcpax-subtree-ids'] ?? [];
  if (!Array.isArray(given) || given.length > AGGREGATE_LIMITS.subtreeIds || !given.every(isUuid))
    return bad(`x-mcpax-subtree-ids: expected at most ${AGGREGATE_LIMITS.subtreeIds} UUIDs`);
  return ok(given as readonly string[]);
}

function isUuid(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && UUID.test(value);
}

export function registerParams(request: RegisterRequest): JsonObject {
  return {
    subserver_id: request.subserverId,
    segment: request.segment,
    ...(request.authority === undefined ? {} : { authority: request.authority }),
    ...(request.authorityProof === undefined ? {} : { 'x-mcpax-authority-proof': request.authorityProof }),
    capabilities: { tools: true, resources: true, notifications: true },
    heartbeat_interval_ms: request.heartbeatMs,
    transport_class: request.transportClass,
    version: VERSION,
    ...(request.aggregatorId === undefined ? {} : { aggregator_id: request.aggregatorId }),
    'x-mcpax-subtree-ids': request.subtreeIds,
  };
}

/** What a parent answers; `path`: the segments from the root to the one that has registered. */
export type Registered = { readonly sessionId: string; readonly parentId: string; readonly path: readonly string[] };

export function parseRegistered(result: JsonObject, segment: string): Result<Registered> {
  const { status, assigned_segment, session_id, parent_id, 'x-mcpax-path': path } = result;
  if (status !== 'registered' || assigned_segment !== segment)
    return bad(`expected to be registered as ${segment}, got another answer`);
  if (typeof session_id !== 'string') return bad('session_id: expected a text');
  return ok({
    sessionId: session_id,
    parentId: typeof parent_id === 'string' ? parent_id : '',
    path: pathIn(path) ?? [segment],
  });
}

export function pathIn(value: JsonValue | undefined): readonly string[] | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? (value as readonly string[])
    : undefined;
}
