// What hosts ask for now and get no answer to, though they were answered before: users' traffic demonstrably dies, whatever our own probes say. Keeps
// the verdict from being healthy, with the place as far as it is known: where the requests come in, and whether the router of the server gets
// an answer. A host that no other host asks for is never named, and neither is one that was never answered: that may be meant.
import { ageWords } from '#model/settings/change-words.ts';
import type { Proof } from '../engine/facts.ts';
import { walk } from '../network/forwarding.ts';
import { type Attached, attachedTo } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { World } from '../network/world.ts';
import { counterDelta } from '../observe/wire.ts';
import { type AskedInVain, askedInVain } from '../symptoms/asked-in-vain.ts';

/** More are counted. */
const NAMED = 4;

export function userProof(world: World): Proof {
  return proofOf(world, askedInVain(world));
}

/** Along a path: hosts of one of its nodes that ask servers of another. */
export function usersAlongProof(world: World): Proof {
  const rows = askedInVain(world).filter(({ node, server }) => {
    const near = attachedTo(world, server);
    return near !== undefined && near.node !== node;
  });
  return proofOf(world, rows);
}

function proofOf(world: World, rows: readonly AskedInVain[]): Proof {
  const services = Map.groupBy(rows, ({ server, port }) => `${server} ${port}`);
  return { proven: [], lacking: [...services.values()].map((mine) => lineOf(world, mine)) };
}

function lineOf(world: World, rows: readonly AskedInVain[]): string {
  const { server, port } = rows[0]!;
  const times = rows.reduce((sum, row) => sum + row.times, 0);
  const sinceMs = Math.max(...rows.map(({ sinceAgoMs }) => sinceAgoMs));
  const okMs = Math.min(...rows.map(({ okAgoMs }) => okAgoMs));
  const askers = rows.slice(0, NAMED).map((row) => askerOf(row));
  const more = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : '';
  return `${server} port ${port}: ${askers.join(', ')}${more} ask for it in vain, ${times} connections in the last ${ageWords(sinceMs)}, and were answered until ${ageWords(okMs)} ago; ${placeOf(world, rows)}`;
}

function askerOf({ node, client, ifname, okIfname }: AskedInVain): string {
  const before = okIfname === ifname ? '' : `, and behind ${okIfname} when it was answered`;
  return `${client} (behind ${nodeRef(node)} ${ifname}${before})`;
}

function placeOf(world: World, rows: readonly AskedInVain[]): string {
  const { server, port } = rows[0]!;
  const near = attachedTo(world, server);
  if (near === undefined) return 'no node has a network of its address';
  const at = `${nodeRef(near.node)} ${near.ifname}, the port of its network`;
  const tries = world.serviceProbes.filter(
    (each) => each.from === near.node && each.destination === server && each.port === port && !each.via,
  );
  if (tries.some(({ open }) => open))
    return `it answers ${at}: what they send, or the answer, is lost on the way${between(world, rows, near)}`;
  if (tries.length > 0) return `it does not answer ${at}, either`;
  const isAsked = world.hosts.some(
    ({ node, ifname, asked }) => node === near.node && ifname === near.ifname && asked.includes(server),
  );
  if (isAsked && !near.present) return `no host answers for its address at ${at}`;
  return `whether it answers ${at}, was not tested`;
}

/** Nodes between the port of the first host and that of the server, and those of them that write other sources into packets. */
function between(world: World, rows: readonly AskedInVain[], near: Attached): string {
  const nodes = [...new Set(rows.flatMap(({ node }) => walk(world, node, near.routerAddress).nodes))];
  const translating = nodes.filter((node) =>
    world.views
      .get(node)
      ?.state.filters.some(({ rewrites = [] }) => rewrites.some((each) => each.startsWith('source = '))),
  );
  const by = translating.map((node) => `${nodeRef(node)}${refusing(world, node)}`).join(', ');
  const also =
    translating.length === 0 ? '' : `; ${by} ${translating.length === 1 ? 'translates' : 'translate'} addresses there`;
  return nodes.length === 0 ? also : `, between ${nodes.map(nodeRef).join(', ')}${also}`;
}

/** What the kernel of a node that translates could not enter: no free port for the translation shows so, and two equal packets at once as well. */
function refusing(world: World, node: string): string {
  const { before, after } = world.views.get(node) ?? {};
  const failed = counterDelta(before?.forwarding?.conntrack?.failed, after?.forwarding?.conntrack?.failed) ?? 0;
  return failed === 0 ? '' : ` (which could not enter ${failed} connections in the window: no port may be free)`;
}
