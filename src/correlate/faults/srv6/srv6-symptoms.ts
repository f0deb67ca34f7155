// Symptoms of SRv6: segment lists with a SID that its node does not have, or to which there is no route; prefixes that one head no
// longer encapsulates although others do towards it; and a node that lacks a kind of SID that all others have.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import { sourcesOf, type View, type World } from '../../network/world.ts';

/** Others that must agree before a node that differs is called odd. */
const LEAST_OTHER_NODES = 2;

export function srv6Symptoms(world: World): readonly Symptom[] {
  const missing = missingSids(world);
  const lacking = lackingBehaviors(world).filter(
    (symptom) => !missing.some((each) => each.detail['owner'] === symptom.detail['owner']),
  );
  return [...missing, ...lacking, ...unannouncedLocators(world), ...notEncapsulated(world), ...notSteered(world)];
}

type Steering = { readonly head: string; readonly prefix: string; readonly sid: string };

/** Every SID that a head's hand-set routes send to. */
function steeringOf(world: World): readonly Steering[] {
  return [...world.views.values()].flatMap(({ node: head, state }) =>
    (state.staticRoutes ?? []).flatMap(({ prefix, segments = [] }) => segments.map((sid) => ({ head, prefix, sid }))),
  );
}

function missingSids(world: World): readonly Symptom[] {
  const have = new Set(
    [...world.views.values()].flatMap(({ state }) => state.inventory.sids.map((entry) => entry.sid)),
  );
  const wanted = Map.groupBy(
    steeringOf(world).filter(({ sid }) => !have.has(sid)),
    ({ sid }) => sid,
  );
  return [...wanted].flatMap(([sid, heads]): readonly Symptom[] => {
    const owner = locatorOwner(world, sid);
    const names = [...new Set(heads.map((entry) => entry.head))];
    // It may belong to somebody who was not asked; what nobody has a route to belongs to nobody.
    if (owner === undefined && !names.every((head) => hasNoRoute(world, head, sid))) return [];
    const text = `${names.map(mark).join(', ')} send${names.length === 1 ? 's' : ''} to SID ${sid}${owner === undefined ? ', which no node has' : `, which ${mark(owner)} does not have`}`;
    const detail = {
      what: 'sid',
      sid,
      heads: names,
      ...(owner === undefined ? {} : { owner }),
      prefix: heads[0]!.prefix,
    };
    return [
      sidSymptom(
        world,
        `srv6:${sid}`,
        owner ?? names[0]!,
        [...names, ...(owner === undefined ? [] : [owner])],
        text,
        detail,
      ),
    ];
  });
}

/** The SID is there, its node can be reached, and the head has no route to it: its locator is not announced. */
function unannouncedLocators(world: World): readonly Symptom[] {
  const byOwner = new Map<string, Steering[]>();
  for (const steering of steeringOf(world)) {
    const owner = [...world.views.values()].find(({ state }) =>
      state.inventory.sids.some(({ sid }) => sid === steering.sid),
    );
    if (owner === undefined || owner.node === steering.head || !hasNoRoute(world, steering.head, steering.sid))
      continue;
    if (!reaches(world, steering.head, owner)) continue;
    byOwner.set(owner.node, [...(byOwner.get(owner.node) ?? []), steering]);
  }
  return [...byOwner].map(([owner, heads]) => {
    const names = [...new Set(heads.map(({ head }) => head))];
    const sid = heads[0]!.sid;
    const text = `${names.map(mark).join(', ')} ${names.length === 1 ? 'has' : 'have'} no route to SID ${sid} of ${mark(owner)}, who has it: its locator is not announced`;
    return sidSymptom(world, `srv6:locator/${owner}`, owner, [...names, owner], text, {
      what: 'locator',
      owner,
      sid,
      heads: names,
    });
  });
}

/** Others put traffic for this head's network into SRv6, and it has no way to theirs: what they send is never answered. */
function notEncapsulated(world: World): readonly Symptom[] {
  const steering = Map.groupBy(steeringOf(world), ({ head }) => head);
  const views = [...world.views.values()].map((view) => ({ node: view.node, addresses: attached(view) }));
  return views.flatMap((view) =>
    views.flatMap((other): readonly Symptom[] => {
      const steersHere = (steering.get(other.node) ?? []).some(({ prefix }) =>
        view.addresses.some((address) => covers(prefix, address)),
      );
      if (view === other || !steersHere) return [];
      return other.addresses
        .filter((address) => hasNoRoute(world, view.node, address))
        .map((address) => {
          const text = `${mark(view.node)} has no way to ${address} of ${mark(other.node)}, which puts its traffic for ${mark(view.node)} into SRv6`;
          const detail = { what: 'encapsulation', head: view.node, owner: other.node, address };
          return sidSymptom(
            world,
            `srv6:encapsulation/${view.node}/${address}`,
            view.node,
            [view.node, other.node],
            text,
            detail,
          );
        });
    }),
  );
}

