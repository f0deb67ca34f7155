// How often the carrier of an interface changed lately, and whether it has been still since: from the node's own ring of samples and from
// the counter between the two readings.
import type { LinkEnd } from '#model/names.ts';
import { interfaceOf, type View, type World } from '../../network/world.ts';

/** One fall and one rise are a repair; falling and rising twice is a pattern. */
export const FLAP_CHANGES = 4;
/** Carrier changes before this are history. */
const FLAP_WINDOW_MS = 60_000;
/** A link that has been still for longer than this, and than twice its longest pause before, flaps no more. */
const FLAP_STILL_MS = 8_000;
/** Longer pauses lie between separate outages. */
const FLAP_PAUSE_MS = 10_000;

export function recentChanges(world: World, end: LinkEnd): number {
  const view = world.views.get(end.node);
  const events = (view?.state.history?.events ?? []).filter(
    (event) => event.kind === 'carrier' && event.subject === end.ifname && event.agoMs <= FLAP_WINDOW_MS,
  );
  const remembered = events.reduce((sum, event) => sum + event.changes, 0);
  return Math.max(remembered, changesInWindow(view, end.ifname));
}

/** As it was when the question was asked: what is measured afterwards takes seconds, in which a link may well be still. */
export function isUnsettled(world: World, end: LinkEnd): boolean {
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
