// Symptoms of links: down, flapping, unequal or too small, slow, and protocols that are not adjacent over them.
import { interfaceResource, type LinkEnd, linkResource, nodeKey } from '#model/names.ts';
import type { Fact, FactWith } from '../../engine/facts.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { mark } from '../../network/node-ref.ts';
import {
  circuitOf,
  interfaceOf,
  linkOn,
  sourcesOf,
  type View,
  type World,
  type WorldLink,
} from '../../network/world.ts';

/** Carrier changes before this are history. */
const FLAP_WINDOW_MS = 60_000;
/** One fall and one rise are a repair; falling and rising twice is a pattern. */
const FLAP_CHANGES = 4;
/** A link that has been still for longer than this, and than twice its longest pause before, flaps no more. */
const FLAP_STILL_MS = 8_000;
/** Longer pauses lie between separate outages. */
const FLAP_PAUSE_MS = 10_000;
/** Others that must agree before what they have is called usual. */
const LEAST_ALIKE = 3;

export function linkSymptoms(world: World, facts: readonly Fact[]): readonly Symptom[] {
  const links = world.links.filter((link) => interfaceOf(world, link.from) && interfaceOf(world, link.to));
  return [
    ...world.links.flatMap((link) => [...down(world, link), ...flapping(world, link)]),
    ...links.flatMap((link) => [
      ...unequal(world, link, facts),
      ...isisSymptoms(world, link),
      ...ospfSymptoms(world, link),
    ]),
    ...lonelyEnds(world),
    ...lonelyFlaps(world),
  ];
}

export function linkLabel(link: WorldLink): string {
  return `${mark(link.from.node)} ${link.from.ifname} – ${mark(link.to.node)} ${link.to.ifname}`;
}

export function linkSymptom(
  world: World,
  link: WorldLink,
  kind: Symptom['kind'],
  text: string,
  detail: Symptom['detail'],
): Symptom {
  const nodes = [link.from.node, link.to.node];
  return {
    id: `${kind}:${link.key}`,
    kind,
    subject: link.key,
    text,
    source: sourcesOf(world, ...nodes),
    nodes,
    link,
    detail,
  };
}

function down(world: World, link: WorldLink): readonly Symptom[] {
  const ends = [link.from, link.to].map((end) => ({ end, state: interfaceOf(world, end) }));
  const bad = ends.filter(({ state }) => state === undefined || !state.adminUp || !state.operUp);
  if (bad.length === 0) return [];
  const how = (state: (typeof ends)[number]['state']) =>
    state === undefined ? 'gone' : state.adminUp ? (state.operUp ? 'up' : 'no-carrier') : 'shut';
  const detail = { from: how(ends[0]!.state), to: how(ends[1]!.state) };
  // Whoever shuts both ends means it.
  if (detail.from === 'shut' && detail.to === 'shut') return [];
  return [
    linkSymptom(
      world,
      link,
      'down',
      `${linkLabel(link)}: ${detail.from} at one end, ${detail.to} at the other`,
      detail,
    ),
  ];
}

function flapping(world: World, link: WorldLink): readonly Symptom[] {
  const both = [link.from, link.to].map((end) => recentChanges(world, end));
  const changes = Math.max(...both);
  if (changes < FLAP_CHANGES || ![link.from, link.to].some((end) => isUnsettled(world, end))) return [];
  // Of what one end alone saw, nobody knows whether it was so: symptoms-contradiction.ts says so.
  if (flapsAtOneEnd(world, link) !== undefined) return [];
  return [
    linkSymptom(world, link, 'flap', `${linkLabel(link)}: the carrier changed ${changes} times lately`, { changes }),
  ];
}

