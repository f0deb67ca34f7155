// Ordinary reasons for which probes over a link may be lost while what users send gets through: filters of what is addressed to a node itself,
// policers, sockets and queues that overflow, a link that is narrow or has just come up. Where one of them may be it, no place is named.
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import { mayTake } from '#model/router/packet-match.ts';
import { type CaseFile, type FilterHits, factsOf } from '../../engine/facts.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { droppedBySockets } from '../../engine/loss-witnesses.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { interfaceOf, type World, type WorldLink } from '../../network/world.ts';
import { isForItself } from '../../packet-filter/own-traffic.ts';
import { PROBE_PACKETS } from '../../packet-filter/probe-packets.ts';
import { isUnsettled } from '../../symptoms/links/carrier-changes.ts';

/** Symptoms of a link that lose probes, or that say that one of its ends reports what is not so. */
const ON_LINK = ['narrow', 'queue', 'flap', 'down', 'mtu', 'contradiction', 'past'];

/** What comes up within this time before the question may still be settling. */
const YOUNG_MS = 60_000;

export function hasOrdinaryReason(
  file: CaseFile,
  link: WorldLink,
  way: { readonly from: LinkEnd; readonly to: LinkEnd },
  losses: readonly LossSymptom[],
): boolean {
  const lost = Math.max(0, ...losses.map(({ fact }) => fact.value.lost));
  return (
    [way.from, way.to].some((end) => !isSteady(file.world, end)) ||
    file.symptoms.some((symptom) => ON_LINK.includes(symptom.kind) && liesOn(symptom, link)) ||
    droppedBySockets(file, way.to.node) * 2 >= lost ||
    takenByPolicy(file, [way.from, way.to])
  );
}

function liesOn({ link, subject }: Symptom, { key, from, to }: WorldLink): boolean {
  return link?.key === key || subject === key || [from, to].map(interfaceResource).some((port) => port === subject);
}

/** Up for a while, and so is its node. */
function isSteady(world: World, end: LinkEnd): boolean {
  const started = (world.views.get(end.node)?.state.history?.settings ?? []).some(
    ({ kind, agoMs }) => kind === 'reboot' && agoMs <= YOUNG_MS,
  );
  return interfaceOf(world, end)?.operUp === true && !isUnsettled(world, end) && !started;
}

/** A rule at one of the ends may have taken probes, and takes what is for its node itself, or only what exceeds a rate. */
function takenByPolicy(file: CaseFile, ends: readonly LinkEnd[]): boolean {
  const nodes = ends.map(({ node }) => node);
  return factsOf(file, 'filter-hits').some(
    ({ value }) =>
      nodes.includes(value.node) &&
      value.packets !== 0 &&
      PROBE_PACKETS.some((packet) => mayTake(value, packet)) &&
      (isForItself(file.world, value) || value.hook === 'output' || mayPolice(file.world, value)),
  );
}

/** A policer, or a rule whose words were not all understood: it may ask for a rate. Programs at a hook of traffic control ask for none. */
function mayPolice({ views }: World, { node, acl, matchesRest }: FilterHits): boolean {
  const rules = (views.get(node)?.state.filters ?? []).filter((rule) => (rule.acl ?? rule.chain) === acl);
  const isTrafficControl = rules.length > 0 && rules.every(({ table }) => table === 'tc');
  return rules.some(({ comment }) => comment === 'police') || (matchesRest !== false && !isTrafficControl);
}
