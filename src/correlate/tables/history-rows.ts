// What happened, as nodes remember it: one row each, newest first, with its age. Events, losses and errors of recorded minutes, changes of
// settings, and commits with the party who agreed to them. Where an interface, a peer or a prefix is asked about, what names it.
import type { HistoryEvent } from '#model/router/control-plane.ts';
import { nameWords } from '#model/settings/change-words.ts';
import { changesOfNode } from '../history/changes-before.ts';
import { linkOn, otherEnd, type View, type World } from '../network/world.ts';
import type { Rows } from './rows.ts';

export const HISTORY_COLUMNS = ['when', 'node', 'what', 'was', 'is'];

export type Happening = { readonly agoMs: number; readonly cells: readonly string[] };

export type Wanted = {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Names of what is asked about: an interface, an address, a prefix. */
  readonly names: readonly string[];
  /** The two ends' nodes of the one link that is asked about. */
  readonly linkOf?: readonly [string, string];
};

/** Newest first; the first cell is left to the caller, who knows how ages are told. */
export function happenings(world: World, views: readonly View[], wanted: Wanted): readonly Happening[] {
  return views
    .flatMap((view) => [...eventsOf(view, wanted), ...minutesOf(world, view), ...changesIn(view)])
    .filter(({ agoMs }) => agoMs <= wanted.sinceMs && agoMs >= wanted.untilMs)
    .filter(({ ifname, subject, cells }) => isAbout(world, cells[0]!, ifname ?? subject, subject, wanted))
    .sort((one, other) => one.agoMs - other.agoMs)
    .map(({ agoMs, cells }) => ({ agoMs, cells }));
}

export function historyRows(found: readonly Happening[], ageOf: (agoMs: number) => string): Rows {
  return found.map(({ agoMs, cells }) => [ageOf(agoMs), ...cells]);
}

type Row = Happening & { readonly subject: string; readonly ifname?: string };

const KINDS: Readonly<Record<HistoryEvent['kind'], string>> = {
  carrier: 'carrier of',
  adjacency: 'adjacency over',
  session: 'BGP session with',
};

function eventsOf({ node, state }: View, { sinceMs }: Wanted): readonly Row[] {
  return (state.history?.events ?? [])
    .filter(({ agoMs }) => agoMs <= sinceMs)
    .map(({ agoMs, kind, subject, up, changes }) => {
      const times = changes > 1 ? `, ${changes} changes at once` : '';
      // Before an even number of changes it was as it is.
      const was = up === (changes % 2 === 0) ? 'up' : 'down';
      return { agoMs, subject, cells: [node, `${KINDS[kind]} ${subject}`, was, `${up ? 'up' : 'down'}${times}`] };
    });
}

function minutesOf(world: World, { node }: View): readonly Row[] {
  const { losses = [], errors = [] } = world.days?.get(node) ?? {};
  return [
    ...losses.map(({ ifname, fromAgoMs, untilAgoMs, sent, lost }) => ({
      ...{ agoMs: untilAgoMs, subject: ifname },
      cells: [node, `probes over ${ifname}`, '-', `${lost} of ${sent} lost in ${minutes(fromAgoMs - untilAgoMs)}`],
    })),
    ...errors.map(({ ifname, fromAgoMs, untilAgoMs, errors: wrong, drops }) => ({
      ...{ agoMs: untilAgoMs, subject: ifname },
      cells: [
        node,
        `counters of ${ifname}`,
        '-',
        `${wrong} errors, ${drops} drops in ${minutes(fromAgoMs - untilAgoMs)}`,
      ],
    })),
  ];
}

function minutes(ms: number): string {
  return `${Math.max(1, Math.round(ms / 60_000))} min`;
}

function changesIn({ node, state }: View): readonly Row[] {
  return changesOfNode(node, state).map((change) => ({
    ...{ agoMs: change.agoMs, subject: change.subject },
    ...(change.setting === undefined ? {} : { ifname: change.setting }),
    cells: [node, nameWords(change), change.was ?? '-', change.is ?? '-'],
  }));
}

/** A subject may be an interface, `eth1 0000.0000.0002` of an adjacency, an address or a prefix. */
function isAbout(
  world: World,
  node: string,
  ifname: string,
  subject: string,
  { names, linkOf }: Pick<Wanted, 'names' | 'linkOf'>,
): boolean {
  const words = [subject, ifname].flatMap((text) => text.split(' ')).map((word) => word.replace(/\/\d+$/, ''));
  const isNamed = names.length === 0 || names.some((name) => words.includes(name.replace(/\/\d+$/, '')));
  if (linkOf === undefined) return isNamed;
  const other = linkOf.find((each) => each !== node);
  const isEnd = words.some((word) =>
    linkOn(world, { node, ifname: word }).some((link) => otherEnd(link, node).node === other),
  );
  return isEnd && (names.length === 0 || isNamed || isEndNamed(world, node, words, names));
}

/** The other end of the link has the name. */
function isEndNamed(world: World, node: string, words: readonly string[], names: readonly string[]): boolean {
  return words.some((word) =>
    linkOn(world, { node, ifname: word }).some((link) => names.includes(otherEnd(link, node).ifname)),
  );
}
