// Whether echoes of another node to a host are lost though the host is there and every route is: what takes them lies beyond routing. Judged
// by both looks of the question; a filter that may take them, and a host whose own settings are wrong, are other matters.

import { attachedTo } from '../network/hosts.ts';
import { interfaceOf, type World } from '../network/world.ts';
import { type Attempt, meets, takes } from '../packet-filter/attempts.ts';
import { isDropping } from '../packet-filter/dropping-rules.ts';

/** Of the first round and of the confirmation. */
const LOOKS = 2;

/**
 * Echoes of another node to a host were lost at both looks, every route is there, all probes of that node to the router's own address on that
 * network came back, and the host answers echoes of its router, which are sent from an address off the link as well. Not where any filter on
 * the way may take them, which may be meant; and not where the host asks its link for others than its router, as a host does whose own
 * settings are wrong.
 */
export function isLostFromAfar(world: World, attempt: Attempt): boolean {
  const { from, destination, service, owner, behind, ifname } = attempt.detail;
  if (service !== 'echo' || !behind || from === owner) return false;
  const tries = world.serviceProbes.filter(
    (each) =>
      each.from === from && each.destination === destination && each.service === 'echo' && each.via === undefined,
  );
  const scans = world.hosts.filter((port) => port.node === owner && port.ifname === ifname);
  const isNear = scans.some(({ echoed }) => echoed?.includes(destination) === true);
  if (!isNear || !reachesRouter(world, attempt) || tries.length < LOOKS || tries.some(({ answered }) => answered))
    return false;
  const own = (interfaceOf(world, { node: owner, ifname: ifname ?? '' })?.addresses ?? []).map(
    (each) => each.split('/')[0],
  );
  const seeks = scans.some(({ asks }) =>
    asks.some(({ sender, target }) => sender === destination && !own.includes(target)),
  );
  return !seeks && !mayBeFiltered(world, attempt);
}

/** The same way up to the host's own router: what is lost before is a symptom of its own. */
function reachesRouter(world: World, { detail: { from, destination } }: Attempt): boolean {
  const address = attachedTo(world, destination)?.routerAddress;
  return world.reach.some(
    (row) => row.from === from && row.destination === address && row.sent > 0 && row.received === row.sent,
  );
}

/** Whatever it has counted: a rule that lets only some through says so by being there. */
function mayBeFiltered(world: World, attempt: Attempt): boolean {
  return (attempt.way?.nodes ?? []).some((node) =>
    (world.views.get(node)?.state.filters ?? []).some(
      (rule) => isDropping(rule) && meets(attempt, { ...rule, node }) && takes(rule, attempt),
    ),
  );
}
