// Probes that were marked, or that crossed a node, → facts. Where they went and how they were marked is what the call was planned for,
// never what the answer says.
import { readingsOf } from '#measure/measurement.ts';
import { bisectingTransit } from '#measure/nodes/bisecting-transit.ts';
import { dscpProbes } from '#measure/nodes/dscp-probes.ts';
import { transitProbes } from '#measure/nodes/transit-probes.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Fact } from '../engine/facts.ts';
import { WINDOW } from './exchange.ts';

export function crossingFacts(evidence: readonly Evidence[]): readonly Fact[] {
  return [...markedFacts(evidence), ...transitFacts(evidence), ...bisectedFacts(evidence)];
}

function markedFacts(evidence: readonly Evidence[]): readonly Fact[] {
  return readingsOf(dscpProbes, evidence).flatMap(({ purpose, node, value: { sent, sendErrors }, source }) => {
    if (sent === 0) return [];
    const { ifname } = purpose.from;
    const value = { node, ifname, dscp: purpose.dscp, sent: sent - sendErrors };
    const shape = { source: [source], window: WINDOW };
    return [{ subject: `interface/${node}/${ifname}`, predicate: 'marked' as const, value, ...shape }];
  });
}

function transitFacts(evidence: readonly Evidence[]): readonly Fact[] {
  return readingsOf(transitProbes, evidence).flatMap(({ purpose, node, value: result, source }) => {
    const { sent, sendErrors, reflected = 0, reflectorRefused = 0, received } = result;
    // Nothing at all came back: then there is no way, or a filter; damage takes some.
    if (sent === 0 || reflected === 0) return [];
    const value = {
      ...{ from: node, through: purpose.through, to: purpose.to.node, sent: sent - sendErrors },
      lost: sent - sendErrors - received - reflectorRefused,
    };
    const shape = { source: [source], window: WINDOW };
    const subject = `path/${node}>${purpose.through}>${value.to}` as const;
    return [{ subject, predicate: 'crossing' as const, value, ...shape }];
  });
}

/** Those of which nothing came back are among them. */
function bisectedFacts(evidence: readonly Evidence[]): readonly Fact[] {
  return readingsOf(bisectingTransit, evidence).flatMap(({ purpose, node, value: result, source }) => {
    const { sendErrors, reflectorRefused = 0, received } = result;
    const sent = result.sent - sendErrors;
    if (sent <= 0) return [];
    const lost = Math.max(0, sent - received - reflectorRefused);
    const value = { from: node, through: purpose.through, to: purpose.to.node, sent, lost };
    const subject = `path/${node}>${purpose.through}>${value.to}` as const;
    return [{ subject, predicate: 'transit' as const, value, source: [source], window: WINDOW }];
  });
}
