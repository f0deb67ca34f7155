// What hosts ask for now again and again, though they were answered before: users' traffic dies, whatever our own probes say. Keeps the verdict from
// being healthy where it bears on the question, with the place as far as it is known. Counts only servers of nodes of the question or on their
// networks: of others it is not known whether they are there. What hosts of one network alone ask for counts where the server no longer answers
// its own router either, its entry there is contested, or a filter on the way drops it by what changed: one host may send anything, in the name of its neighbours too, and a server may refuse it. A server that is off is no fault, and neither is what was never answered.
import { covers } from '#base/ip.ts';
import { coversHost, userNetwork } from '#model/hosts/host-places.ts';
import { type Intent, isAlongPath } from '#model/intent.ts';
import { ageWords } from '#model/settings/change-words.ts';
import type { Proof } from '../engine/facts.ts';
import { walk } from '../network/forwarding.ts';
import { type Attached, attachedTo, isAbsentOnLink } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { ServiceProbeSeen } from '../network/service-tries.ts';
import { askedNodes, interfaceOf, type World } from '../network/world.ts';
import { counterDelta } from '../observe/wire.ts';
import { newlyDropped } from '../packet-filter/behind-ends.ts';
import { type AskedInVain, askedInVain } from '../symptoms/asked-in-vain.ts';
import { contestedEntry } from './contested-entry.ts';
import { dropperOf } from './proof-networks.ts';

/** Clients of one line, and lines; more are counted. */
const NAMED = 4;

type Place = Attached & { readonly isOwn: boolean };
type Asked = {
  readonly rows: readonly AskedInVain[];
  readonly server: string;
  readonly port: number;
  readonly near: Place;
};

export function userProof(intent: Intent, world: World): Proof {
  const services = Map.groupBy(askedInVain(world), ({ server, port }) => `${server} ${port}`);
  const asked = [...services.values()].flatMap((all): Asked[] => {
    const { server, port } = all[0]!;
    const near = placeOf(world, server);
    const rows = near === undefined ? [] : all.filter((row) => bears(intent, world, row, near));
    return near === undefined || rows.length === 0 ? [] : [{ rows, server, port, near }];
  });
  const off = asked.filter(({ server }) => isAbsentOnLink(world, server));
  const on = asked.filter((each) => !off.includes(each));
  const rowsOf = (server: string) => on.flatMap((each) => (each.server === server ? each.rows : []));
  const lacking = on.filter(
    (each) =>
      intent.fromHost !== undefined ||
      isOfTwoNetworks(world, rowsOf(each.server)) ||
      isSilentNow(world, each) ||
      entryOf(world, each) !== undefined ||
      filteredOnTheWay(world, each) !== undefined,
  );
  const few = on.filter((each) => !lacking.includes(each));
  return {
    proven: [
      ...linesOf(
        off,
        (each) =>
          `${askedLine(each)}; no host has its address at ${nodeRef(each.near.node)} ${each.near.ifname}, where others answer: it may be off`,
      ),
      ...linesOf(
        few,
        (each) =>
          `${askedLine(each)}; ${foundAt(world, each)}; hosts of one network alone ask so, and it is taken for no fault of the network`,
      ),
    ],
    lacking: linesOf(lacking, (each) => `${askedLine(each)}; ${foundAt(world, each)}`),
  };
}

function linesOf(asked: readonly Asked[], lineOf: (each: Asked) => string): readonly string[] {
  const more = asked.slice(NAMED).map(({ server, port }) => `${server} port ${port}`);
  const also =
    more.length === 0 ? [] : [`requests to ${more.length} more services were sent again: ${more.join(', ')}`];
  return [...asked.slice(0, NAMED).map(lineOf), ...also];
}

/** The node that has the address, or has a network of it on a port; undefined: the server is beyond the nodes of the question. */
function placeOf(world: World, server: string): Place | undefined {
  const owner = world.owners.get(server)?.[0];
  if (owner !== undefined) return { ...owner, routerAddress: server, present: true, isOwn: true };
  const near = attachedTo(world, server);
  return near === undefined ? undefined : { ...near, isOwn: false };
}

