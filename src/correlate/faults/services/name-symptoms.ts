// Symptoms of names: a host whose last questions went to an address where nobody serves names, while others get answers elsewhere; and a
// name server that takes long to answer its own router although its host answers echoes at once. A name server that nobody in scope is
// attached to is not judged: it may be well, and the way to it not.

import { coversHost } from '#model/hosts/host-places.ts';
import { isLate, isNameServer, nameServersIn } from '#model/hosts/name-servers.ts';
import { nodeResource } from '#model/names.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { attachedTo, called } from '../../network/hosts.ts';
import { mark } from '../../network/node-ref.ts';
import { type ServiceProbeSeen, sourcesOf, type View, type World } from '../../network/world.ts';
import { isFiltered } from './dhcp-symptoms.ts';

export function nameSymptoms(world: World): readonly Symptom[] {
  const states = [...world.views.values()].map(({ state }) => state);
  const real = nameServersIn(states)[0];
  const wrong = real === undefined ? [] : [...world.views.values()].flatMap((view) => misled(world, view, real));
  return [...wrong, ...lateServers(world)];
}

export function lateServers(world: World): readonly Symptom[] {
  return world.serviceProbes.flatMap((serviceProbe) => late(world, serviceProbe));
}

function misled(world: World, view: View, real: string): readonly Symptom[] {
  const { node, state } = view;
  const queries = (state.history?.heard ?? []).filter(({ what }) => what === 'dns-query');
  const states = [...world.views.values()].map((each) => each.state);
  return [...new Set(queries.map(({ from }) => from))].flatMap((host) => {
    const mine = queries.filter(({ from }) => from === host);
    const youngest = Math.min(...mine.map(({ agoMs }) => agoMs));
    const last = mine.filter(({ agoMs }) => agoMs === youngest);
    const entry = state.inventory.interfaces.find(({ name }) => name === last[0]?.ifname);
    const isHost = entry?.addresses.some((own) => coversHost(own, host)) === true;
    if (!isHost || last.some(({ to }) => isNameServer(states, to))) return [];
    if (!last.every(({ to }) => servesNone(world, node, to))) return [];
    const { node: resource, label } = called(world, view, last[0]!.ifname, host);
    const asked = last.map(({ to }) => to);
    const text = `host ${label} on ${mark(node)} ${last[0]!.ifname} asks ${asked.join(', ')} for names, which serves none; one that does is ${real}`;
    return [
      {
        id: `names:asks/${node}/${host}`,
        kind: 'names',
        subject: resource,
        text,
        source: [...sourcesOf(world, node), ...triesOf(world, asked).map(({ source }) => source)],
        nodes: [node],
        detail: {
          how: 'asks',
          host: resource,
          address: host,
          ifname: last[0]!.ifname,
          router: node,
          asks: asked,
          real,
        },
      },
    ];
  });
}

function triesOf(world: World, addresses: readonly string[]): readonly ServiceProbeSeen[] {
  return world.serviceProbes.filter(({ destination, port }) => port === 53 && addresses.includes(destination));
}

/** Tried by the host's router and by its own, from where no filter took the tries, and nothing served names. */
function servesNone(world: World, node: string, address: string): boolean {
  const near = attachedTo(world, address)?.node;
  if (near === undefined || isFiltered(world, { node: near, address })) return false;
  const tries = triesOf(world, [address]);
  const by = (from: string) => tries.some((each) => each.from === from);
  return by(node) && by(near) && !tries.some(({ open }) => open);
}

function late(
  world: World,
  { from, destination, port, tookMs = [], echoMs = [], source }: ServiceProbeSeen,
): readonly Symptom[] {
  const attached = attachedTo(world, destination);
  const view = world.views.get(from);
  if (port !== 53 || attached?.node !== from || view === undefined) return [];
  if (!isLate({ tookMs, echoMs })) return [];
  const [quickest, echo] = [Math.min(...tookMs), Math.max(...echoMs)];
  const { port: resource, node: host, label } = called(world, view, attached.ifname, destination);
  const text = `name server ${label} on ${mark(from)} ${attached.ifname} takes ${Math.round(quickest)} ms and more to answer, and ${Math.round(echo)} ms at most for an echo`;
  return [
    {
      id: `names:late/${destination}`,
      kind: 'names',
      subject: nodeResource(from),
      text,
      source: [source, ...sourcesOf(world, from)],
      nodes: [from],
      detail: {
        how: 'late',
        host,
        port: resource,
        ifname: attached.ifname,
        address: destination,
        tookMs: Math.round(quickest),
        echoMs: Math.round(echo),
        router: from,
      },
    },
  ];
}
