// Links without a carrier, links with an interface that is shut down or no longer there, and interfaces in use whose other end did not
// answer or is not known. Refuses links that are shut at both ends: that is meant.
import { interfaceResource } from '#model/names.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { interfaceOf, linkOn, type View, type World, type WorldLink } from '../../network/world.ts';
import { linkLabel, linkSymptom } from './on-link.ts';

export type CarrierState = 'up' | 'no-carrier' | 'shut' | 'gone';

export type LinkDownDetail = {
  readonly from: CarrierState;
  /** Of the other end, on a link. */
  readonly to?: CarrierState;
  /** The one end that is known, where there is no link; and the neighbour that was heard there last. */
  readonly node?: string;
  readonly ifname?: string;
  readonly peer?: string;
  /** Empty where the neighbour did not say. */
  readonly port?: string;
};

export const linkDownSymptom = defineSymptom<LinkDownDetail>('down');

export function linkDownSymptoms(world: World): readonly Symptom[] {
  return [...world.links.flatMap((link) => down(world, link)), ...oneSidedEnds(world)];
}

function down(world: World, link: WorldLink): readonly Symptom[] {
  const ends = [link.from, link.to].map((end) => ({ end, state: interfaceOf(world, end) }));
  const bad = ends.filter(({ state }) => state === undefined || !state.adminUp || !state.operUp);
  if (bad.length === 0) return [];
  const how = (state: (typeof ends)[number]['state']): CarrierState =>
    state === undefined ? 'gone' : state.adminUp ? (state.operUp ? 'up' : 'no-carrier') : 'shut';
  const detail = { from: how(ends[0]!.state), to: how(ends[1]!.state) };
  if (detail.from === 'shut' && detail.to === 'shut') return [];
  const text = `${linkLabel(link)}: ${detail.from} at one end, ${detail.to} at the other`;
  return [linkSymptom(linkDownSymptom, world, link, { text, detail })];
}

/** Interfaces in use without a link: down, or no longer there. */
function oneSidedEnds(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap((view) => {
    const { node, state, sources } = view;
    const heard = new Map((state.history?.lastHeard ?? []).map((entry) => [entry.ifname, entry]));
    return brokenEnds(world, view, new Set(heard.keys())).map(({ ifname, how }): Symptom => {
      const subject = interfaceResource({ node, ifname });
      const peer = heard.get(ifname);
      const text = `${nodeRef(node)} ${ifname}: ${how}${peer === undefined ? '' : `, ${peer.name} was heard there last`}`;
      const neighbour = peer === undefined ? {} : { peer: peer.name, port: peer.port ?? '' };
      return linkDownSymptom.raise({
        id: `down:${subject}`,
        ...{ subject, text, source: sources, nodes: [node], detail: { from: how, node, ifname, ...neighbour } },
      });
    });
  });
}

function brokenEnds(
  world: World,
  { node, state }: View,
  heard: ReadonlySet<string>,
): readonly { readonly ifname: string; readonly how: CarrierState }[] {
  const circuits = state.isis?.circuits ?? [];
  const present = new Set(state.inventory.interfaces.map((entry) => entry.name));
  const gone = [...new Set([...heard, ...circuits.map((circuit) => circuit.ifname)])].filter(
    (ifname) => !present.has(ifname),
  );
  // A port with an address alone is a spare one, or that of a machine that is switched off.
  const routed = new Set(circuits.filter(({ passive }) => !passive).map(({ ifname }) => ifname));
  const dark = state.inventory.interfaces.filter(
    (entry) =>
      entry.kind === 'physical' &&
      (!entry.operUp || !entry.adminUp) &&
      linkOn(world, { node, ifname: entry.name }).length === 0 &&
      (heard.has(entry.name) || (entry.adminUp && routed.has(entry.name))),
  );
  return [
    ...dark.map((entry) => ({ ifname: entry.name, how: entry.adminUp ? ('no-carrier' as const) : ('shut' as const) })),
    ...gone.map((ifname) => ({ ifname, how: 'gone' as const })),
  ];
}
