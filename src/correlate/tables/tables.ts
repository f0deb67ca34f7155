// The answer to a question that asks for data: a table of what nodes say of themselves, from signed evidence. It has no verdict of health: `answered`
// where every node in scope was read, `inconclusive` where one was not. Pure.
import type { Diagnosis, ToldTable } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { ageWords, reachWords } from '#model/settings/change-words.ts';
import type { CaseFile } from '../engine/facts.ts';
import { unknownLines } from '../history/what-changed.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import { linkRows } from '../network/link-rows.ts';
import { type NameNodes, nodeRef } from '../network/node-ref.ts';
import type { View, World } from '../network/world.ts';
import { HISTORY_COLUMNS, happenings, historyRows } from './history-rows.ts';
import * as interfaces from './interface-rows.ts';
import * as neighbours from './neighbour-rows.ts';
import * as nodes from './node-rows.ts';
import { PATH_COLUMNS, wayRows } from './path-rows.ts';
import type { Rows } from './rows.ts';

type Table = {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: Rows;
  readonly agesMs?: readonly number[];
};

/** How far back restarts are told where no time was named: all that is remembered. */
const ALWAYS_MS = Number.MAX_SAFE_INTEGER;

export function tableDiagnosis({ world }: CaseFile, intent: Intent, nameNodes: NameNodes): Diagnosis {
  const asked = intent.path.map(({ key }) => key);
  const isAsked = (node: string) => asked.length === 0 || asked.includes(nodeKey(node));
  const views = [...world.views.values()].filter(({ node }) => isAsked(node));
  const made = tableOf(world, views, intent);
  const { title, rows } = made;
  const silent = world.nodes.filter(
    (node) => isAsked(node) && !world.views.has(node) && world.agentless?.has(node) !== true,
  );
  const parts = views.flatMap(({ node, state }) =>
    state.missing.map(({ part, reason }) => `${nodeRef(node)}: ${part} could not be read: ${reason}`),
  );
  const short = intent.topic === 'history' ? views.flatMap((view) => notRemembered(world, view, intent)) : [];
  const notKnown = [...silent.map((node) => `${nodeRef(node)} did not answer`), ...short, ...parts].map(nameNodes);
  const table = toldTable(made, nameNodes, notKnown);
  const where = views.map(({ node }) => node).join(', ');
  const sentence =
    rows.length === 0
      ? `${title}: none${where === '' ? '' : ` on ${where}`}.`
      : `${title}: ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}.`;
  return {
    verdict:
      silent.length + short.length === 0
        ? { kind: 'answered', reasons: [`read from ${where || 'no node'}; a table judges nothing`] }
        : { kind: 'inconclusive', reasons: notKnown },
    ...{ findings: [], candidates: [], segments: [], clues: [], table },
    links: linkRows(world),
    sentence,
    hypothesis: 'none asked for',
  };
}

/** As an answer has room for it. */
export function toldTable(
  { title, columns, rows, agesMs }: Table,
  nameNodes: NameNodes,
  notKnown: readonly string[] = [],
): ToldTable {
  const shown = rows.slice(0, CORRELATE_LIMITS.tableRows);
  return {
    ...{ title, columns, rows: shown.map((cells) => cells.map(nameNodes)) },
    ...(agesMs === undefined ? {} : { agesMs: agesMs.slice(0, shown.length) }),
    left: rows.length - shown.length,
    notKnown: unknownLines(notKnown),
  };
}

function tableOf(world: World, views: readonly View[], intent: Intent): Table {
  const { topic, protocol, ifname, path, destination, sinceMs = ALWAYS_MS, untilMs } = intent;
  const each = (title: string, columns: readonly string[], rowsOf: (view: View) => Rows): Table => ({
    title,
    columns,
    rows: views.flatMap(rowsOf),
  });
  switch (topic) {
    case 'connected':
      return each('Connected', neighbours.CONNECTED_COLUMNS, (view) => on(neighbours.connectedRows(view), ifname, 1));
    case 'interfaces':
      return each('Interfaces', interfaces.INTERFACE_COLUMNS, (view) => interfaces.interfaceRows(view, ifname));
    case 'counters':
      return each('Counters', interfaces.COUNTER_COLUMNS, (view) => interfaces.counterRows(view, ifname));
    case 'traffic':
      return each('Traffic', interfaces.TRAFFIC_COLUMNS, (view) => interfaces.trafficRows(view, ifname));
    case 'uptime': {
      const span = { sinceMs, ...(untilMs === undefined ? {} : { untilMs }) };
      return each('Up', nodes.UPTIME_COLUMNS, (view) => nodes.uptimeRows(view, span));
    }
    case 'where':
      return {
        title: `Where ${destination} is`,
        columns: interfaces.PLACE_COLUMNS,
        rows: interfaces.placeRows(views, destination ?? ''),
      };
    case 'history':
      return historyTable(world, views, intent);
    case 'nodes':
      return { title: 'Nodes', columns: nodes.NODE_COLUMNS, rows: nodes.nodeRows(world) };
    case 'path':
      return { title: 'Path', columns: PATH_COLUMNS, rows: wayRows(world, path, destination) };
    default:
      return each('Neighbours', neighbours.NEIGHBOUR_COLUMNS, (view) =>
        on(neighbours.neighbourRows(view, protocol), ifname, 2),
      );
  }
}

/** What happened to nodes, or to what is named of them. */
export function historyTable(world: World, views: readonly View[], asked: Intent): Table {
  const { path, sinceMs = ALWAYS_MS, untilMs = 0, ifname, destination, neighbour, isLink } = asked;
  const ends = views.filter(({ node }) => path.some(({ key }) => key === nodeKey(node))).map(({ node }) => node);
  const found = happenings(world, views, {
    ...{ sinceMs, untilMs },
    names: [ifname, destination, neighbour].filter((name) => name !== undefined),
    ...(isLink === true && ends.length === 2 ? { linkOf: [ends[0]!, ends[1]!] as const } : {}),
  });
  const rows = historyRows(found, (agoMs) => `${ageWords(agoMs)} ago`);
  return { title: 'What happened', columns: HISTORY_COLUMNS, rows, agesMs: found.map(({ agoMs }) => agoMs) };
}

/** Where a node's memory does not reach as far as was asked, or has a gap. */
function notRemembered(
  { days }: World,
  { node, state }: View,
  { sinceMs = 0, untilMs = 0, when }: Intent,
): readonly string[] {
  const known = days?.get(node);
  const reachMs = Math.max(known?.reachMs ?? 0, state.history?.spanMs ?? 0);
  const gaps = (known?.gaps ?? []).filter((gap) => gap.fromAgoMs > untilMs && gap.fromAgoMs <= reachMs);
  return [
    ...(known === undefined ? [`${nodeRef(node)} keeps no memory of days, or did not tell of it`] : []),
    ...(known !== undefined && when !== 'past' && reachMs + MINUTE_MS < sinceMs
      ? [`${nodeRef(node)} ${reachWords(reachMs)}`]
      : []),
    ...gaps.map(
      ({ fromAgoMs, untilAgoMs }) =>
        `${nodeRef(node)} recorded nothing from ${ageWords(fromAgoMs)} to ${ageWords(untilAgoMs)} ago`,
    ),
  ];
}

/** One minute is recorded at once. */
const MINUTE_MS = 60_000;

/** Only rows of one interface, where one was named. */
function on(rows: Rows, ifname: string | undefined, column: number): Rows {
  return ifname === undefined ? rows : rows.filter((cells) => cells[column] === ifname);
}
