// Probes that were marked, or that crossed a node, → facts. Where they went and how they were marked is what the call was planned for,
// never what the answer says.
import type { Evidence } from '#model/evidence.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import type { Fact } from '../engine/facts.ts';
import { WINDOW } from './observe-path.ts';

export function crossingFacts(evidence: readonly Evidence[]): readonly Fact[] {
  return evidence.flatMap((entry): readonly Fact[] => {
    const { purpose, node, id } = entry;
    if (purpose.kind !== 'dscp-probe' && purpose.kind !== 'transit-probe') return [];
    const result = decodeProbeResult(entry.body);
    if (result === undefined || result.sent === 0) return [];
    const shape = { source: [id], window: WINDOW };
    if (purpose.kind === 'dscp-probe') {
      const { from, dscp } = purpose;
      const value = { node, ifname: from.ifname, dscp, sent: result.sent - result.sendErrors };
      return [{ subject: `interface/${node}/${from.ifname}`, predicate: 'marked', value, ...shape }];
    }
    const { sent, sendErrors, reflected = 0, reflectorRefused = 0, received } = result;
    // Nothing at all came back: then there is no way, or a filter; damage takes some.
    if (reflected === 0) return [];
    const value = {
      ...{ from: node, through: purpose.through, to: purpose.to.node, sent: sent - sendErrors },
      lost: sent - sendErrors - received - reflectorRefused,
    };
    return [{ subject: `path/${node}>${purpose.through}>${value.to}`, predicate: 'crossing', value, ...shape }];
  });
}
