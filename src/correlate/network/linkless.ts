// Nodes without a link to any node that was asked: their neighbours have no agent, or LLDP is off. Their links cannot be measured one by one; that
// probes pass over them both ways shows all the same that they carry traffic.
import { announcesAgent } from '#model/peer.ts';
import { linksAt, type World } from './world.ts';

export function linklessNodes(world: World): readonly string[] {
  return [...world.views.keys()].filter((node) => world.views.size > 1 && linksAt(world, node).length === 0);
}

/** All its ports in use are up, no neighbour of it announces an agent, all probes to some address of another node came back, and all of another node to one of its own. */
export function passesUnseen({ views, reach, owners }: World, node: string): boolean {
  const neighbours = views.get(node)?.state.neighbours ?? [];
  const isOwn = (address: string) => owners.get(address)?.some((owner) => owner.node === node) === true;
  const came = reach.filter(({ sent, received }) => sent > 0 && received === sent);
  const ports = views.get(node)?.state.inventory.interfaces ?? [];
  return (
    ports.every(
      ({ kind, adminUp, operUp, addresses }) => kind !== 'physical' || !adminUp || operUp || addresses.length === 0,
    ) &&
    !neighbours.some(announcesAgent) &&
    came.some(({ from, destination }) => from === node && !isOwn(destination)) &&
    came.some(({ from, destination }) => from !== node && isOwn(destination))
  );
}
