// IPv4 over links between nodes, which damaged IPv4 headers alone show: from one end at first, from both where some were lost or may have
// been damaged. Plans nothing over a link that is down or has no IPv4 addresses of one network. Pure.
import { isLinkLocal, parsePrefix, sharesSubnet } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Link } from '#model/links/links.ts';
import type { PurposeOf } from '#model/purpose.ts';
import { callFor } from '../call.ts';
import { decodeReach } from '../decode/decode-measurements.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement } from '../measurement.ts';
import { scopeLinks } from '../scope-links.ts';
import { interfaceOf, type Mute, type States } from '../states.ts';
import { CONFIRMED_LINKS } from './link-probes.ts';
import { type Ends, proberFirst } from './link-runs.ts';

const LINK_REACH_PROBES = 60;

export const linkEchoes = defineMeasurement({
  kinds: ['link-echoes'],
  rounds: {
    first: ({ states, relays }) => planLinkEchoes(states, relays),
    confirmation: ({ states }, { echoesLost }) =>
      echoesLost.slice(0, CONFIRMED_LINKS).flatMap((link) => reachAgain(link, states)),
  },
  read: decodeReach,
});

export function planLinkEchoes(states: States, mute: Mute): readonly PlannedCall[] {
  const links = scopeLinks(states);
  return [...states.keys()].flatMap((node) => reachOverLinks(node, links, states, mute));
}

/** IPv4 over each link, from the end that probes it: damaged IPv4 headers are seen by nothing else. */
function reachOverLinks(node: string, links: readonly Link[], states: States, mute: Mute): readonly PlannedCall[] {
  const destinations = links.flatMap((link) => {
    const ends = proberFirst(link, links, mute);
    return ends[0].node === node ? farAddress(ends, states) : [];
  });
  return echoes(node, { kind: 'link-echoes', round: 'first' }, destinations, LINK_REACH_PROBES);
}

/** More of them over links that lost some, from both ends: each counts its own. */
export function reachAgain(link: Link, states: States): readonly PlannedCall[] {
  return [[link.from, link.to] as const, [link.to, link.from] as const].flatMap((ends) => {
    const { node, ifname } = ends[0];
    const purpose = { kind: 'link-echoes', round: 'confirmation', ifname } as const;
    return echoes(node, purpose, farAddress(ends, states), LIMITS.reachProbes);
  });
}

/** As many over each of these links, from both ends: one call of a node for all of them, however many it has. */
export function reachOverAll(links: readonly Link[], states: States, run: number): readonly PlannedCall[] {
  const ways = links.flatMap(({ from, to }): readonly Ends[] => [
    [from, to],
    [to, from],
  ]);
  return [...Map.groupBy(ways, ([near]) => near.node)].flatMap(([node, ends]) => {
    const destinations = ends.flatMap((each) => farAddress(each, states));
    const purpose = { kind: 'link-echoes', round: 'extended', run } as const;
    return echoes(node, purpose, [...new Set(destinations)], LIMITS.reachProbes);
  });
}

/** Address of the far end, where both ends are up and have one of the same network of that family. */
export function farAddress([from, to]: Ends, states: States, family: 4 | 6 = 4): readonly string[] {
  const [mine, theirs] = [from, to].map((end) => interfaceOf(states, end));
  if (mine?.operUp !== true || theirs?.operUp !== true) return [];
  const known = (addresses: readonly string[]) =>
    addresses.map(parsePrefix).filter((prefix) => prefix?.family === family && !isLinkLocal(prefix));
  const pair = known(mine.addresses).flatMap((own) =>
    known(theirs.addresses).filter((its) => sharesSubnet(own!, its!)),
  );
  return pair.slice(0, 1).map((prefix) => prefix!.address);
}

function echoes(
  node: string,
  purpose: PurposeOf<'link-echoes'>,
  destinations: readonly string[],
  count: number,
): readonly PlannedCall[] {
  if (destinations.length === 0) return [];
  const timeoutMs = destinations.length * count + MEASURE_LIMITS.measureCallMs;
  return [callFor(node, purpose, { destinations: [...destinations], count }, timeoutMs)];
}
