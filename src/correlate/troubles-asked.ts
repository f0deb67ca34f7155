// Troubles of a service that the operator says is to be there: its host is there and refuses, or does not know the name. Told only
// by the router that the host is attached to: what anybody further away is refused may have been refused on the way.
import { nodeResource } from '#model/names.ts';
import { mark } from './spelling.ts';
import { attachedTo } from './stations.ts';
import type { Trouble } from './trouble.ts';
import { type KnockSeen, sourcesOf, type World } from './world.ts';

export function deadServices(world: World): readonly Trouble[] {
  const { service } = world;
  if (service === undefined) return [];
  const station = attachedTo(world, service.address);
  if (station === undefined) return [];
  const tries = world.knocks.filter((knock) => isThis(knock, service.address, service.port));
  const near = tries.filter((knock) => knock.from === station.node);
  const how =
    near.length === 0 ? undefined : near.every(refused) ? 'refused' : near.every(unknown) ? 'no-record' : undefined;
  if (how === undefined) return [];
  const what = `${service.name === 'dns' ? 'DNS' : 'HTTP'} at ${service.address} port ${service.port}`;
  const told =
    how === 'refused'
      ? `${what} behind ${mark(station.node)}: the host is there and refuses`
      : `${what} behind ${mark(station.node)}: answers, and does not know ${service.record}`;
  return [
    {
      id: `asked:${service.name}${service.port}/${service.address}`,
      kind: 'service',
      subject: nodeResource(station.node),
      text: told,
      source: [...near.map(({ source }) => source), ...sourcesOf(world, station.node)],
      nodes: [station.node],
      detail: {
        how,
        name: service.name,
        address: service.address,
        port: service.port,
        node: station.node,
        ifname: station.ifname,
        ...(service.record === undefined ? {} : { record: service.record }),
      },
    },
  ];
}

function isThis(knock: KnockSeen, address: string, port: number): boolean {
  return knock.destination === address && knock.port === port && knock.via === undefined;
}

function refused(knock: KnockSeen): boolean {
  return knock.answered && !knock.open;
}

function unknown(knock: KnockSeen): boolean {
  return knock.open && knock.found === false;
}