/** All other heads steer to a prefix, and this one knows no way to it at all. */
function notSteered(world: World): readonly Symptom[] {
  const steering = steeringOf(world);
  const heads = [...new Set(steering.map(({ head }) => head))];
  const byPrefix = Map.groupBy(steering, ({ prefix }) => prefix);
  return [...byPrefix].flatMap(([prefix, routes]) => {
    const steers = new Set(routes.map(({ head }) => head));
    const owns = (node: string) =>
      world.views
        .get(node)!
        .state.inventory.interfaces.some((entry) =>
          entry.addresses.some((address) => covers(prefix, address.split('/')[0]!)),
        );
    const others = heads.filter((head) => !steers.has(head) && !owns(head));
    const [odd] = others;
    if (others.length !== 1 || odd === undefined || steers.size < LEAST_OTHER_NODES) return [];
    if (!hasNoRoute(world, odd, prefix.split('/')[0]!)) return [];
    const text = `${mark(odd)} has no way to ${prefix}, which every other head puts into SRv6`;
    const detail = { what: 'encapsulation', head: odd, owner: routes[0]!.sid, address: prefix };
    return [sidSymptom(world, `srv6:encapsulation/${odd}/${prefix}`, odd, [odd, ...steers], text, detail)];
  });
}

/** Every other head has a SID of this kind, and this one has not; nodes that steer nothing have another part to play. */
function lackingBehaviors(world: World): readonly Symptom[] {
  const heads = new Set(steeringOf(world).map(({ head }) => head));
  const holders = [...world.views.values()].filter(
    ({ node, state }) => heads.has(node) && locatorsOf(state).length > 0,
  );
  return holders.flatMap((view): readonly Symptom[] => {
    const others = holders.filter((each) => each !== view);
    if (others.length < LEAST_OTHER_NODES || view.state.inventory.sids.length === 0) return [];
    const [first, ...rest] = others.map((each) => new Set(each.state.inventory.sids.map(({ behavior }) => behavior)));
    const mine = new Set(view.state.inventory.sids.map(({ behavior }) => behavior));
    // A head that decapsulates what no other does (IPv4 alone, say) has another part to play.
    const known = new Set(others.flatMap((each) => each.state.inventory.sids.map(({ behavior }) => behavior)));
    if ([...mine].some((behavior) => behavior.startsWith('End.D') && !known.has(behavior))) return [];
    const common = [...first!].filter((behavior) => rest.every((set) => set.has(behavior)) && !mine.has(behavior));
    return common.map((behavior) => {
      const text = `${mark(view.node)} has no ${behavior} SID, as every other node has`;
      return sidSymptom(world, `srv6:lacks/${view.node}/${behavior}`, view.node, [view.node], text, {
        what: 'sid',
        owner: view.node,
        behavior,
      });
    });
  });
}

function sidSymptom(
  world: World,
  id: string,
  at: string,
  nodes: readonly string[],
  text: string,
  detail: Symptom['detail'],
): Symptom {
  return { id, kind: 'srv6', subject: nodeResource(at), text, source: sourcesOf(world, ...nodes), nodes, detail };
}

function hasNoRoute(world: World, node: string, address: string): boolean {
  const kind = world.lookups.get(node)?.get(address)?.kind;
  return kind === 'none' || kind === 'unreachable';
}

/** The head has a route to one of the owner's own IPv6 addresses. */
function reaches(world: World, head: string, owner: View): boolean {
  return owner.state.inventory.loopbacks.some(
    (address) => address.includes(':') && world.lookups.get(head)?.get(address.split('/')[0]!)?.kind === 'unicast',
  );
}

/** IPv6 addresses on networks for more than two. */
function attached({ state }: View): readonly string[] {
  return state.inventory.interfaces
    .filter((entry) => entry.kind !== 'loopback')
    .flatMap((entry) => entry.addresses)
    .filter((address) => address.includes(':') && !/^fe[89ab]/i.test(address) && Number(address.split('/')[1]) < 126)
    .map((address) => address.split('/')[0]!);
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