/** The end that tells of a flapping carrier while the other end noticed nothing at all. */
export function flapsAtOneEnd(
  world: World,
  { from, to }: WorldLink,
): { readonly end: LinkEnd; readonly changes: number } | undefined {
  const told = [from, to].map((end) => ({ end, changes: recentChanges(world, end) }));
  const [calm, loud] = told.sort((one, other) => one.changes - other.changes);
  if (loud!.changes < FLAP_CHANGES || calm!.changes > 0) return undefined;
  return interfaceOf(world, calm!.end)?.operUp === true ? loud : undefined;
}

function recentChanges(world: World, end: LinkEnd): number {
  const view = world.views.get(end.node);
  const events = (view?.state.history?.events ?? []).filter(
    (event) => event.kind === 'carrier' && event.subject === end.ifname && event.agoMs <= FLAP_WINDOW_MS,
  );
  const remembered = events.reduce((sum, event) => sum + event.changes, 0);
  return Math.max(remembered, changesInWindow(view, end.ifname));
}

/** As it was when the question was asked: what is measured afterwards takes seconds, in which a link may well be still. */
function isUnsettled(world: World, end: LinkEnd): boolean {
  const view = world.views.get(end.node);
  const asked = view?.before?.history ?? view?.state.history;
  const ages = (asked?.events ?? [])
    .filter((event) => event.kind === 'carrier' && event.subject === end.ifname && event.agoMs <= FLAP_WINDOW_MS)
    .map((event) => event.agoMs)
    .sort((one, other) => one - other);
  const pauses = ages.slice(1).map((age, index) => age - ages[index]!);
  const still = Math.max(FLAP_STILL_MS, 2 * Math.min(FLAP_PAUSE_MS, Math.max(0, ...pauses)));
  return (
    interfaceOf(world, end)?.operUp !== true || changesInWindow(view, end.ifname) > 0 || (ages[0] ?? still) < still
  );
}

function changesInWindow(view: View | undefined, ifname: string): number {
  const [before, after] = [view?.before, view?.after].map(
    (state) => state?.inventory.interfaces.find((entry) => entry.name === ifname)?.carrierChanges,
  );
  return before === undefined || after === undefined ? 0 : Math.max(0, after - before);
}

function unequal(world: World, link: WorldLink, facts: readonly Fact[]): readonly Symptom[] {
  // On a network of many each has its own size, and no end is the other one's.
  if (!link.link.pointToPoint || link.link.doubts.length > 0) return [];
  const [from, to] = [interfaceOf(world, link.from)!, interfaceOf(world, link.to)!];
  const detail = { from: from.mtu, to: to.mtu };
  if (from.mtu !== to.mtu)
    return [
      linkSymptom(world, link, 'mtu', `${linkLabel(link)}: MTU ${from.mtu} at one end, ${to.mtu} at the other`, detail),
    ];
  const large = facts.filter(
    (fact): fact is FactWith<'large-probes'> => fact.predicate === 'large-probes' && fact.value.link === link.key,
  );
  const small = facts.some(
    (fact) =>
      fact.predicate === 'probe-loss' &&
      link.key.includes(`${fact.value.from}:`) &&
      link.key.includes(`${fact.value.to}:`) &&
      fact.value.lost < fact.value.sent / 2,
  );
  if (large.length > 0 && large.every((fact) => fact.value.received === 0) && small) {
    const symptom = linkSymptom(
      world,
      link,
      'mtu',
      `${linkLabel(link)}: probes close to the MTU of ${from.mtu} are lost, small ones are not`,
      { ...detail, large: true },
    );
    return [{ ...symptom, source: [...symptom.source, ...large.flatMap((fact) => fact.source)] }];
  }
  return lowForItsKind(world, link, from.mtu);
}

/** What an Ethernet carries (RFC 894): hosts send packets of this size. */
const ETHERNET_MTU = 1_500;

/** Both ends smaller than every other link between routers, which all agree, and too small for what hosts send: those packets are lost or cut. */
function lowForItsKind(world: World, link: WorldLink, mtu: number): readonly Symptom[] {
  const usual = usualAround(world, link);
  if (usual === undefined || mtu >= usual || mtu >= ETHERNET_MTU) return [];
  return [
    linkSymptom(world, link, 'mtu', `${linkLabel(link)}: MTU ${mtu} at both ends, ${usual} on every other link`, {
      from: mtu,
      to: mtu,
      others: usual,
    }),
  ];
}

