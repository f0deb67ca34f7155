// Probes in SRv6 over one link of a question without a path → facts about their loss. What they say of time is left out: a segment
// list may lead another way than the link.

import { texts } from '#measure/decode/readers.ts';
import { srv6Probes } from '#measure/links/srv6-probes.ts';
import { readingsOf } from '#measure/measurement.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Fact, ProbeLoss } from '../engine/facts.ts';
import { WINDOW } from './observe-path.ts';

export function srv6Facts(evidence: readonly Evidence[]): readonly Fact[] {
  return readingsOf(srv6Probes, evidence).flatMap(({ purpose, node, value: result, args, source }): readonly Fact[] => {
    if (result.sent === 0) return [];
    const to = purpose.to.node;
    const { sent, received, sendErrors: refused, reflected = 0, reflectorRefused: unanswered = 0 } = result;
    const reason = result.sendErrorReason;
    const common = {
      ...({ scope: 'segment', measuredBy: node, unanswered } as const),
      refusedByFilter: reason === undefined || /EPERM|EACCES|not permitted/i.test(reason),
      probe: {
        source: String(args['source']),
        destination: String(args['destination']),
        segments: texts(args['segments']),
      },
    };
    const fact = (
      from: string,
      end: string,
      counts: Pick<ProbeLoss, 'sent' | 'lost' | 'refused' | 'directionKnown'>,
    ): Fact => ({
      subject: `path/${from}>${end}`,
      predicate: 'probe-loss',
      value: { ...common, from, to: end, ...counts },
      source: [source],
      window: WINDOW,
    });
    if (reflected === 0) return [fact(node, to, { sent, lost: sent, refused, directionKnown: refused === sent })];
    const answered = reflected - unanswered;
    return [
      fact(node, to, { sent, lost: sent - reflected, refused, directionKnown: true }),
      fact(to, node, {
        sent: answered,
        lost: Math.max(0, answered - received),
        refused: 0,
        directionKnown: true,
      }),
    ];
  });
}
