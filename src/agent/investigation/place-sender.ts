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
import { ask, askRings, knownNodes, type SurveyParts } from './ask-states.ts';
import type { Gathered } from './collect.ts';

export type Placed = {
  readonly intent: Intent;
  /** States that were asked for on the way. */
  readonly told: States;
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
  if (fromHost === undefined) return { intent, told: new Map() };
  journal.tell('peers', `asking which node has ${fromHost.address} on a port`);
  if (intent.path.length > 0) {
    const nodes = await findNodes(parts, intent, journal, signal);
    const told = await ask(parts, nodes, gathered, journal, signal);
    // A node that does not answer is believed to be where the operator says that it is.
    return { intent: told.size < nodes.length ? intent : behindNamed(intent, fromHost, told, journal), told };
  }
  const own = await ask(parts, [parts.node], gathered, journal, signal);
  const near = hostRoutersOf(own, fromHost.address).filter(({ heard }) => heard);
  if (near.length > 0) return { intent: behind(intent, fromHost, near, journal), told: own };
  const known = await knownNodes(parts, journal, signal);
  const { nodes, unasked, states } = await askRings({ ...parts, told: own }, known, gathered, journal, signal);
  const owner = ownerIn(states, fromHost.address);
  if (owner !== undefined) return { intent: fromNode(intent, owner, journal), told: states };
  const routers = hostRoutersOf(states, fromHost.address);
  const silent = [...nodes.filter((node) => !states.has(node)), ...unasked];
  if (routers.length === 0) throw unplaced(`${strangeSender(fromHost.address)}${silentWords(silent)}`);
  return { intent: behind(intent, fromHost, routers, journal), told: states };
}

function behindNamed(intent: Intent, fromHost: FromHost, told: States, journal: Journal): Intent {
  const { address, ifname } = fromHost;
  const routers = hostRoutersOf(told, address);
  const found = routers.find((each) => ifname === undefined || each.ifname === ifname);
  if (found !== undefined) return behind(intent, fromHost, [found], journal);
  const place = [intent.path[0]!.as, ...(ifname === undefined ? [] : [ifname])].join(' ');
  const other = routers[0] === undefined ? '' : `; it is in that of ${portOf(routers[0])}`;
  throw unplaced(`${address}, which is in no network of ${place}${other}`);
}

/** The first of them asks; that there are others which the host may send to is said. */
function behind(intent: Intent, fromHost: FromHost, routers: readonly HostRouter[], journal: Journal): Intent {
  const [{ node, ifname, heard } = { node: '', ifname: '', heard: false }, ...rest] = routers;
  // Where this one heard the host, those on the same network that did not are no ends of its way.
  const others = rest.filter((each) => !heard || each.heard).map(portOf);
  const notUsed = [
    ...(intent.notUsed ?? []),
    ...others.map((port) => `${port} (${fromHost.address} may be behind it as well)`),
  ];
  const placed: Intent = {
    ...intent,
    path: [{ as: node, key: nodeKey(node) }],
    fromHost: { address: fromHost.address, ifname },
    ...(notUsed.length === 0 ? {} : { notUsed }),
  };
  return told(placed, journal);
}

/** It is no host: the address is a node's own. */
function fromNode({ fromHost: _address, ...intent }: Intent, node: string, journal: Journal): Intent {
  return told({ ...intent, path: [{ as: node, key: nodeKey(node) }] }, journal);
}

/** A structure has no words. */
function told(intent: Intent, journal: Journal): Intent {
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