/**
 * A question about an address: to or from it. One about a session or a link asks for no users. One about nodes: of reaching each other, what passes all of
 * them; else what passes one.
 */
function bears(intent: Intent, world: World, { node, client, server }: AskedInVain, near: Place): boolean {
  const { kind, destination, fromHost, path } = intent;
  if (kind === 'neighbour-down' || kind === 'interface-fault') return false;
  if (destination !== undefined) {
    const isAsked = destination.includes('/') ? covers(destination, server) : destination === server;
    return isAsked && (fromHost === undefined || fromHost.address === client);
  }
  if (path.length === 0) return true;
  // Along a path: of one of its nodes, for a server of another.
  if (isAlongPath(intent)) return node !== near.node;
  const passed = new Set([node, near.node, ...walk(world, node, near.routerAddress).nodes]);
  const named = askedNodes(intent, world);
  return kind === 'reachability' ? named.every((each) => passed.has(each)) : named.some((each) => passed.has(each));
}

function askedLine({ rows, server, port }: Asked): string {
  const times = rows.reduce((sum, row) => sum + row.times, 0);
  const sinceMs = Math.max(...rows.map(({ sinceAgoMs }) => sinceAgoMs));
  const okMs = Math.min(...rows.map(({ okAgoMs }) => okAgoMs));
  const askers = rows.slice(0, NAMED).map((row) => askerOf(row));
  const more = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : '';
  const were = rows.length > 1 ? 'were' : 'was';
  return `${server} port ${port}: ${askers.join(', ')}${more} sent requests again for ${times} connections in the last ${ageWords(sinceMs)}, ${were} seen to end none of them, and ended others until ${ageWords(okMs)} ago`;
}

function askerOf({ node, client, ifname, okIfname }: AskedInVain): string {
  const before = okIfname === ifname ? '' : `, and behind ${okIfname} when it was answered`;
  return `${client} (behind ${nodeRef(node)} ${ifname}${before})`;
}

/** Tries of the service by the router of its network. */
function triesOf(world: World, { server, port, near }: Omit<Asked, 'rows'>): readonly ServiceProbeSeen[] {
  return world.serviceProbes.filter(
    (each) => each.from === near.node && each.destination === server && each.port === port && !each.via,
  );
}

/** The router of the server gets no answer, and was given one before: what never answers routers says nothing by not answering. */
function isSilentNow(world: World, asked: Asked): boolean {
  const { server, port, near } = asked;
  const tries = triesOf(world, asked);
  const before = world.views.get(near.node)?.state.history?.watchedHosts?.answered ?? [];
  return (
    tries.length > 0 &&
    !tries.some(({ answered }) => answered) &&
    before.some((each) => each.service === 'tcp' && each.address === server && each.port === port)
  );
}

/** A filter of a node between them drops such requests, and is not known to have done so before: then the requests are no longer the word of their senders alone. */
function filteredOnTheWay(world: World, { rows, server, port, near }: Asked): string | undefined {
  if (near.isOwn) return undefined;
  const to = { node: near.node, ifname: near.ifname, network: `${server}/32` };
  return rows
    .map(({ node, ifname, client }) => {
      const way = walk(world, node, near.routerAddress).nodes;
      const from = { node, ifname, network: `${client}/32` };
      const found = way.at(-1) === near.node ? newlyDropped(world, way, { client: from, server: to, port }) : undefined;
      if (found === undefined) return undefined;
      const was = found.before === 'unknown' ? 'its rules changed' : 'it let them through before';
      return `${dropperOf(found)} drops the requests of ${client}, and ${was}`;
    })
    .find((line) => line !== undefined);
}

