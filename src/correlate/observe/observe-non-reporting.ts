// Probes that crossed a router whose agent gives no state → facts. Which links they crossed is read from the request that we signed and from the
// sender's own routing: probes that went another way are no fact about these links.
import { isJsonObject } from '#base/json.ts';
import { nonReportingLinks } from '#measure/links/non-reporting-links.ts';
import { farAddresses, silentNeighbours } from '#measure/links/silent-neighbours.ts';
import { readingsOf } from '#measure/measurement.ts';
import type { Evidence } from '#model/evidence.ts';
import { linksOfNonReporting, type NonReportingLink } from '#model/links/non-reporting-links.ts';
import { interfaceResource } from '#model/names.ts';
import type { Fact } from '../engine/facts.ts';
import type { World } from '../network/world.ts';
import { WINDOW } from './exchange.ts';

function linksToNonReporting(world: World): readonly NonReportingLink[] {
  const nonReporting = world.nodes.filter((node) => !world.views.has(node));
  return [
    ...linksOfNonReporting(
      nonReporting,
      [...world.views].map(([node, { state }]) => [node, state] as const),
    ).values(),
  ].flat();
}

export function nonReportingFacts(world: World, evidence: readonly Evidence[]): readonly Fact[] {
  const links = linksToNonReporting(world);
  return readingsOf(nonReportingLinks, evidence).flatMap(({ purpose, node, value: result, args, source }) => {
    const router = purpose.through;
    const mine = links.filter((link) => link.router === router);
    const ends = isJsonObject(args['via'])
      ? loopEnds(mine, node, String(args['via']['ifname']))
      : crossedEnds(world, mine, node, String(args['source']), String(args['destination']));
    if (ends === undefined || result.sent === 0) return [];
    const { sent, sendErrors, reflected = 0 } = result;
    // Nothing at all came through: then there is no way, or a filter.
    if (reflected === 0) return [];
    const [again, wanted] = [purpose.round === 'confirmation', sent - sendErrors];
    const value = { from: ends[0], to: ends[1], sent: wanted, lost: wanted - reflected, again };
    const subject = `path/${ends[0].near.node}>${router}>${ends[1].near.node}`;
    return [{ subject, predicate: 'non-reporting-transit' as const, value, source: [source], window: WINDOW }];
  });
}

/** To which port an address belongs is read from the subnets of the node that sent the echoes. */
export function silentEchoFacts(world: World, evidence: readonly Evidence[]): readonly Fact[] {
  return readingsOf(silentNeighbours, evidence).flatMap(({ node, value: results, source }) => {
    const state = world.views.get(node)?.state;
    return results.flatMap(({ destination, sent, received }): readonly Fact[] => {
      const ports = (state?.inventory.interfaces ?? []).filter(({ name }) =>
        farAddresses(state!, name).includes(destination),
      );
      const [port] = ports;
      // Two networks may have the same addresses.
      if (port === undefined || ports.length > 1) return [];
      const near = { node, ifname: port.name };
      const value = { near, address: destination, sent, received };
      return [
        { subject: interfaceResource(near), predicate: 'silent-echoes', value, source: [source], window: WINDOW },
      ];
    });
  });
}

type Ends = readonly [NonReportingLink, NonReportingLink];

function loopEnds(links: readonly NonReportingLink[], node: string, ifname: string): Ends | undefined {
  const link = links.find(({ near }) => near.node === node && near.ifname === ifname);
  return link === undefined ? undefined : [link, link];
}

function crossedEnds(
  world: World,
  links: readonly NonReportingLink[],
  node: string,
  source: string,
  destination: string,
): Ends | undefined {
  const from = links.find(({ near, address }) => near.node === node && address === source);
  const to = links.find(({ address }) => address === destination);
  const way = world.lookups.get(node)?.get(destination);
  const ways = way?.ifnames ?? [way?.ifname];
  const isOver = way?.kind === 'unicast' && ways.length === 1 && ways[0] === from?.near.ifname;
  return from === undefined || to === undefined || !isOver ? undefined : [from, to];
}
