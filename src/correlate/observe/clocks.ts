// What nodes' wall clocks showed when they signed their first states, which were asked for at one time, and their last. Two clocks are compared for no other purpose
// than to tell that one of them is wrong: nothing that is measured stands on the difference.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import type { Evidence } from '#model/evidence.ts';
import { nodeResource } from '#model/names.ts';
import type { Fact } from '../engine/facts.ts';

export function clockFacts(evidence: readonly Evidence[]): readonly Fact[] {
  const times = new Map(
    evidence.flatMap(({ id, kind, phase, node, envelope }) => {
      const signedMs = kind === 'state' ? signedAt(envelope?.payload) : undefined;
      return signedMs === undefined ? [] : [[`${node} ${phase}`, { signedMs, id }] as const];
    }),
  );
  return [...new Set(evidence.map(({ node }) => node))].flatMap((node): readonly Fact[] => {
    const [first, last] = [times.get(`${node} before`), times.get(`${node} after`)];
    if (first === undefined) return [];
    const value = { node, signedMs: first.signedMs, ...(last === undefined ? {} : { lastMs: last.signedMs }) };
    const source = [first, ...(last === undefined ? [] : [last])].map(({ id }) => id);
    return [{ subject: nodeResource(node), predicate: 'clock', value, source }];
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