/** Links that are smaller than the others and carry what hosts send all the same, in words: somebody's choice. */
export function smallerLinks(world: World): readonly string[] {
  return world.links.flatMap((link) => {
    const [mtu, its] = [link.from, link.to].map((end) => interfaceOf(world, end)?.mtu ?? 0);
    const usual = mtu === its && link.link.pointToPoint ? usualAround(world, link) : undefined;
    if (usual === undefined || mtu! >= usual || mtu! < ETHERNET_MTU) return [];
    return [`${linkLabel(link)}: MTU ${mtu} at both ends, ${usual} on every other link`];
  });
}

/** The size of all other point-to-point links between routers, when they agree. */
function usualAround(world: World, link: WorldLink): number | undefined {
  const routing = (end: LinkEnd) => (world.views.get(end.node)?.state.daemons?.length ?? 0) > 0;
  if (!routing(link.from) || !routing(link.to)) return undefined;
  const others = world.links.filter(
    (each) => each.key !== link.key && each.link.pointToPoint && routing(each.from) && routing(each.to),
  );
  // Of a link whose ends differ one is wrong already: the larger tells what it should be.
  const sizes = others.map((each) => Math.max(...[each.from, each.to].map((end) => interfaceOf(world, end)?.mtu ?? 0)));
  return others.length < LEAST_ALIKE || new Set(sizes).size !== 1 ? undefined : sizes[0];
}

type IsisEnd = { readonly end: LinkEnd; readonly state: View['state']; readonly isUp: boolean };

/** Both ends of a link over which IS-IS is to run; undefined where it is not, or where an end does not say. */
function isisEnds(world: World, link: WorldLink): readonly IsisEnd[] | undefined {
  const ends = [link.from, link.to].map((end) => ({
    end,
    circuit: circuitOf(world, end),
    state: world.views.get(end.node)!.state,
  }));
  const active = ends.filter(({ circuit }) => circuit !== undefined && !circuit.passive);
  const runs = (state: View['state']) =>
    state.isis !== undefined || state.daemons?.some(({ name }) => name === 'isisd');
  if (active.length === 0 || !ends.every(({ state }) => runs(state))) return undefined;
  return ends.map(({ end, state }) => ({
    ...{ end, state },
    isUp: state.adjacencies.some((entry) => entry.ifname === end.ifname && entry.state === 'up'),
  }));
}

/** IS-IS is adjacent over the link by the report of both ends. */
export function isIsisAdjacent(world: World, link: WorldLink): boolean {
  if (!interfaceOf(world, link.from) || !interfaceOf(world, link.to)) return false;
  return isisEnds(world, link)?.every(({ isUp }) => isUp) === true;
}

function isisSymptoms(world: World, link: WorldLink): readonly Symptom[] {
  const ends = isisEnds(world, link);
  if (ends === undefined || ends.every(({ isUp }) => isUp)) return [];
  const says = ends.map(
    ({ end, state }) => state.adjacencies.find((entry) => entry.ifname === end.ifname)?.state ?? 'none',
  );
  return [
    linkSymptom(world, link, 'isis', `${linkLabel(link)}: IS-IS says ${says[0]} at one end, ${says[1]} at the other`, {
      from: says[0]!,
      to: says[1]!,
    }),
  ];
}

