// The answer to a question that asks for data: a table of what nodes say of themselves, from signed evidence. It has no verdict of health: `answered`
// where every node in scope was read, `inconclusive` where one was not. Pure.
import type { Diagnosis, ToldTable } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import type { CaseFile } from '../engine/facts.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import { linkRows } from '../network/link-rows.ts';
import { type NameNodes, nodeRef } from '../network/node-ref.ts';
import type { View, World } from '../network/world.ts';
import * as interfaces from './interface-rows.ts';
import * as neighbours from './neighbour-rows.ts';
import * as nodes from './node-rows.ts';
import { PATH_COLUMNS, wayRows } from './path-rows.ts';
import type { Rows } from './rows.ts';

type Table = { readonly title: string; readonly columns: readonly string[]; readonly rows: Rows };

/** How far back restarts are told where no time was named: all that is remembered. */
const ALWAYS_MS = Number.MAX_SAFE_INTEGER;

export function tableDiagnosis({ world }: CaseFile, intent: Intent, nameNodes: NameNodes): Diagnosis {
  const asked = intent.path.map(({ key }) => key);
  const isAsked = (node: string) => asked.length === 0 || asked.includes(nodeKey(node));
  const views = [...world.views.values()].filter(({ node }) => isAsked(node));
  const { title, columns, rows } = tableOf(world, views, intent);
  const silent = world.nodes.filter(
    (node) => isAsked(node) && !world.views.has(node) && world.agentless?.has(node) !== true,
  );
  const parts = views.flatMap(({ node, state }) =>
    state.missing.map(({ part, reason }) => `${nodeRef(node)}: ${part} could not be read: ${reason}`),
  );
  const notKnown = [...silent.map((node) => `${nodeRef(node)} did not answer`), ...parts].map(nameNodes);
  const shown = rows.slice(0, CORRELATE_LIMITS.tableRows);
  const table: ToldTable = {
    ...{ title, columns, rows: shown.map((cells) => cells.map(nameNodes)) },
    left: rows.length - shown.length,
    notKnown: notKnown.slice(0, CORRELATE_LIMITS.unknownChanges),
  };
  const where = views.map(({ node }) => node).join(', ');
  const sentence =
    rows.length === 0
      ? `${title}: none${where === '' ? '' : ` on ${where}`}.`
      : `${title}: ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}.`;
  return {
    verdict:
      silent.length === 0
        ? { kind: 'answered', reasons: [`read from ${where || 'no node'}; a table judges nothing`] }
        : { kind: 'inconclusive', reasons: notKnown },
    ...{ findings: [], candidates: [], segments: [], clues: [], table },
    links: linkRows(world),
    sentence,
    hypothesis: 'none asked for',
  };
}

function tableOf(
  world: World,
  views: readonly View[],
  { topic, protocol, ifname, path, destination, sinceMs = ALWAYS_MS, untilMs }: Intent,
): Table {
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

/** Only rows of one interface, where one was named. */
function on(rows: Rows, ifname: string | undefined, column: number): Rows {
  return ifname === undefined ? rows : rows.filter((cells) => cells[column] === ifname);
}
