// Probes in SRv6 over one link of a question without a path → facts about their loss. What they say of time is left out: a segment
// list may lead another way than the link.
import { isJsonObject } from '#base/json.ts';
import type { Evidence } from '#model/evidence.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import { texts } from '../decode/readers.ts';
import type { Fact, ProbeLoss } from '../engine/facts.ts';
import { WINDOW } from './observe-path.ts';

export function srv6Facts(evidence: readonly Evidence[]): readonly Fact[] {
  return evidence.flatMap((entry): readonly Fact[] => {
    const args = entry.request.params['arguments'];
    if (entry.purpose.kind !== 'srv6-probe' || !isJsonObject(args)) return [];
    const [result, to] = [decodeProbeResult(entry.body), String(args['Tail'])];
    if (result === undefined || result.sent === 0) return [];
    const { sent, received, sendErrors: refused, reflected = 0, reflectorRefused: unanswered = 0 } = result;
    const reason = result.sendErrorReason;
    const common = {
      ...({ scope: 'segment', measuredBy: entry.node, unanswered } as const),
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
      source: [entry.id],
      window: WINDOW,
    });
    if (reflected === 0) return [fact(entry.node, to, { sent, lost: sent, refused, directionKnown: refused === sent })];
    const answered = reflected - unanswered;
    return [
      fact(entry.node, to, { sent, lost: sent - reflected, refused, directionKnown: true }),
      fact(to, entry.node, {
        sent: answered,
        lost: Math.max(0, answered - received),
        refused: 0,
        directionKnown: true,
      }),
    ];
  });
}
