// What shows that no router answers for a virtual address, with or without an agent: a node on that LAN has no neighbour entry for it or lost its echoes, or a
// host there asks for it and what is sent to that host from elsewhere does not come back. Members have the address themselves: theirs show nothing.
import type { LinkEnd } from '#model/names.ts';
import type { HostScanSeen, View, World } from '../../network/world.ts';
import { isOnOneLan } from './same-lan.ts';
import { type Group, portsFor } from './virtual-routers.ts';

/** Evidence ids; none where a router answers, or nothing is known. */
export function missedAt(world: World, { address, members }: Group): readonly string[] {
  const nodes = new Set(members.map(({ node }) => node));
  const ports = members.flatMap((member) => member.ports);
  const near = [...world.views.values()].filter(
    (view) => !nodes.has(view.node) && isOnOneLan(world, endsOf(view, address), ports),
  );
  const isNear = (node: string) => near.some((view) => view.node === node);
  const echoes = world.reach.filter(({ from, destination }) => destination === address && isNear(from));
  const isAnswered =
    scansAt(world, [...ports, ...near.flatMap((view) => endsOf(view, address))]).some(({ answers }) =>
      answers.some((answer) => answer.address === address && answer.macs.length > 0),
    ) ||
    echoes.some(({ received }) => received > 0) ||
    near.some((view) => entriesOf(view, address).some(({ state }) => /REACHABLE|DELAY|PROBE/.test(state)));
  if (isAnswered) return [];
  return [
    ...near
      .filter((view) => entriesOf(view, address).some(({ state }) => /FAILED|INCOMPLETE/.test(state)))
      .flatMap(({ sources }) => sources),
    ...echoes.map(({ source }) => source),
    ...scansOf(world, address, ports),
  ];
}

function endsOf({ node, state }: View, address: string): readonly LinkEnd[] {
  return portsFor(state.inventory.interfaces, address).map((ifname) => ({ node, ifname }));
}

function entriesOf({ state }: View, address: string) {
  return (state.neighbourTable ?? []).filter((entry) => entry.address === address);
}

/** Scans in which a host was there, asked for the address, and answered no echo from elsewhere. */
function scansOf(world: World, address: string, ports: readonly LinkEnd[]): readonly string[] {
  return scansAt(world, ports)
    .filter(({ asks, answers, echoed }) =>
      asks.some(
        ({ target, mac, sender }) =>
          target === address &&
          answers.some((answer) => answer.address === sender && answer.macs.includes(mac)) &&
          echoed?.includes(sender) === false,
      ),
    )
    .map(({ evidence }) => evidence);
}

function scansAt({ hosts }: World, ports: readonly LinkEnd[]): readonly HostScanSeen[] {
  return hosts.filter((scan) => ports.some(({ node, ifname }) => scan.node === node && scan.ifname === ifname));
}
