// rib_fib_mismatch: zebra says that it installed a route, and the kernel forwards by another way or not at all. The node contradicts
// itself, so no other node is needed to say so; its driver compares the two, twice (rib.ts of the linux-frr driver).
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import type { RibRoute, RouteAnswer } from '#model/router/router-port.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { deleteCommand } from '../../network/configured-routes.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type World } from '../../network/world.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';

/** `others`: further prefixes of the node with the same contradiction. */
type Detail = {
  readonly node: string;
  readonly prefix: string;
  readonly protocol: string;
  readonly rib: string;
  readonly fib: string;
  readonly others: readonly string[];
  /** What deletes the kernel’s route alone; absent where it has none. */
  readonly deletion?: string;
};

export const ribFibMismatch = defineFault<Detail>({
  id: 'rib_fib_mismatch',
  resource: 'node',
  accuses: true,
  alongPath: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'zebra says that a route is installed, and the kernel of the node lacks it or forwards by another way',
  detect: ({ world }) => [...world.lookups].flatMap(([node, answers]) => contradiction(world, node, answers)),
  describe: ({ node, prefix, protocol, rib, fib, others }) =>
    `${nodeRef(node)} has ${prefix} of ${protocol} installed ${rib}, and its kernel ${fib}${andOthers(others)}`,
  remedy: ({ node, prefix, deletion }) => ({
    node,
    summary: `have zebra install ${prefix} again on ${nodeRef(node)}`,
    ...(deletion === undefined
      ? { decide: 'the kernel has no route to take away: find out which program took it, or restart zebra' }
      : {
          command: deletion,
          decide: 'the kernel’s route is not of the configuration: find out which program wrote it, or restart zebra',
        }),
  }),
  score: 4,
  consequences: ({ detail: { node, prefix, others } }, file) => consequencesOf(file, node, [prefix, ...others]),
});

function contradiction(
  world: World,
  node: string,
  answers: ReadonlyMap<string, RouteAnswer>,
): readonly Detection<Detail>[] {
  const found = new Map<string, RouteAnswer & { readonly rib: RibRoute }>();
  for (const answer of answers.values()) {
    const { rib } = answer;
    if (rib !== undefined && !found.has(rib.prefix)) found.set(rib.prefix, { ...answer, rib });
  }
  const [first, ...rest] = found.values();
  if (first === undefined) return [];
  const { prefix, protocol, nextHops } = first.rib;
  const rib = nextHops.map(hopWords).join(' and ');
  const deletion = deletionOf(world, node, first);
  const detail = {
    ...{ node, prefix, protocol, rib, fib: fibWords(first), others: rest.map((each) => each.rib.prefix) },
    ...(deletion === undefined ? {} : { deletion }),
  };
  return [{ resource: nodeResource(node), evidence: sourcesOf(world, node), nodes: [node], detail }];
}

/** As the kernel's tables list it, where they do; else by what the lookup said, which is of the main table (`isMismatch` of the driver). */
function deletionOf(
  world: World,
  node: string,
  { kind, matched, nextHop, ifname, protocol = '', rib }: RouteAnswer & { readonly rib: RibRoute },
): string | undefined {
  if (kind === 'none' || kind === 'local') return undefined;
  const prefix = matched ?? rib.prefix;
  const isIt = (route: StaticRoute) =>
    route.table === undefined &&
    route.prefix === withLength(prefix) &&
    (kind === 'unicast' ? route.nextHop === nextHop && route.ifname === ifname : fits(route.kind, kind));
  const listed = (world.views.get(node)?.state.staticRoutes ?? []).find(isIt);
  return deleteCommand(
    listed ?? {
      ...{ prefix, kind, protocol },
      ...(nextHop === undefined ? {} : { nextHop }),
      ...(ifname === undefined ? {} : { ifname }),
    },
  );
}

/** A lookup gives the same refusal for both kinds that answer. */
function fits(listed: StaticRoute['kind'], found: RouteAnswer['kind']): boolean {
  return found === 'unreachable' ? listed === 'unreachable' || listed === 'prohibit' : listed === found;
}

function withLength(prefix: string): string {
  return prefix.includes('/') ? prefix : `${prefix}/${prefix.includes(':') ? 128 : 32}`;
}

function hopWords({ address, ifname, discard }: RibRoute['nextHops'][number]): string {
  if (discard === true) return 'to discard it';
  return [...(address === undefined ? [] : [`via ${address}`]), ...(ifname === undefined ? [] : [`on ${ifname}`])].join(
    ' ',
  );
}

function fibWords({ kind, nextHop, ifname, ifnames }: RouteAnswer): string {
  if (kind === 'none') return 'has no route';
  if (kind === 'blackhole' || kind === 'unreachable') return 'discards it';
  const places = ifnames?.join(' and ') ?? ifname ?? 'another interface';
  return `forwards it ${nextHop === undefined ? '' : `via ${nextHop} `}on ${places}`;
}

function andOthers(others: readonly string[]): string {
  return others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'prefix' : 'prefixes'})`;
}

/** Packets for these prefixes that the node sends, or should have sent, on their way. */
function consequencesOf(file: CaseFile, node: string, prefixes: readonly string[]) {
  const isMine = (destination: string) => prefixes.some((prefix) => covers(prefix, destination));
  return [...routeSymptom.of(file), ...reachSymptom.of(file)]
    .filter(({ way, detail }) => way?.nodes.includes(node) === true && isMine(detail.destination))
    .map(shareOf);
}
