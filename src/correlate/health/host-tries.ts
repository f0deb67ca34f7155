// Which tries of a host by one node count. A router may have addresses that no route leads back to, as a loopback that its network keeps to itself: where
// another address of it, on a network of hosts, is answered, and nothing says that the first ever had a way back, no answer to that one is owed. And a
// host that answers TCP is reached, though a policy takes all echoes to it, or it answers none to its own router.
import { mayTake } from '#model/router/packet-match.ts';
import { senderOf, walk } from '../network/forwarding.ts';
import { attachedTo } from '../network/hosts.ts';
import { hadWayBack } from '../network/lost-routes.ts';
import { nodeRef } from '../network/node-ref.ts';
import { havePoliciesChanged, systemOf } from '../network/other-networks.ts';
import { remembersBefore } from '../network/remembered.ts';
import type { ServiceProbeSeen } from '../network/service-tries.ts';
import type { World } from '../network/world.ts';
import { isDropping } from '../packet-filter/dropping-rules.ts';

/** A node's tries of an address, over its own routing. */
export function triesOf({ serviceProbes }: World, from: string, goals: readonly string[]): readonly ServiceProbeSeen[] {
  return serviceProbes.filter(
    (each) => each.from === from && each.via === undefined && goals.includes(each.destination),
  );
}

/** `tries`: those of one node at one host that no policy takes. What any kernel answers counts where nothing else was left to be answered. */
export function isAnsweredBy(world: World, tries: readonly ServiceProbeSeen[]): boolean {
  const owed = tries.filter((each) => !isWithoutWayBack(world, each, tries) && !isOfNoEchoes(world, each, tries));
  const usual = owed.filter(({ byKernel }) => byKernel !== true);
  if (usual.length > 0) return usual.every(({ answered }) => answered);
  return owed.some((each) => each.answered && !mayBeOfOthers(world, each));
}

/** An echo to a host that serves this node and its own router, and answers no echo of that router. */
function isOfNoEchoes(world: World, each: ServiceProbeSeen, tries: readonly ServiceProbeSeen[]): boolean {
  const router = attachedTo(world, each.destination)?.node;
  if (each.service !== 'echo' || each.answered || router === undefined || router === each.from) return false;
  const near = triesOf(world, router, [each.destination]);
  const echoes = near.filter(({ service }) => service === 'echo');
  const serves = ({ service, open, destination }: ServiceProbeSeen) =>
    service === 'tcp' && open && destination === each.destination;
  return (
    echoes.length > 0 && echoes.every(({ answered }) => !answered) && [near, tries].every((rows) => rows.some(serves))
  );
}

/** A rule on the way may take such packets: then a router may refuse them in the name of the host. */
function mayBeOfOthers(world: World, { from, destination, service, port }: ServiceProbeSeen): boolean {
  const host = attachedTo(world, destination);
  if (host === undefined || service === 'echo') return false;
  const network = destination.includes(':') ? 'ip6' : 'ip';
  const packet = { network, protocol: service, destinations: [destination], destinationPort: port ?? 0 } as const;
  const nodes = new Set([host.node, ...walk(world, from, host.routerAddress).nodes]);
  return [...nodes].some((node) =>
    (world.views.get(node)?.state.filters ?? []).some(
      (rule) => isDropping(rule) && rule.hook !== 'input' && mayTake(rule, packet),
    ),
  );
}

/** From which address the host was not answered, and why that is no hole in the proof. */
export function besideLines(world: World, tries: readonly ServiceProbeSeen[]): readonly string[] {
  const lines = tries.flatMap((each) => {
    const { from, destination } = each;
    const router = attachedTo(world, destination)?.node;
    if (router !== undefined && isOfNoEchoes(world, each, tries))
      return [`${destination} answers no echo, of its own router ${nodeRef(router)} neither; it serves both`];
    if (router === undefined || !isWithoutWayBack(world, each, tries)) return [];
    const answered = tries.find((other) => other.answered)!;
    return [
      `${nodeRef(from)}: ${destination} answers ${senderOf(world, answered)}, as it does hosts there; to ${senderOf(world, each)} of ${nodeRef(from)} no answer comes, as ${nodeRef(router)} has no route to that address, and had none as far as the nodes remember`,
    ];
  });
  return [...new Set(lines)];
}

/** Why nothing came back to a node, where the host's router has no route to any address that it tried from. */
export function noWayBackWords(world: World, tries: readonly ServiceProbeSeen[]): string {
  const words = tries.flatMap((each) => {
    const router = attachedTo(world, each.destination)?.node;
    const sender = senderOf(world, each);
    if (router === undefined || sender === undefined || !isUnrouted(world, router, sender)) return [undefined];
    return [`${nodeRef(router)} has no route back to ${sender}`];
  });
  return words.length === 0 || words.includes(undefined)
    ? ''
    : `: ${[...new Set(words)].join(', ')}, from where it was tried`;
}

/**
 * Unanswered, where a try from another address of the node was answered; and the host's router, which remembers a time before, has no route to the
 * address that it was sent from, nor had one that is known, nor has a policy changed that may have let it through.
 */
function isWithoutWayBack(world: World, each: ServiceProbeSeen, tries: readonly ServiceProbeSeen[]): boolean {
  const router = attachedTo(world, each.destination)?.node;
  const sender = senderOf(world, each);
  if (each.answered || router === undefined || router === each.from || sender === undefined) return false;
  return (
    tries.some(
      (other) => other.answered && other.destination === each.destination && senderOf(world, other) !== sender,
    ) &&
    isUnrouted(world, router, sender) &&
    !isOwedRoute(world, router, sender) &&
    remembersBefore(world, router) &&
    !hadWayBack(world, router, sender) &&
    !havePoliciesChanged(world)
  );
}

/** The router itself has no route to the address. */
function isUnrouted(world: World, router: string, address: string): boolean {
  const { endings } = walk(world, router, address);
  return endings.length > 0 && endings.every(({ kind, at }) => kind === 'none' && at === router);
}

/** A node of the same system has more than a default route there: the router is owed one as well. */
function isOwedRoute(world: World, router: string, address: string): boolean {
  const system = systemOf(world, router);
  return [...world.lookups].some(([node, answers]) => {
    const answer = answers.get(address);
    const isOwner = world.owners.get(address)?.some((owner) => owner.node === node) === true;
    return !isOwner && systemOf(world, node) === system && answer?.kind === 'unicast' && answer.matched !== 'default';
  });
}
