// The links of a question as an operator sees them: what says that they are there, how far that is to be believed, what one end alone says,
// and where signs contradict each other, as a wrong cable makes them. Accuses no node: these are remarks.

import type { Remark } from '#model/finding.ts';
import {
  claimedLinks,
  type LinkRow,
  pairKey,
  portContradictions,
  portKey,
  SIGN_NAMES,
} from '#model/links/link-indicators.ts';
import { interfaceResource, linkResource } from '#model/names.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import { nodeRef } from './node-ref.ts';
import { remarkOf } from './remark.ts';
import type { LinkFact } from './topology.ts';
import type { World } from './world.ts';

/** Every known link, then those that one end alone claims. */
export function linkRows(world: World): readonly LinkRow[] {
  const nodes = [...world.views.values()].map(({ node, state }) => ({ node, state }));
  const contradicted = portContradictions(nodes);
  const known = new Set(world.links.map(({ from, to }) => pairKey(from, to)));
  const rows = world.links.map(({ from, to, link }): LinkRow => {
    const here = [from, to].flatMap((end) => contradicted.get(portKey(end)) ?? []);
    const contradictions = [...new Set([...link.doubts, ...here])];
    const confidence = contradictions.length > 0 && link.confidence === 'confirmed' ? 'likely' : link.confidence;
    return { from, to, confidence, signs: link.signs, claims: link.claims, contradictions };
  });
  return [...rows, ...claimedLinks(nodes, known)].slice(0, CORRELATE_LIMITS.linkRows);
}

/** "confirmed by addresses and LLDP; r1 alone says OSPF". */
export function saidOfLink({ confidence, signs, claims }: Pick<LinkFact, 'confidence' | 'signs' | 'claims'>): string {
  const both = signs.map((sign) => SIGN_NAMES[sign]).join(', ');
  const alone = claims.map(({ sign, by }) => `; ${nodeRef(by)} alone says ${SIGN_NAMES[sign]}`);
  return `${confidence}${both === '' ? '' : `: ${both}`}${alone.join('')}`;
}

/** Links that one end alone claims, and ports on which one protocol names one node and another protocol another. */
export function oddLinks(world: World): readonly Remark[] {
  const nodes = [...world.views.values()].map(({ node, state }) => ({ node, state }));
  const known = new Set(world.links.map(({ from, to }) => pairKey(from, to)));
  const all = [
    ...[...portContradictions(nodes)].map(([port, line]) => {
      const [node = '', ifname = ''] = port.split(' ');
      return remarkOf(world, [node], {
        ...{ kind: 'link_signs', why: 'no-harm', resource: interfaceResource({ node, ifname }) },
        text: `${line}: look where its cable leads`,
      });
    }),
    ...claimedLinks(nodes, known).map(({ from, to, claims }) =>
      remarkOf(world, [claims[0]!.by], {
        ...{ kind: 'link_signs', why: 'no-change', resource: linkResource(from, to) },
        text: `${nodeRef(from.node)} ${from.ifname} – ${nodeRef(to.node)} ${to.ifname}: claimed by ${nodeRef(claims[0]!.by)} alone, by ${SIGN_NAMES[claims[0]!.sign]}`,
      }),
    ),
  ];
  const rest = all.length - CORRELATE_LIMITS.oddLinks;
  if (rest <= 0) return all;
  const text = `${rest} more links that one end alone claims, or whose signs contradict each other`;
  return [...all.slice(0, CORRELATE_LIMITS.oddLinks), { kind: 'link_signs', why: 'no-change', text, evidence: [] }];
}
