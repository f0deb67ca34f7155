// incast_traffic_network_limitation: more traffic wants to leave over an interface than its queue may send: it overflows in the
// window. What the queue loses and holds back on its link is its consequence.
import { defineCause } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { linkOn } from '../../network/world.ts';
import { brokenLink } from '../../symptoms/consequences.ts';
import { bottleneckSymptom } from '../../symptoms/links/bottleneck.ts';
import { queueSymptom } from '../../symptoms/links/queue-overflow.ts';
import { slowLinkSymptom } from '../../symptoms/links/slow-link.ts';

type Detail = { readonly what: string; readonly droppedPackets: number; readonly queue: string };

export const incast = defineCause<Detail>({
  id: 'incast_traffic_network_limitation',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'incast_traffic_network_limitation', netOpsBench: null },
  summary: 'more traffic wants to leave over an interface than its queue may send, and the queue overflows',
  explain: (file, losses) =>
    queueSymptom.of(file).map((symptom) => {
      const { node, ifname, queue, drops } = symptom.detail;
      const links = linkOn(file.world, { node, ifname });
      const slow = [...bottleneckSymptom.of(file), ...slowLinkSymptom.of(file)].filter(({ link }) =>
        links.some((each) => each.key === link?.key),
      );
      return {
        resource: symptom.subject,
        score: 3.5,
        explains: [...[symptom, ...slow].map(shareOf), ...links.flatMap((link) => brokenLink(file, losses, link))],
        evidence: symptom.source,
        detail: { what: symptom.text, droppedPackets: drops, queue },
      };
    }),
  remedy: (_detail, _file, resource) => {
    const [, node = '', ...ifname] = resource.split('/');
    return {
      node,
      summary: `raise the rate of ${nodeRef(node)} ${ifname.join('/')}, or spread the traffic that leaves over it`,
    };
  },
});
