// SIDs that heads send to and that no node has, or that look up in a table without a route, and nodes that lack a kind of SID that all other heads have.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { hasNoRoute, type Steering, steeringOf } from '../network/srv6-steering.ts';
import { sourcesOf, type View, type World } from '../network/world.ts';

/** Others that must agree before a node that differs is called odd. */
const LEAST_OTHER_NODES = 2;

export type MissingSidDetail = {
  /** The SID, or only its behaviour where no head sends to it. */
  readonly sid?: string;
  readonly behavior?: string;
  /** The routing table, without a route, in which the node's SID looks up: the SID is there. */
  readonly emptyTable?: string;
  /** The node whose SID it should be; absent where none is known. */
  readonly owner?: string;
  /** Nodes that send to it, and one of the prefixes that they send there. */
  readonly heads?: readonly string[];
  readonly prefix?: string;
};

export const missingSidSymptom = defineSymptom<MissingSidDetail>('srv6');

export function missingSids(world: World): readonly Symptom<MissingSidDetail>[] {
  const wanted = wantedSids(world);
  const idle = idleSids(world);
  const owners = [...wanted, ...idle].map(({ detail }) => detail.owner);
  return [...wanted, ...idle, ...lackingBehaviors(world).filter(({ detail }) => !owners.includes(detail.owner))];
}

function wantedSids(world: World): readonly Symptom<MissingSidDetail>[] {
  const have = new Set(
    [...world.views.values()].flatMap(({ state }) => state.inventory.sids.map((entry) => entry.sid)),
  );
  const wanted = Map.groupBy(
    steeringOf(world).filter(({ sid }) => !have.has(sid)),
    ({ sid }) => sid,
  );
  return [...wanted].flatMap(([sid, steering]) => wantedSid(world, sid, steering));
}

/** SIDs that heads send to and that look up in a table without a route. */
function idleSids(world: World): readonly Symptom<MissingSidDetail>[] {
  return [...world.views.values()].flatMap(({ node, state }) =>
    state.inventory.sids
      .filter(({ emptyTable }) => emptyTable === true)
      .flatMap(({ sid, table }) => {
        const mine = steeringOf(world).filter((entry) => entry.sid === sid && entry.head !== node);
        const heads = [...new Set(mine.map(({ head }) => head))];
        if (heads.length === 0) return [];
        const source = sourcesOf(world, node, ...heads);
        const text = `${heads.map(nodeRef).join(', ')} send${heads.length === 1 ? 's' : ''} to SID ${sid}, which looks up in table ${table} of ${nodeRef(node)}, and that has no route`;
        const detail = {
          sid,
          heads,
          owner: node,
          prefix: mine[0]!.prefix,
          ...(table === undefined ? {} : { emptyTable: table }),
        };
        return [
          missingSidSymptom.raise({
            ...{ id: `srv6:${sid}`, subject: nodeResource(node), text, source, nodes: [...heads, node], detail },
          }),
        ];
      }),
  );
}

function wantedSid(world: World, sid: string, steering: readonly Steering[]): readonly Symptom<MissingSidDetail>[] {
  const owner = locatorOwner(world, sid);
  const heads = [...new Set(steering.map((entry) => entry.head))];
  // It may belong to a node that was not asked; a SID to which no head has a route belongs to none.
  if (owner === undefined && !heads.every((head) => hasNoRoute(world, head, sid))) return [];
  const whose =
    owner === undefined
      ? `, which no node ${world.whole ? 'has' : 'that was asked has'}`
      : `, which ${nodeRef(owner)} does not have`;
  const text = `${heads.map(nodeRef).join(', ')} send${heads.length === 1 ? 's' : ''} to SID ${sid}${whose}`;
  const nodes = [...heads, ...(owner === undefined ? [] : [owner])];
  const detail = { sid, heads, ...(owner === undefined ? {} : { owner }), prefix: steering[0]!.prefix };
  const source = sourcesOf(world, ...nodes);
  const subject = nodeResource(owner ?? heads[0]!);
  return [missingSidSymptom.raise({ id: `srv6:${sid}`, subject, text, source, nodes, detail })];
}

/** Every other head has a SID of this kind, and this one has not; nodes that steer nothing have another part to play. */
function lackingBehaviors(world: World): readonly Symptom<MissingSidDetail>[] {
  const heads = new Set(steeringOf(world).map(({ head }) => head));
  const holders = [...world.views.values()].filter(
    ({ node, state }) => heads.has(node) && locatorsOf(state).length > 0,
  );
  return holders.flatMap((view) =>
    lackedBy(
      view,
      holders.filter((each) => each !== view),
    ).map((behavior) =>
      missingSidSymptom.raise({
        id: `srv6:lacks/${view.node}/${behavior}`,
        subject: nodeResource(view.node),
        text: `${nodeRef(view.node)} has no ${behavior} SID, as every other node has`,
        source: sourcesOf(world, view.node),
        nodes: [view.node],
        detail: { owner: view.node, behavior },
      }),
    ),
  );
}

/** Behaviours that all others have and the node has not. */
function lackedBy({ state }: View, others: readonly View[]): readonly string[] {
  if (others.length < LEAST_OTHER_NODES || state.inventory.sids.length === 0) return [];
  const [first, ...rest] = others.map((each) => new Set(each.state.inventory.sids.map(({ behavior }) => behavior)));
  const mine = new Set(state.inventory.sids.map(({ behavior }) => behavior));
  // A head that decapsulates what no other does (IPv4 alone, say) has another part to play.
  const known = new Set(others.flatMap((each) => each.state.inventory.sids.map(({ behavior }) => behavior)));
  if ([...mine].some((behavior) => behavior.startsWith('End.D') && !known.has(behavior))) return [];
  return [...first!].filter((behavior) => rest.every((set) => set.has(behavior)) && !mine.has(behavior));
}

function locatorsOf(state: View['state']): readonly string[] {
  return (state.staticRoutes ?? [])
    .filter((route) => route.kind === 'blackhole' && route.prefix.includes(':') && !route.prefix.endsWith('/0'))
    .map((route) => route.prefix);
}

/** What one router is given as a locator is not wider (RFC 8986 §3.1 has /48 in its examples), and never as wide as a network's own allocation. */
const LOCATOR_BITS = 40;
const WIDEST_BITS = 32;

/** The node whose locator, a hand-set blackhole that is as narrow as one or holds its own SIDs, covers the SID; the narrowest counts. */
function locatorOwner(world: World, sid: string): string | undefined {
  const found = [...world.views.values()].flatMap(({ node, state }) =>
    locatorsOf(state)
      .filter((prefix) => covers(prefix, sid))
      .map((prefix) => ({ node, prefix, bits: Number(prefix.split('/')[1] ?? 128) }))
      .filter(
        ({ prefix, bits }) =>
          bits >= LOCATOR_BITS ||
          (bits >= WIDEST_BITS && state.inventory.sids.some((entry) => covers(prefix, entry.sid))),
      ),
  );
  const narrowest = Math.max(...found.map(({ bits }) => bits));
  const owners = new Set(found.filter(({ bits }) => bits === narrowest).map(({ node }) => node));
  return owners.size === 1 ? [...owners][0] : undefined;
}
