// The nodes on the path of a question about reachability: each is asked where it forwards to, and the next hop is asked next,
// so that the number of calls grows with the path. Ends at the owner, where no node knows a next hop, or after a bounded number of hops.
import { covers } from '#base/ip.ts';
import { readingsOf } from '#measure/measurement.ts';
import { pathLookups, planPathLookup } from '#measure/nodes/lookups.ts';
import type { States } from '#measure/states.ts';
import { nodeKey } from '#model/names.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { Journal } from '../parts/progress.ts';
import { askWitnesses, type FindParts } from '../sessions/find-nodes.ts';
import { type ConsultParts, consult, type Gathered } from './collect.ts';

type FollowParts = ConsultParts & FindParts;
type AskStates = (nodes: readonly string[]) => Promise<States>;

/** States of every node on the paths, those known before included, whether the owner of every destination is among them, and who forwards, the first coming first. */
export async function follow(
  parts: FollowParts,
  start: { readonly from: string; readonly destination: string },
  known: States,
  ask: AskStates,
  rest: { readonly gathered: Gathered; readonly journal: Journal; readonly signal: AbortSignal },
): Promise<{ readonly states: States; readonly found: boolean; readonly forwarding: readonly string[] }> {
  let states = known;
  let frontier = [start.from];
  const asked = new Set<string>();
  for (let hop = 0; hop < AGENT_LIMITS.followHops && frontier.length > 0; hop++) {
    const unknown = frontier.filter((node) => !states.has(node));
    if (unknown.length > 0) states = new Map([...states, ...(await ask(unknown))]);
    const calls = frontier.filter(
      (node) => states.has(node) && !owns(states.get(node)!, start.destination) && !asked.has(node),
    );
    for (const node of calls) asked.add(node);
    const told = await consult(
      parts,
      calls.map((node) => planPathLookup(node, start.destination)),
      rest.gathered,
      rest.journal,
      rest.signal,
    );
    const heard = readingsOf(pathLookups, told).flatMap(({ node, value }) =>
      value.flatMap((answer) => heardBehind(states.get(node), answer).map((name) => ({ name, by: node }))),
    );
    // A node that hears a neighbour which this node does not know is asked how to reach it.
    const strangers = heard.filter(({ name }) => parts.peers.find(nodeKey(name)) === undefined);
    const witnesses = [...new Set(strangers.map(({ by }) => by))];
    await askWitnesses(parts, witnesses, rest.journal, rest.signal);
    const next = heard.flatMap(({ name }) => parts.peers.find(nodeKey(name))?.node ?? []);
    frontier = [...new Set(next)].filter((node) => !asked.has(node));
  }
  const owners = [...states].filter(([, state]) => isAttached(state, start.destination)).map(([node]) => node);
  // Who asks why it cannot reach an address that it has itself is not its only owner.
  return { states, found: owners.some((node) => node !== start.from), forwarding: [...asked] };
}

/** Names that are heard on the interfaces by which a node forwards, now or lately. */
function heardBehind(state: NodeState | undefined, answer: RouteAnswer): readonly string[] {
  if (state === undefined || answer.kind !== 'unicast') return [];
  const ifnames = answer.ifnames ?? (answer.ifname === undefined ? [] : [answer.ifname]);
  const names = [
    ...state.neighbours.map((entry) => ({ ifname: entry.ifname, name: entry.systemName })),
    ...state.adjacencies.map((entry) => ({ ifname: entry.ifname, name: entry.hostname })),
    ...(state.history?.lastHeard ?? []),
  ];
  return names.flatMap(({ ifname, name }) => (name === undefined || !ifnames.includes(ifname) ? [] : name));
}

/** An owner in earnest: a network on a loopback has no hosts, and a node that announces one may be an impostor. */
function isAttached(state: NodeState, destination: string): boolean {
  return state.inventory.interfaces.some((entry) =>
    entry.addresses.some(
      (address) => covers(address, destination) && (entry.kind !== 'loopback' || address.split('/')[0] === destination),
    ),
  );
}

/** The node has the address, or is attached to its network. */
function owns(state: NodeState, destination: string): boolean {
  return state.inventory.interfaces.some((entry) =>
    entry.addresses.some((address) => !address.endsWith('/0') && covers(address, destination)),
  );
}
