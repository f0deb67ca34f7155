// Probes that were marked, or that crossed a node, → facts. Where they went and how they were marked is read from the request that we
// signed, never from the answer.
import { isJsonObject } from '#base/json.ts';
import type { Evidence } from '#model/evidence.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import { texts } from '../decode/readers.ts';
import type { Fact } from '../engine/facts.ts';
import { WINDOW } from './observe-path.ts';

export function crossingFacts(evidence: readonly Evidence[]): readonly Fact[] {
  return evidence.flatMap((entry): readonly Fact[] => {
    const args = entry.request.params['arguments'];
    const result = entry.kind === 'probe' && isJsonObject(args) ? decodeProbeResult(entry.body) : undefined;
    if (result === undefined || !isJsonObject(args) || result.sent === 0) return [];
    const shape = { source: [entry.id], window: WINDOW };
    const [, ifname, mark] = /^probe\/[^/:]+:([^/]+)\/[^/]+\/marked\/(\d+)$/.exec(entry.id) ?? [];
    if (ifname !== undefined && mark !== undefined) {
      const value = { node: entry.node, ifname, dscp: Number(mark), sent: result.sent - result.sendErrors };
      return [{ subject: `interface/${entry.node}/${ifname}`, predicate: 'marked', value, ...shape }];
    }
    const [through] = texts(args['SID List']);
    if (!entry.id.startsWith(`probe/${entry.node}/cross/`) || through === undefined) return [];
    const { sent, sendErrors, reflected = 0, reflectorRefused = 0, received } = result;
    // Nothing at all came back: then there is no way, or a filter; damage takes some.
    if (reflected === 0) return [];
    const value = {
      ...{ from: entry.node, through, to: String(args['Tail']), sent: sent - sendErrors },
      lost: sent - sendErrors - received - reflectorRefused,
    };
    return [{ subject: `path/${entry.node}>${through}>${value.to}`, predicate: 'crossing', value, ...shape }];
  });
}
