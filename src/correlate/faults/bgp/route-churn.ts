// route_churn: a node announces a prefix of its own and withdraws it, again and again, so that every router of the domain works through it each time, and
// packets for it are lost in between. Its own memory of BGP shows it, whatever the moment of the question shows. A prefix that only changes, and was never
// found withdrawn, may be an operator at work: a remark. Turns that restarts of bgpd or zebra can have made do not count.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import type { PrefixTurns } from '#model/router/control-plane.ts';
import { ageWords } from '#model/settings/change-words.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { linkOn, type View, type World } from '../../network/world.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';

/** `port`: where the network of the prefix is, if its carrier came and went as well. */
type Detail = Omit<PrefixTurns, 'gone'> & { readonly node: string; readonly port?: string };

/** Three times withdrawn and announced again: an operator who tries something out does it less often. */
const LEAST_TURNS = 6;
/** Each end and start of bgpd or zebra takes a prefix away and brings it back, at most. */
const TURNS_OF_RESTART = 2;
/** What has been still for so long is over. */
const QUIET_MS = 60_000;

/** Whose end takes prefixes away: bgpd asks zebra whether they are there. */
const SOURCES: readonly string[] = ['bgpd', 'zebra'];

export const routeChurn = defineFault<Detail>({
  id: 'route_churn',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a node announces a prefix of its own in BGP and withdraws it, again and again, and has not stopped',
  detect: ({ world, past }) =>
    past === undefined ? [...world.views.values()].flatMap((view) => detected(world, view)) : [],
  describe: (detail) => sentence(detail),
  remedy: ({ node, prefix, port }) => ({
    node,
    summary:
      port === undefined
        ? `let ${nodeRef(node)} announce ${prefix} without pause`
        : `find out why ${nodeRef(node)} ${port} loses its carrier`,
    decide:
      port === undefined
        ? 'what takes it in and out: a program that changes the configuration, a route or a track object that comes and goes'
        : 'the cable, or what is at its other end',
  }),
  score: 3,
  consequences: ({ detail: { prefix }, remark }, file) =>
    remark !== undefined
      ? []
      : [...routeSymptom.of(file), ...reachSymptom.of(file)]
          .filter(({ detail }) => covers(prefix, detail.destination))
          .map(shareOf),
});

function sentence({ node, prefix, turns, firstAgoMs, lastAgoMs, port }: Detail): string {
  const why = port === undefined ? '' : `, as ${nodeRef(node)} ${port} loses its carrier`;
  return `${nodeRef(node)}: ${prefix} came, went or changed in BGP ${turns} times in the last ${ageWords(firstAgoMs)}, last ${ageWords(lastAgoMs)} ago${why}`;
}

function detected(world: World, view: View): readonly Detection<Detail>[] {
  const { node, state, sources } = view;
  const { prefixTurns = [], settings = [] } = state.history ?? {};
  const restarts = settings.filter(
    ({ kind, subject, setting }) => kind === 'daemon' && SOURCES.includes(subject) && setting === undefined,
  );
  return prefixTurns.flatMap(({ gone, ...row }): readonly Detection<Detail>[] => {
    const within = restarts.filter(({ agoMs }) => agoMs <= row.firstAgoMs);
    if (row.turns - within.length * TURNS_OF_RESTART < LEAST_TURNS || row.lastAgoMs > QUIET_MS) return [];
    const ports = flappingPorts(view, row);
    // A link that flaps is named as such.
    if (ports.some((ifname) => linkOn(world, { node, ifname }).length > 0)) return [];
    const detail = { node, ...row, ...(ports[0] === undefined ? {} : { port: ports[0] }) };
    const found = { resource: nodeResource(node), key: row.prefix, evidence: sources, nodes: [node], detail };
    if (gone > 0) return [{ ...found, confidence: 'likely' }];
    return [{ ...found, remark: `${sentence(detail)}; it was never found withdrawn` }];
  });
}

/** Interfaces in the network of the prefix whose carrier changed in that time. */
function flappingPorts(
  { state }: View,
  { prefix, firstAgoMs }: Pick<PrefixTurns, 'prefix' | 'firstAgoMs'>,
): readonly string[] {
  const within = (state.history?.events ?? []).filter(({ kind, agoMs }) => kind === 'carrier' && agoMs <= firstAgoMs);
  return state.inventory.interfaces
    .filter(({ addresses }) => addresses.some((address) => covers(prefix, address.split('/')[0]!)))
    .map(({ name }) => name)
    .filter((name) => within.some(({ subject }) => subject === name));
}