function entryOf(world: World, { rows, server, near }: Asked): string | undefined {
  const sinceMs = Math.max(...rows.map(({ sinceAgoMs }) => sinceAgoMs));
  return near.isOwn ? undefined : contestedEntry(world, near.node, near.ifname, server, sinceMs);
}

/** Two of them came from networks apart: neither from one port, nor from ports of one network, as those of two routers on one LAN. */
function isOfTwoNetworks(world: World, rows: readonly AskedInVain[]): boolean {
  const places = rows.map((row) => placesOf(world, row));
  return places.some((one) => places.some((other) => one.isDisjointFrom(other)));
}

/** The port of the client, and every network that the port has or the client is in. */
function placesOf(world: World, { node, ifname, client }: AskedInVain): ReadonlySet<string> {
  const own = interfaceOf(world, { node, ifname });
  const around = [...world.views.values()].flatMap(({ state }) =>
    state.inventory.interfaces.flatMap(({ addresses }) => addresses.filter((each) => coversHost(each, client))),
  );
  const networks = [...(own?.addresses ?? []), ...around].flatMap((each) => networkOf(each) ?? []);
  return new Set([`${node} ${ifname}`, ...networks]);
}

function networkOf(own: string): string | undefined {
  const network = userNetwork(own);
  if (network === undefined) return undefined;
  const { family, value, prefixBits } = network;
  return `${family} ${value >> BigInt((family === 4 ? 32 : 128) - prefixBits)}/${prefixBits}`;
}

function foundAt(world: World, asked: Asked): string {
  const { rows, server, port, near } = asked;
  if (near.isOwn) return `it is an address of ${nodeRef(near.node)} itself${translating(world, rows, near)}`;
  const at = `${nodeRef(near.node)} ${near.ifname}, the port of its network`;
  const filtered = filteredOnTheWay(world, asked);
  if (filtered !== undefined) return filtered;
  const tries = triesOf(world, { server, port, near });
  if (tries.some(({ open }) => open))
    return `it answers ${at}: packets are lost on the way, or the server answers these clients late or not at all${translating(world, rows, near)}`;
  if (tries.some(({ answered }) => answered)) return `it refuses ${at}`;
  const entry = entryOf(world, asked);
  if (entry !== undefined) return `it does not answer ${at}: ${entry}`;
  if (isSilentNow(world, asked)) return `it does not answer ${at}, either, and did before`;
  if (tries.length > 0) return `it does not answer ${at}, and was not seen to answer it before`;
  const isAsked = world.hosts.some(
    ({ node, ifname, asked }) => node === near.node && ifname === near.ifname && asked.includes(server),
  );
  if (isAsked && !near.present) return `no host answers for its address at ${at}`;
  return `whether it answers ${at}, was not tested${translating(world, rows, near)}`;
}

/** Nodes on the way that write other sources into packets and may have no port free: several clients suffer, or the kernel could not enter some. */
function translating(world: World, rows: readonly AskedInVain[], near: Place): string {
  const nodes = new Set(rows.flatMap(({ node }) => walk(world, node, near.routerAddress).nodes));
  const isOfMany = new Set(rows.map(({ client }) => client)).size > 1;
  return [...nodes]
    .filter((node) =>
      world.views
        .get(node)
        ?.state.filters.some(({ rewrites = [] }) => rewrites.some((each) => each.startsWith('source = '))),
    )
    .map((node) => ({ node, failed: refusing(world, node) }))
    .filter(({ failed }) => isOfMany || failed !== '')
    .map(({ node, failed }) => `; ${nodeRef(node)}${failed} translates addresses there`)
    .join('');
}

/** What the kernel of a node that translates could not enter: no free port for the translation shows so, and two equal packets at once as well. */
function refusing(world: World, node: string): string {
  const { before, after } = world.views.get(node) ?? {};
  const failed = counterDelta(before?.forwarding?.conntrack?.failed, after?.forwarding?.conntrack?.failed) ?? 0;
  return failed === 0 ? '' : ` (which could not enter ${failed} connections in the window: no port may be free)`;
}
