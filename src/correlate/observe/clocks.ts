// What nodes' wall clocks showed when they signed their first states, which were asked for at one time. Two clocks are compared for no other purpose
// than to tell that one of them is wrong: nothing that is measured stands on the difference.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import type { Evidence } from '#model/evidence.ts';
import { nodeResource } from '#model/names.ts';
import type { Fact } from '../engine/facts.ts';

export function clockFacts(evidence: readonly Evidence[]): readonly Fact[] {
  return evidence.flatMap(({ id, kind, phase, node, envelope }): readonly Fact[] => {
    const signedMs = kind === 'state' && phase === 'before' ? signedAt(envelope?.payload) : undefined;
    if (signedMs === undefined) return [];
    return [{ subject: nodeResource(node), predicate: 'clock', value: { node, signedMs }, source: [id] }];
  });
}

/** The signature over the payload was verified when the evidence was admitted; what it says of time may be anything. Recordings have none. */
function signedAt(payload = ''): number | undefined {
  const value = parsed(Buffer.from(payload, 'base64').toString('utf8'));
  if (!isJsonObject(value) || typeof value['time'] !== 'string') return undefined;
  const ms = Date.parse(value['time']);
  return Number.isFinite(ms) ? ms : undefined;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
