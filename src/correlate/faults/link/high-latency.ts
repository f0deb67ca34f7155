// high_latency: one direction of a link is far slower than the other, and its round trip far beyond that over its siblings, while nothing
// is lost. Loops in both directions show which, or a rise that standing probes saw in one alone. A link that is as slow one way as the
// other is long, and one without loops may be, unless it was seen to be quick before.
import { interfaceResource } from '#model/names.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';

/** A node that had no time for its packets delays them as a slow link does, for a while. */
const SEEN_ONCE = 'seen at one look alone, and no loop confirms it';

export const highLatency: FaultDefinition = {
  id: 'high_latency',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: 'high_latency' },
  summary:
    'a link is far slower one way than the other, and than its siblings; the resource is the sending interface of the slow direction',
  propose: (file) =>
    symptomsOfKind(file, 'slow').flatMap((symptom) => {
      const { link } = symptom;
      if (link === undefined) return [];
      const known = Array.isArray(symptom.detail['slowFrom']) ? symptom.detail['slowFrom'] : [];
      const rose = symptom.detail['rose'] === true;
      const slow = [link.from, link.to].filter((end) => known.length === 0 || known.includes(end.node));
      return slow.map((end) =>
        newProposal(highLatency, interfaceResource(end), [shareOf(symptom)], symptom.source, {
          // A loop is timed by one clock; of a rise one end alone tells.
          confidence: known.length > 0 && !rose ? 'certain' : 'likely',
          // Risen above what it was is slow, whichever way.
          ...(known.length > 0 || rose
            ? {}
            : { withheld: 'no loop shows which way is slow: the link may be long, and may have been so for ever' }),
          together: symptom.id,
          details: {
            roundTripMs: symptom.detail['roundTripMs'] ?? 0,
            othersMs: symptom.detail['othersMs'] ?? 0,
            direction: known.length > 0 ? `from ${mark(end.node)}` : 'not known: there is no loop over this link alone',
            ...(symptom.detail['roseSecondsAgo'] === undefined
              ? {}
              : { roseSecondsAgo: symptom.detail['roseSecondsAgo'] }),
          },
          ...((known.length === 0 || rose) && Number(symptom.detail['looks'] ?? 2) < 2 ? { withheld: SEEN_ONCE } : {}),
          remedy: {
            node: end.node,
            summary: `see what lies between ${mark(link.from.node)} ${link.from.ifname} and ${mark(link.to.node)} ${link.to.ifname}: it holds packets back`,
          },
        }),
      );
    }),
};