function ospfSymptoms(world: World, link: WorldLink): readonly Symptom[] {
  const ends = [link.from, link.to].map((end) => {
    const state = world.views.get(end.node)!.state;
    return {
      runs: state.ospf !== undefined || state.daemons?.some(({ name }) => name === 'ospfd'),
      row: state.ospf?.find((entry) => entry.ifname === end.ifname),
    };
  });
  if (!ends.some(({ row }) => row !== undefined && !row.passive) || !ends.every(({ runs }) => runs)) return [];
  const states = ends.map(({ row }) => row?.neighbours[0]?.state ?? 'none');
  if (states.every((state) => state === 'Full')) return [];
  // On a network of many two that are neither its designated router nor the backup stay at 2-Way (RFC 2328 §10.4).
  const all = ends.map(({ row }) => row?.neighbours.map(({ state }) => state) ?? []);
  if (
    !link.link.pointToPoint &&
    all.every((each) => each.length > 0 && each.every((state) => /^(?:Full|2-Way)$/.test(state)))
  )
    return [];
  return [
    linkSymptom(
      world,
      link,
      'ospf',
      `${linkLabel(link)}: OSPF says ${states[0]} at one end, ${states[1]} at the other`,
      {
        from: states[0]!,
        to: states[1]!,
      },
    ),
  ];
}

/** Ports whose carrier comes and goes, towards a node that gave no state: one that hangs on a single link falls silent with it. */
function lonelyFlaps(world: World): readonly Symptom[] {
  const silent = world.nodes.filter((node) => !world.views.has(node));
  return [...world.views.values()].flatMap(({ node, state, sources }) =>
    (state.history?.lastHeard ?? []).flatMap(({ ifname, name, port }): readonly Symptom[] => {
      const end = { node, ifname };
      const peer = silent.find((each) => nodeKey(each) === nodeKey(name));
      const changes = recentChanges(world, end);
      if (peer === undefined || linkOn(world, end).length > 0) return [];
      if (changes < FLAP_CHANGES || !isUnsettled(world, end)) return [];
      const subject = port ? linkResource(end, { node: peer, ifname: port }) : interfaceResource(end);
      const text = `${mark(node)} ${ifname}: the carrier changed ${changes} times lately, ${mark(peer)} is silent behind it`;
      const detail = { changes, node, ifname, peer };
      return [{ id: `flap:${subject}`, kind: 'flap', subject, text, source: sources, nodes: [node], detail }];
    }),
  );
}

/** Interfaces in use whose other end did not answer, or is not known: down, or no longer there. */
function lonelyEnds(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state, sources }) => {
    const present = new Set(state.inventory.interfaces.map((entry) => entry.name));
    const heard = new Map((state.history?.lastHeard ?? []).map((entry) => [entry.ifname, entry]));
    const configured = (state.isis?.circuits ?? []).map((circuit) => circuit.ifname);
    const gone = [...new Set([...heard.keys(), ...configured])].filter((ifname) => !present.has(ifname));
    // A port with an address alone is a spare one, or that of a machine that is switched off.
    const routed = new Set((state.isis?.circuits ?? []).filter(({ passive }) => !passive).map(({ ifname }) => ifname));
    const dark = state.inventory.interfaces.filter(
      (entry) =>
        entry.kind === 'physical' &&
        (!entry.operUp || !entry.adminUp) &&
        linkOn(world, { node, ifname: entry.name }).length === 0 &&
        (heard.has(entry.name) || (entry.adminUp && routed.has(entry.name))),
    );
    return [
      ...dark.map((entry) => ({ ifname: entry.name, how: entry.adminUp ? 'no-carrier' : 'shut' })),
      ...gone.map((ifname) => ({ ifname, how: 'gone' })),
    ].map(({ ifname, how }): Symptom => {
      const subject = interfaceResource({ node, ifname });
      const peer = heard.get(ifname);
      const text = `${mark(node)} ${ifname}: ${how}${peer === undefined ? '' : `, ${peer.name} was heard there last`}`;
      const detail = {
        from: how,
        node,
        ifname,
        ...(peer === undefined ? {} : { peer: peer.name, port: peer.port ?? '' }),
      };
      return { id: `down:${subject}`, kind: 'down', subject, text, source: sources, nodes: [node], detail };
    });
  });
}
