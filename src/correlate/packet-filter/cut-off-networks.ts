// New rules that cut a whole network of hosts off: they drop all that its hosts send into the network, or all that is sent to these. A router
// that announces a network and drops what is from it or for it contradicts itself; that the rule was not there before shows a change.
import { covers } from '#base/ip.ts';
import type { FilterMatch, FilterRule, NodeState } from '#model/router/router-port.ts';
import { ownNetworks } from '../network/hosts.ts';
import { hostsHeardBeside } from '../network/lost-routes.ts';
import type { View, World } from '../network/world.ts';
import { isDropping, isNewInTheWay, isPolicy } from './dropping-rules.ts';

/** `network`: the router's own address there, with its length. */
export type CutOff = {
  readonly view: View;
  readonly rule: FilterRule;
  readonly ifname: string;
  readonly network: string;
};

/** One for each rule and network in which hosts were heard; none where a host there is known to have answered another node. */
export function cutOffNetworks(world: World): readonly CutOff[] {
  return [...world.views.values()].flatMap((view) =>
    view.state.filters
      .filter((rule) => isNewInTheWay(world, view.node, rule) && !isPolicy(world, rule) && isFirst(view.state, rule))
      .flatMap((rule) =>
        view.state.inventory.interfaces
          .filter(({ operUp }) => operUp)
          .flatMap((port) =>
            ownNetworks(port)
              .filter((network) => takesAll(rule, port.name, network))
              .filter((network) => hostsHeardBeside(world, network.split('/')[0]!) && !isAnswered(world, view, network))
              .map((network) => ({ view, rule, ifname: port.name, network })),
          ),
      ),
  );
}

/** No rule before it in its chain lets something through. */
function isFirst({ filters }: NodeState, rule: FilterRule): boolean {
  const chain = filters.filter(
    ({ family, table, chain }) => family === rule.family && table === rule.table && chain === rule.chain,
  );
  return chain.slice(0, chain.indexOf(rule)).every(isDropping);
}

/** It asks for nothing but the network, as where packets are from, or as where they are for. */
function takesAll(
  { matches = [], matchesRest, inInterfaces, outInterfaces }: FilterRule,
  ifname: string,
  network: string,
): boolean {
  const asked = matches.filter(({ field }) => field !== 'network');
  const [only, ...more] = asked;
  const isFamily = matches.every((match) => match.field !== 'network' || isOfFamily(match, network));
  if (matchesRest || only === undefined || more.length > 0 || !isFamily || !isAbout(only, network)) return false;
  const [here, there] = only.field === 'source' ? [inInterfaces, outInterfaces] : [outInterfaces, inInterfaces];
  return there.length === 0 && (here.length === 0 || here.includes(ifname));
}

function isOfFamily({ values, negated }: FilterMatch, network: string): boolean {
  return negated !== true && values.includes(network.includes(':') ? 'ip6' : 'ip');
}

function isAbout({ field, values, negated }: FilterMatch, network: string): boolean {
  return (
    (field === 'source' || field === 'destination') && negated !== true && values.some((each) => covers(each, network))
  );
}

/** A host there answered a node other than its router: what it sends gets through, and what is sent to it. */
function isAnswered({ serviceProbes }: World, { node }: View, network: string): boolean {
  return serviceProbes.some(
    ({ from, destination, answered }) => answered && from !== node && covers(network, destination),
  );
}
