// A question may say that packets come from a host, which has no agent: the router that has the host on a port is asked in its place, once
// the states of nodes tell which that is. The host's own address is never sent from (measure/probe-sources.ts).
import { ParleyError } from '#base/error.ts';
import { strangeSender } from '#intent/reader/ends.ts';
import { understoodAs } from '#intent/reader/understood-as.ts';
import { type HostRouter, hostRoutersOf, ownerIn } from '#measure/hosts/host-routers.ts';
import type { States } from '#measure/states.ts';
import type { FromHost, Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import type { Journal } from '../parts/progress.ts';
import { findNodes } from '../sessions/find-nodes.ts';
import { ask, askRings, knownNodes, neighboursOf, type SurveyParts } from './ask-states.ts';
import type { Gathered } from './collect.ts';

type Place = {
  readonly intent: Intent;
  /** States that were asked for on the way. */
  readonly knownStates: States;
};

export type Placed = Place & {
  /** Adds what nodes of the scope answered to what was gathered: what other nodes have on their ports is no matter of the question. */
  gatherFrom(scope: readonly string[]): void;
};

/**
 * The question with the host's router as the first of its nodes; the same where no host is named. Rejects with `caller/unknown-intent` where
 * no node that answered is on a network with the host.
 */
export async function placeSender(
  parts: SurveyParts,
  intent: Intent,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<Placed> {
  const { fromHost } = intent;
  if (fromHost === undefined) return { intent, knownStates: new Map(), gatherFrom: () => {} };
  const search: Gathered = { ...gathered, outcomes: [], evidence: [] };
  const place = await placeHost(parts, intent, fromHost, search, journal, signal);
  return {
    ...place,
    gatherFrom(scope) {
      gathered.outcomes.unshift(...search.outcomes.filter(({ node }) => scope.includes(node)));
      gathered.evidence.unshift(...search.evidence.filter(({ node }) => scope.includes(node)));
    },
  };
}

async function placeHost(
  parts: SurveyParts,
  intent: Intent,
  fromHost: FromHost,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<Place> {
  journal.tell('peers', `asking which node has ${fromHost.address} on a port`);
  if (intent.path.length > 0) {
    const nodes = await findNodes(parts, intent, journal, signal);
    const knownStates = await ask(parts, nodes, gathered, journal, signal);
    // A node that does not answer is believed to be where the operator says that it is.
    if (knownStates.size < nodes.length) return { intent, knownStates };
    const around = await withNeighbours({ ...parts, knownStates }, nodes, gathered, journal, signal);
    return (
      fromOwner(intent, fromHost, around, journal) ?? {
        intent: behindNamed(intent, fromHost, knownStates, journal),
        knownStates: around,
      }
    );
  }
  const own = await ask(parts, [parts.node], gathered, journal, signal);
  // One port of a router at most.
  const near = hostRoutersOf(own, fromHost.address).find(({ heard }) => heard);
  if (near !== undefined) {
    const around = await withNeighbours({ ...parts, knownStates: own }, [parts.node], gathered, journal, signal);
    return (
      fromOwner(intent, fromHost, around, journal) ?? {
        intent: behind(intent, fromHost, [near], journal),
        knownStates: around,
      }
    );
  }
  const known = await knownNodes(parts, journal, signal);
  const { nodes, unasked, states } = await askRings({ ...parts, knownStates: own }, known, gathered, journal, signal);
  const owned = fromOwner(intent, fromHost, states, journal);
  if (owned !== undefined) return owned;
  const [first, ...others] = hostRoutersOf(states, fromHost.address);
  const silent = [...nodes.filter((node) => !states.has(node)), ...unasked];
  if (first === undefined) throw unplaced(`${strangeSender(fromHost.address)}${silentWords(silent)}`);
  return { intent: behind(intent, fromHost, [first, ...others], journal), knownStates: states };
}

/** What is heard on a port may be a router beside the node. Their states are what the question needs of them anyway. */
async function withNeighbours(
  parts: SurveyParts & { readonly knownStates: States },
  nodes: readonly string[],
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<States> {
  const around = neighboursOf(parts, nodes, parts.knownStates);
  return new Map([...parts.knownStates, ...(await ask(parts, around, gathered, journal, signal))]);
}

function behindNamed(intent: Intent, fromHost: FromHost, knownStates: States, journal: Journal): Intent {
  const { address, ifname } = fromHost;
  const routers = hostRoutersOf(knownStates, address);
  const found = routers.find((each) => ifname === undefined || each.ifname === ifname);
  if (found !== undefined) return behind(intent, fromHost, [found], journal);
  const place = [intent.path[0]!.as, ...(ifname === undefined ? [] : [ifname])].join(' ');
  const other = routers[0] === undefined ? '' : `; it is in that of ${portOf(routers[0])}`;
  throw unplaced(`${address}, which is in no network of ${place}${other}`);
}

/** The first of them asks; that there are others which the host may send to is said. */
function behind(
  intent: Intent,
  { address }: FromHost,
  [{ node, ifname, heard }, ...rest]: readonly [HostRouter, ...HostRouter[]],
  journal: Journal,
): Intent {
  // Where this one heard the host, those on the same network that did not are no ends of its way.
  const others = rest.filter((each) => !heard || each.heard).map(portOf);
  const notUsed = [...(intent.notUsed ?? []), ...others.map((port) => `${port} (${address} may be behind it as well)`)];
  const placed: Intent = {
    ...intent,
    path: [{ as: node, key: nodeKey(node) }],
    fromHost: { address, ifname },
    ...(notUsed.length === 0 ? {} : { notUsed }),
  };
  return knownStates(placed, journal);
}

/** It is no host where the address is a node's own. */
function fromOwner(
  { fromHost: _host, ...intent }: Intent,
  { address }: FromHost,
  states: States,
  journal: Journal,
): Place | undefined {
  const node = ownerIn(states, address);
  if (node === undefined) return undefined;
  return { intent: knownStates({ ...intent, path: [{ as: node, key: nodeKey(node) }] }, journal), knownStates: states };
}

/** A structure has no words. */
function knownStates(intent: Intent, journal: Journal): Intent {
  const words = understoodAs({ topic: 'reach', ...intent });
  journal.tell('intent', `understood as ${words}`, { understoodAs: words });
  return intent.understoodAs === undefined ? intent : { ...intent, understoodAs: words };
}

function portOf({ node, ifname }: HostRouter): string {
  return `${node} ${ifname}`;
}

function silentWords(silent: readonly string[]): string {
  return silent.length === 0 ? '' : `; not known of ${silent.join(', ')}, which did not say which networks it has`;
}

function unplaced(understood: string): ParleyError {
  return new ParleyError('caller/unknown-intent', `expected a question this agent answers, got ${understood}`, {
    data: { understood, reason: 'unclear', forms: [] },
  });
}
