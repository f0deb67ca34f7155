// IS-IS adjacencies from isisd. The interface tree of `show yang operational-data` is the only machine-readable source of
// FRR 8.4 that loses no neighbour on a LAN; host names exist as text only. Pure parsers.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { Adjacency } from '#model/router/router-port.ts';
import { textOf } from '../kernel/ip-command.ts';

/** `hostnames` maps system ids to names. Bad when the text is not isisd's interface tree. */
export function parseAdjacencies(text: string, hostnames: ReadonlyMap<string, string>): Result<readonly Adjacency[]> {
  const tree = parseJson(text);
  const library = isObject(tree) ? tree['frr-interface:lib'] : undefined;
  if (!isObject(tree) || (library !== undefined && !isObject(library)))
    return bad('expected the interface tree of isisd, got something else');
  // A daemon without interfaces answers an empty tree.
  const interfaces = library === undefined ? [] : objects(library['interface']);
  return ok(interfaces.flatMap((entry) => adjacenciesOf(entry, hostnames)));
}

/** Hellos that each interface refused since start. Empty when the text is not isisd's interface tree. */
export function rejectsOf(text: string): ReadonlyMap<string, string> {
  const tree = parseJson(text);
  const library = isObject(tree) ? member(tree, 'frr-interface:lib') : {};
  return new Map(
    objects(library['interface']).flatMap((entry): [string, string][] => {
      const events = member(member(member(entry, 'state'), 'frr-isisd:isis'), 'event-counters');
      const count = events['adjacency-rejects'];
      return count === undefined ? [] : [[textOf(entry['name']) ?? '', String(count)]];
    }),
  );
}

/** `show isis hostname`: level, system id, name; the node's own line has a star instead of a level. */
export function parseHostnames(text: string): ReadonlyMap<string, string> {
  const rows = text.matchAll(/^\s*[12*]\s+([0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})\s+(\S+)\s*$/gim);
  return new Map([...rows].map((row) => [row[1]!.toLowerCase(), row[2]!]));
}

function adjacenciesOf(entry: JsonObject, hostnames: ReadonlyMap<string, string>): readonly Adjacency[] {
  const ifname = textOf(entry['name']) ?? '';
  const isis = member(member(entry, 'state'), 'frr-isisd:isis');
  return objects(member(isis, 'adjacencies')['adjacency']).map((adjacency) => {
    const systemId = (textOf(adjacency['neighbor-sysid']) ?? '').toLowerCase();
    const hostname = hostnames.get(systemId);
    const hold = adjacency['hold-timer'];
    return {
      protocol: 'isis',
      ifname,
      systemId,
      ...(hostname === undefined ? {} : { hostname }),
      level: adjacency['neighbor-sys-type'] === 'level-1' ? 1 : 2,
      state: stateOf(adjacency['state']),
      ...(typeof hold === 'number' ? { holdSeconds: hold } : {}),
    };
  });
}

function stateOf(value: JsonValue | undefined): Adjacency['state'] {
  if (value === 'up') return 'up';
  return value === 'init' || value === 'initializing' ? 'initializing' : 'down';
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isJsonObject(value);
}

function member(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  return isObject(found) ? found : {};
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((entry) => isJsonObject(entry)) : [];
}
