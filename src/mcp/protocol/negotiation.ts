// Capability negotiation (CARD-3, TS-14): names only, compared exactly; a session may use the names that both sides announce.
// Refuses lists that are too long or contain anything but plain names.
import { createHash } from 'node:crypto';
import { isJsonObject } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { MCP_LIMITS } from '../limits.ts';

/** Member of `capabilities.experimental` by which our agents know each other. */
export const PARLEY_EXPERIMENT = 'parley';

/** `capabilities.experimental.parley` of an agent; operators announce no node and no capabilities. */
export type ParleyAnnouncement = { readonly node?: string; readonly capabilities: readonly string[] };

/** Names in both lists, compared exactly, sorted by code unit, each once. */
export function intersect(own: readonly string[], theirs: readonly string[]): string[] {
  const known = new Set(own);
  return [...new Set(theirs.filter((name) => known.has(name)))].sort();
}

/** SHA-256 over the sorted names, each ended by a line feed, cut to 16 bytes of lower-case hex (`capabilitiesHash` of a hint). */
export function hashCapabilities(names: readonly string[]): string {
  const text = [...new Set(names)].sort().map((name) => `${name}\n`);
  return createHash('sha256').update(text.join('')).digest('hex').slice(0, 32);
}

/** A peer's list of names (TS-14: "capabilities as an array of names"). */
export function parseCapabilityNames(value: unknown): Result<readonly string[]> {
  if (!Array.isArray(value)) return bad('expected an array of capability names, got something else');
  if (value.length > MCP_LIMITS.capabilities) {
    return bad(`expected at most ${MCP_LIMITS.capabilities} capability names, got ${value.length}`);
  }
  for (const name of value) {
    if (typeof name !== 'string' || name === '' || name.length > MCP_LIMITS.capabilityChars) {
      return bad(`expected capability names of 1 to ${MCP_LIMITS.capabilityChars} characters, got something else`);
    }
  }
  return ok(value as readonly string[]);
}

/** The announcement in an `initialize` request's or result's `capabilities`; undefined when there is none. */
export function findAnnouncement(capabilities: unknown): Result<ParleyAnnouncement> | undefined {
  if (!isJsonObject(capabilities) || !isJsonObject(capabilities['experimental'])) return undefined;
  const announced = capabilities['experimental'][PARLEY_EXPERIMENT];
  if (announced === undefined) return undefined;
  if (!isJsonObject(announced)) return bad('expected experimental.parley to be an object, got something else');
  const names = parseCapabilityNames(announced['capabilities']);
  if (!names.ok) return names;
  const node = announced['node'];
  return ok({ ...(typeof node === 'string' ? { node } : {}), capabilities: names.value });
}
