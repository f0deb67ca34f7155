// Rules that write another source address into what a node sends on, and whether answers to that address find back: the nodes behind the ports that
// the rule is bound to, or that the default route leads over, need a route to it that leads to this node. One of its own addresses is no
// matter: every neighbour on that network has it connected.

import { newSourceOf } from '#model/router/filter-rewrites.ts';
import { taking, wordsOf } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { entries } from './carried.ts';
import { walk } from './forwarding.ts';
import { lostRoutes, wasRouted } from './lost-routes.ts';
import { nodeRef } from './node-ref.ts';
import { linkOn, otherEnd, statesSeen, type View, type World } from './world.ts';

export type TranslatedSource = {
  readonly node: string;
  readonly address: string;
  /** What the rules select. */
  readonly rule: string;
  /** `none`: where answers end, at a node without a way to the address; `unknown`: no node there could say. */
  readonly back: 'there' | 'none' | 'unknown';
  /** Of `none`: nodes at which they end. */
  readonly at: readonly string[];
  /** What has changed as far as the nodes remember: the address that is written, or a route of a node where answers end. */
  readonly changed?: 'address' | 'route';
};

type Rewrite = {
  readonly view: View;
  readonly address: string;
  readonly rule: string;
  readonly ports: readonly string[];
};

/**
 * One for each node, address and verdict. Rules of one address are judged together where packets leave by the same ports, else each by its own. Rules
 * that count and took nothing are left out.
 */
export function translatedSources(world: World): readonly TranslatedSource[] {
  const all = [...world.views.values()].flatMap((view) =>
    view.state.filters.flatMap((rule): readonly Rewrite[] => {
      const address = newSourceOf(rule);
      if (address === undefined || rule.packets === '0' || rule.hook !== 'postrouting') return [];
      const isOwn = world.owners.get(address)?.some(({ node }) => node === view.node) === true;
      const ports = [...new Set(portsOf(view, rule, address))].sort();
      return isOwn ? [] : [{ view, address, ports, rule: wordsOf(rule) }];
    }),
  );
  const alike = Map.groupBy(all, ({ view, address, ports }) => JSON.stringify([view.node, address, ports]));
  const judged = [...alike.values()].map((rewrites) => translated(world, rewrites));
  const same = Map.groupBy(judged, ({ node, address, back, changed }) => [node, address, back, changed].join(' '));
  return [...same.values()].map((rows) => ({
    ...rows[0]!,
    rule: joined(rows.map(({ rule }) => rule)),
    at: [...new Set(rows.flatMap(({ at }) => at))].sort(),
  }));
}

/**
 * What comes from the address reaches the node with another source, as a rule of a neighbour surely writes one into it: the node has no route to the
 * address, needs none, and none was seen before.
 */
export function isHiddenFrom(world: World, node: string, address: string): boolean {
  const answer = world.lookups.get(node)?.get(address);
  const hasNoRoute = answer?.kind === 'none' || answer?.matched === 'default';
  const packet = { network: address.includes(':') ? 'ip6' : 'ip', sources: [address] } as const;
  const leadsThere = (from: string, ifname: string) =>
    linkOn(world, { node: from, ifname }).some((link) => otherEnd(link, from).node === node);
  return (
    hasNoRoute &&
    !wasRouted(world, address) &&
    [...world.views.values()].some(({ node: writer, state }) =>
      state.filters.some(
        (rule) =>
          rule.hook === 'postrouting' &&
          rule.rewrites?.some((text) => text.startsWith('source = ')) === true &&
          rule.outInterfaces.some((ifname) => leadsThere(writer, ifname)) &&
          taking(rule, packet) === 'yes',
      ),
    )
  );
}

function joined(rules: readonly string[]): string {
  return [...new Set(rules)].sort().join('; ');
}

function translated(world: World, rewrites: readonly Rewrite[]): TranslatedSource {
  const { view, address, ports } = rewrites[0]!;
  const { node } = view;
  const ways = ports.flatMap((ifname) => {
    const links = linkOn(world, { node, ifname });
    return links.length === 0
      ? [undefined]
      : links.map((link) => endOf(world, node, otherEnd(link, node).node, address));
  });
  const at = [...new Set(ways.flatMap((way) => (Array.isArray(way) ? way : [])))];
  const isThere = ways.includes('there');
  const isNone = !isThere && ways.length > 0 && ways.every((way) => Array.isArray(way));
  const isRouteLost = at.some((each) => lostRoutes(world, each, address).length > 0);
  const changed = isNewSource(world, node, address) ? 'address' : isRouteLost ? 'route' : undefined;
  return {
    ...{ node, address, rule: joined(rewrites.map(({ rule }) => rule)) },
    back: isThere ? 'there' : isNone ? 'none' : 'unknown',
    at: isNone ? at : [],
    ...(changed === undefined ? {} : { changed }),
  };
}

/** Ports by which what it took leaves. */
function portsOf({ state }: View, { outInterfaces }: FilterRule, address: string): readonly string[] {
  if (outInterfaces.length > 0) return outInterfaces;
  const isSix = address.includes(':');
  const routes = (state.defaultRoutes ?? []).filter(({ prefix }) => prefix.includes(':') === isSix);
  return routes.flatMap(({ hops }) => hops.flatMap(({ ifname }) => ifname ?? []));
}

/** Where answers go from a neighbour: back to the node, or to the nodes where they end; undefined where that is not known. */
function endOf(world: World, node: string, from: string, address: string): 'there' | readonly string[] | undefined {
  const answer = world.lookups.get(from)?.get(address);
  if (answer === undefined) return undefined;
  if (entries(world, from, answer, node).length > 0) return 'there';
  // On a network of its own it asks for the address there, and the node may answer for it.
  if (answer.kind === 'unicast' && answer.protocol === 'kernel') return undefined;
  const { nodes, endings } = walk(world, from, address);
  if (nodes.includes(node)) return 'there';
  const isLost = endings.every(({ kind }) => kind === 'none' || kind === 'blackhole' || kind === 'unreachable');
  return endings.length > 0 && isLost ? endings.map(({ at }) => at) : undefined;
}

/**
 * The node wrote no such address at some time that it remembers. A rule that was loaded again has another handle and is none; what days of memory
 * have counts where it took the place of another address.
 */
function isNewSource(world: World, node: string, address: string): boolean {
  const isIt = (rule: FilterRule) => newSourceOf(rule) === address;
  const isUnlike = statesSeen(world, node).some(
    ({ filters, missing }) => missing.every(({ part }) => part !== 'filters') && !filters.some(isIt),
  );
  const changes = (world.views.get(node)?.state.history?.settings ?? []).filter(({ kind }) => kind === 'filter');
  const has = (words: string | undefined) =>
    words !== undefined && newSourceOf({ rewrites: words.split(', ') }) === address;
  const other = (words: string | undefined) =>
    words !== undefined && !has(words) && newSourceOf({ rewrites: words.split(', ') }) !== undefined;
  const came = changes.filter(({ is }) => has(is));
  return (
    isUnlike ||
    (!changes.some(({ was }) => has(was)) &&
      came.some(({ subject }) => changes.some((change) => change.subject === subject && other(change.was))))
  );
}

/** What keeps the verdict from being healthy: an address that is new, and of which no node beyond could say whether answers find back. */
export function newSourceLines(world: World): readonly string[] {
  return translatedSources(world)
    .filter(({ back, changed }) => back === 'unknown' && changed === 'address')
    .map(
      ({ node, address, rule }) =>
        `${nodeRef(node)}: a rule writes the source ${address} into what it sends on (${rule}), and did not before; whether answers to it find back is not known`,
    );
}
