// Symptoms of nodes: dead daemons, silence, neighbour tables that contradict the neighbours, and
// addresses that two have.
import type { Outcome } from '#model/call.ts';
import { interfaceResource, type LinkEnd, nodeKey, nodeResource } from '#model/names.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { interfaceOf, linkOn, otherEnd, sourcesOf, type World } from '../../network/world.ts';

export function nodeSymptoms(world: World, outcomes: readonly Outcome[]): readonly Symptom[] {
  return [...deadDaemons(world), ...silentNodes(world, outcomes), ...wrongEntries(world), ...duplicates(world)];
}

function deadDaemons(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state, sources }) => {
    const dead = (state.daemons ?? []).filter((daemon) => !daemon.alive).map((daemon) => daemon.name);
    if (dead.length === 0) return [];
    const text = `${mark(node)}: ${dead.join(', ')} no longer answer${dead.length === 1 ? 's' : ''}`;
    const alive = (state.daemons ?? []).filter((daemon) => daemon.alive).map((daemon) => daemon.name);
    return [
      {
        id: `daemon:${node}`,
        kind: 'daemon' as const,
        subject: nodeResource(node),
        text,
        source: sources,
        nodes: [node],
        detail: { dead, alive },
      },
    ];
  });
}

/** A node that gave no state. Who heard it last, and whether it is still heard, tells a dead agent from a dead device. */
function silentNodes(world: World, outcomes: readonly Outcome[]): readonly Symptom[] {
  return world.nodes
    .filter((node) => !world.views.has(node) && outcomes.some((outcome) => outcome.node === node))
    .flatMap((node): readonly Symptom[] => {
      const witnesses = [...world.views.values()].flatMap(({ node: witness, state }) =>
        (state.history?.lastHeard ?? [])
          .filter((entry) => nodeKey(entry.name) === nodeKey(node))
          .map((entry) => ({
            node: witness,
            ifname: entry.ifname,
            up: state.inventory.interfaces.some((each) => each.name === entry.ifname && each.operUp),
          })),
      );
      const lost = witnesses.filter((witness) => !witness.up);
      if (witnesses.length === 0 || lost.length < witnesses.length) return [];
      const why =
        outcomes.find((outcome) => outcome.node === node && outcome.status !== 'answered')?.reason ?? 'no answer';
      return [
        {
          id: `silent:${node}`,
          kind: 'silent',
          subject: nodeResource(node),
          text: `${mark(node)} does not answer (${why}), and ${lost.map((each) => `${mark(each.node)} ${each.ifname}`).join(', ')} lost it`,
          source: sourcesOf(world, ...new Set(lost.map((each) => each.node))),
          nodes: [node, ...new Set(lost.map((each) => each.node))],
          detail: { witnesses: lost.map((each) => interfaceResource(each)) },
        },
      ];
    });
}

function wrongEntries(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state }) =>
    (state.neighbourTable ?? []).flatMap((row): readonly Symptom[] => {
      const owners = (world.owners.get(row.address) ?? []).filter((owner) => owner.node !== node);
      const near = linkOn(world, { node, ifname: row.ifname }).map((link) => otherEnd(link, node));
      const owner = owners.find((each) => near.some((end) => end.node === each.node && end.ifname === each.ifname));
      const mac = owner === undefined ? undefined : interfaceOf(world, owner)?.mac;
      if (owner === undefined || owners.length !== 1 || mac === undefined) return [];
      const unresolved = row.mac === undefined && /FAILED|INCOMPLETE/.test(row.state);
      if (!unresolved && (row.mac === undefined || row.mac.toLowerCase() === mac.toLowerCase())) return [];
      if (row.mac !== undefined && /STALE|FAILED/.test(row.state)) return [];
      const up = [{ node, ifname: row.ifname }, owner].every((end) => interfaceOf(world, end)?.operUp === true);
      if (!up) return [];
      const text = unresolved
        ? `${mark(node)} ${row.ifname}: ${row.address} of ${mark(owner.node)} cannot be resolved`
        : `${mark(node)} ${row.ifname}: ${row.address} is said to be at ${row.mac}, ${mark(owner.node)} has ${mac}`;
      const link = linkOn(world, { node, ifname: row.ifname })[0];
      return [
        {
          id: `entry:${node}/${row.ifname}/${row.address}`,
          kind: 'entry',
          subject: nodeResource(node),
          text,
          source: sourcesOf(world, node, owner.node),
          nodes: [node, owner.node],
          ...(link === undefined ? {} : { link }),
          detail: {
            node,
            ifname: row.ifname,
            address: row.address,
            owner: owner.node,
            ownerInterface: owner.ifname,
            unresolved,
            fixed: /PERMANENT/.test(row.state),
            ...(row.mac === undefined ? {} : { mac: row.mac }),
            ownerMac: mac,
          },
        },
      ];
    }),
  );
}

/** A host address on the loopbacks of several nodes is meant to be there (RFC 4786). */
function isAnycast(world: World, address: string, owners: readonly LinkEnd[]): boolean {
  return owners.every((owner) => {
    const found = interfaceOf(world, owner);
    return (
      found?.kind === 'loopback' &&
      found.addresses.some((each) => each === `${address}/32` || each === `${address}/128`)
    );
  });
}

/** The same address and length on bridges that no link joins: a network inside each node, or a gateway that all of them are. */
function isLocal(world: World, address: string, owners: readonly LinkEnd[]): boolean {
  const lengths = owners.map((owner) => {
    const found = interfaceOf(world, owner);
    const own = found?.addresses.find((each) => each.startsWith(`${address}/`));
    return found?.kind === 'bridge' && linkOn(world, owner).length === 0 ? own : undefined;
  });
  return lengths[0] !== undefined && new Set(lengths).size === 1;
}

function duplicates(world: World): readonly Symptom[] {
  const addresses = [...world.owners].flatMap(([address, owners]): readonly Symptom[] => {
    const nodes = [...new Set(owners.map((owner) => owner.node))];
    if (nodes.length < 2 || isAnycast(world, address, owners) || isLocal(world, address, owners)) return [];
    const text = `${address} is on ${owners.map((owner) => `${mark(owner.node)} ${owner.ifname}`).join(' and ')}`;
    const detail = { address, owners: owners.map((owner) => interfaceResource(owner)) };
    return [
      {
        id: `duplicate:${address}`,
        kind: 'duplicate',
        subject: nodeResource(nodes[0]!),
        text,
        source: sourcesOf(world, ...nodes),
        nodes,
        detail,
      },
    ];
  });
  const macs = world.links.flatMap((link): readonly Symptom[] => {
    const [from, to] = [interfaceOf(world, link.from)?.mac, interfaceOf(world, link.to)?.mac];
    if (from === undefined || from !== to) return [];
    const nodes = [link.from.node, link.to.node];
    const text = `${mark(link.from.node)} ${link.from.ifname} and ${mark(link.to.node)} ${link.to.ifname} both have ${from}`;
    const detail = { mac: from, owners: [interfaceResource(link.from), interfaceResource(link.to)] };
    return [
      {
        id: `duplicate:${link.key}`,
        kind: 'duplicate',
        subject: link.key,
        text,
        source: sourcesOf(world, ...nodes),
        nodes,
        link,
        detail,
      },
    ];
  });
  return [...addresses, ...macs];
}
