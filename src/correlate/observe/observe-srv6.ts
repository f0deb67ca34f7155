// Probes in SRv6 over one link of a question without a path → facts about their loss. What they say of time is left out: a segment
// list may lead another way than the link.

import { texts } from '#measure/decode/readers.ts';
import { srv6Probes } from '#measure/links/srv6-probes.ts';
import { readingsOf } from '#measure/measurement.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Fact } from '../engine/facts.ts';
import { lossFacts } from './probe-counts.ts';

export function srv6Facts(evidence: readonly Evidence[]): readonly Fact[] {
  return readingsOf(srv6Probes, evidence).flatMap(({ purpose, node, value: result, args, source }) => {
    if (result.sent === 0) return [];
    const [from, destination] = [String(args['source']), String(args['destination'])];
    const probe = { source: from, destination, segments: texts(args['segments']) };
    return lossFacts([{ from: node, to: purpose.to.node, result }], { scope: 'segment', probe }, [source]);
  });
}
