// Reads the links of a containerlab topology file (`*.clab.yml`): `topology.links` with `endpoints: [a:eth1, b:eth1]`, in the brief or
// the extended form. Links to the host, to bridges and to the management network do not join nodes: they are left out with a note.
import { parse as parseYaml } from 'yaml';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { isNodeName, type LinkEnd } from '#model/names.ts';

export type TopologyLinks = {
  readonly name: string;
  readonly links: readonly { readonly a: LinkEnd; readonly b: LinkEnd }[];
  readonly notes: readonly string[];
};

const SWITCHES = ['bridge', 'ovs-bridge', 'host', 'mgmt-net', 'macvlan'];

export function linksOfTopology(text: string, file: string): TopologyLinks {
  const { name, links, notes } = readTopology(text, file);
  if (links.length === 0) throw unreadable(file, 'no link between two of its nodes');
  return { name, links: links.map(({ a, b }) => ({ a, b })), notes };
}

export type TopologyLink = { readonly a: LinkEnd; readonly b: LinkEnd; readonly entry: JsonValue };

/** Links that join two nodes, with the entries that they were read from. Throws ParleyError `caller/unreadable-file`. */
export function readTopology(
  text: string,
  file: string,
): Omit<TopologyLinks, 'links'> & { readonly nodes: JsonObject; readonly links: readonly TopologyLink[] } {
  if (text.length > LIMITS.baselineBytes) throw unreadable(file, `more than ${LIMITS.baselineBytes} characters`);
  const value = parsed(text, file);
  const topology = isJsonObject(value) && isJsonObject(value['topology']) ? value['topology'] : undefined;
  const given = topology?.['links'];
  if (!isJsonObject(value) || topology === undefined || !Array.isArray(given))
    throw unreadable(file, 'no topology.links');
  const nodes = isJsonObject(topology['nodes']) ? topology['nodes'] : {};
  const notes: string[] = [];
  const links = given.flatMap((entry: JsonValue, index) => {
    const [a, b, ...more] = endsOf(entry).map(endOf);
    const isNode = (end: LinkEnd) => Object.hasOwn(nodes, end.node) && !isSwitch(nodes[end.node]);
    if (more.length === 0 && a !== undefined && b !== undefined && isNode(a) && isNode(b)) return [{ a, b, entry }];
    notes.push(`link ${index + 1} of ${file} does not join two of its nodes: left out`);
    return [];
  });
  return { name: typeof value['name'] === 'string' ? value['name'] : file, nodes, links, notes };
}

function parsed(text: string, file: string): JsonValue {
  try {
    return parseYaml(text, { maxAliasCount: 64, prettyErrors: false, logLevel: 'silent' }) as JsonValue;
  } catch (cause) {
    throw unreadable(file, 'text that is not YAML', cause);
  }
}

/** `endpoints: ["a:eth1", "b:eth1"]`, or `endpoints: [{ node: a, interface: eth1 }, …]` in the extended form. */
function endsOf(entry: JsonValue): readonly JsonValue[] {
  const ends = isJsonObject(entry) ? entry['endpoints'] : undefined;
  return Array.isArray(ends) ? (ends as readonly JsonValue[]) : [];
}

function endOf(end: JsonValue): LinkEnd | undefined {
  const [node, ifname] =
    typeof end === 'string' ? split(end) : isJsonObject(end) ? [end['node'], end['interface']] : [undefined, undefined];
  if (typeof node !== 'string' || typeof ifname !== 'string' || !isNodeName(node) || ifname === '') return undefined;
  return { node, ifname };
}

function split(end: string): readonly [string, string] {
  const colon = end.indexOf(':');
  return [end.slice(0, colon), end.slice(colon + 1)];
}

function isSwitch(node: JsonValue | undefined): boolean {
  return isJsonObject(node) && SWITCHES.includes(String(node['kind']));
}

function unreadable(file: string, got: string, cause?: unknown): ParleyError {
  return new ParleyError('caller/unreadable-file', `expected a containerlab topology in ${file}, got ${got}`, {
    cause,
  });
}
