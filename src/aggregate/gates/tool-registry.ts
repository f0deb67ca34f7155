// What an admin has signed of tools: which need approval and which do not, whatever they say of themselves (AX-16). Patterns are whole names,
// or the beginning of names and `*`; the longest that fits decides. Refuses a file that an admin of this domain did not sign.
import { readFile } from 'node:fs/promises';
import { type Clock, isoTime } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Result } from '#base/result.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { PAYLOAD_TYPES } from '#model/envelope.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { Signer } from '#model/ports.ts';
import { canonicalSha256 } from '#sign/digest.ts';
import { openEnvelope } from '#sign/envelope.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';

/** Says of a tool under its whole name what is demanded of it: `gate`, `open`, or nothing. */
export type Demand = (name: string) => 'gate' | 'open' | undefined;

export type ToolDemand = { readonly tool: string; readonly demand: 'gate' | 'open' };

const PATTERN = /^(?:[a-z0-9_.-]{1,255}\*?|\*)$/;

/** Throws `caller/bad-tool-registry`. */
export function parseDemands(value: unknown): readonly ToolDemand[] {
  const tools = isJsonObject(value) ? value['tools'] : undefined;
  if (!Array.isArray(tools) || tools.length > AGGREGATE_LIMITS.registryEntries)
    throw badRegistry(`tools: expected at most ${AGGREGATE_LIMITS.registryEntries} entries`);
  return tools.map((each: JsonValue, index) => {
    const { tool, demand } = isJsonObject(each) ? each : {};
    if (typeof tool !== 'string' || !PATTERN.test(tool))
      throw badRegistry(`tools.${index}.tool: expected a name, or its beginning and "*"`);
    if (demand !== 'gate' && demand !== 'open') throw badRegistry(`tools.${index}.demand: expected gate or open`);
    return { tool, demand };
  });
}

export function sealDemands(
  signer: Signer,
  chain: CertificateChain,
  demands: readonly ToolDemand[],
  nowMs: number,
): JsonObject {
  const envelope = signer.seal(PAYLOAD_TYPES.toolRegistry, {
    type: PAYLOAD_TYPES.toolRegistry,
    signer: signer.node,
    chainSha256: canonicalSha256(chain as JsonValue),
    time: isoTime(nowMs),
    tools: demands.map((each) => ({ ...each })),
  });
  return { schemaVersion: 1, envelope: envelope as unknown as JsonObject, chain: chain as JsonValue };
}

/** Rejects with `caller/bad-tool-registry`. */
export async function loadDemand(
  file: string,
  verify: (chain: CertificateChain, atMs: number) => Result<Party>,
  clock: Pick<Clock, 'nowMs'>,
): Promise<Demand> {
  const bytes = await readFile(file).catch((error) =>
    Promise.reject(badRegistry(`cannot read ${file}: ${messageOf(error)}`)),
  );
  const value = decodeStrictJson(bytes);
  if (!value.ok || !isJsonObject(value.value))
    throw badRegistry(`${file}: ${value.ok ? 'expected an object' : value.reason}`);
  const { envelope, chain } = value.value;
  if (!Array.isArray(chain) || !chain.every((each) => typeof each === 'string'))
    throw badRegistry(`${file}: expected a chain of certificates`);
  const party = verify(chain as CertificateChain, clock.nowMs());
  if (!party.ok) throw badRegistry(`${file}: ${party.reason}`);
  const { kind, role, signingKey = '' } = party.value;
  if (kind !== 'operator' || role !== 'admin')
    throw badRegistry(`${file}: expected the signature of an admin, got one of ${kind}/${party.value.name}`);
  const opened = openEnvelope(envelope, Buffer.from(signingKey, 'hex'), PAYLOAD_TYPES.toolRegistry);
  if (!opened.ok) throw badRegistry(`${file}: ${opened.reason}`);
  if (opened.value['chainSha256'] !== canonicalSha256(chain as JsonValue))
    throw badRegistry(`${file}: expected the chain that was signed`);
  return createDemand(parseDemands(opened.value));
}

export function createDemand(demands: readonly ToolDemand[]): Demand {
  const exact = new Map(demands.filter(({ tool }) => !tool.endsWith('*')).map(({ tool, demand }) => [tool, demand]));
  const beginnings = demands
    .filter(({ tool }) => tool.endsWith('*'))
    .map(({ tool, demand }) => ({ beginning: tool.slice(0, -1), demand }))
    .toSorted((one, other) => other.beginning.length - one.beginning.length);
  return (name) => exact.get(name) ?? beginnings.find(({ beginning }) => name.startsWith(beginning))?.demand;
}

function badRegistry(message: string): ParleyError {
  return new ParleyError('caller/bad-tool-registry', message);
}
