// Entries of `expectations.yaml` from NetBox: what its REST API lists of `/api/dcim/cables/` and `/api/dcim/devices/`, saved as JSON. A cable
// that is connected must be there; one that is not yet or no longer in use, and a device that is not active, are meant to be as they are.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Row } from '#config/expectations-edit.ts';
import { isNodeName } from '#model/names.ts';

export type ImportedRows = { readonly rows: readonly Row[]; readonly notes: readonly string[] };

/** `until`: the end of entries that allow something; NetBox knows none. Throws ParleyError `caller/unreadable-file`. */
export function rowsOfNetbox(value: JsonValue, file: string, until: string | undefined): ImportedRows {
  const notes: string[] = [];
  const rows = objectsOf(value, file).flatMap((object) => {
    const read = Array.isArray(object['a_terminations']) ? rowOfCable(object, until) : rowOfDevice(object, until);
    if (typeof read !== 'string') return read;
    notes.push(read);
    return [];
  });
  return { rows, notes };
}

function objectsOf(value: JsonValue, file: string): readonly JsonObject[] {
  const list = isJsonObject(value) ? value['results'] : value;
  if (!Array.isArray(list) || !list.every(isListed))
    throw unreadable(file, 'another form: save what /api/dcim/cables/ or /api/dcim/devices/ answers');
  if (isJsonObject(value) && typeof value['next'] === 'string')
    throw unreadable(file, `the first ${list.length} of them: add ?limit=0 to the request`);
  return list as readonly JsonObject[];
}

function isListed(each: JsonValue): boolean {
  return isJsonObject(each) && (Array.isArray(each['a_terminations']) || isJsonObject(each['device_type']));
}

/** A note where it is no link of two nodes. */
function rowOfCable(cable: JsonObject, until: string | undefined): readonly Row[] | string {
  const where = `cable ${textOf(cable['display'] ?? cable['id'])}`;
  const ends = [cable['a_terminations'], cable['b_terminations']].map(endOf);
  const [a, b] = ends;
  if (a === undefined || b === undefined)
    return `${where} does not join one interface of a node to one of another: left out`;
  const link = `${a}--${b}`;
  const status = statusOf(cable['status']);
  const said = { reason: reasonOf(cable, `NetBox ${where}, ${status}`), owner: ownerOf(cable) };
  if (status === 'connected') return [{ section: 'expect', entry: { link, ...said } }];
  if (until === undefined) return `${where} is ${status}: give --until to allow that it is down; left out`;
  return [{ section: 'allow', entry: { fault: 'link_down', resource: `link/${link}`, ...said, until } }];
}

function rowOfDevice(device: JsonObject, until: string | undefined): readonly Row[] | string {
  const node = textOf(device['name']).toLowerCase();
  const status = statusOf(device['status']);
  if (!isNodeName(node))
    return `device ${textOf(device['name'] ?? device['id'])}: not a name that an agent can have: left out`;
  if (status === 'active') return [];
  if (until === undefined) return `device ${node} is ${status}: give --until to allow what is found there; left out`;
  const said = { reason: reasonOf(device, `NetBox device ${node}, ${status}`), owner: ownerOf(device) };
  return [{ section: 'allow', entry: { fault: '*', resource: `node/${node}`, ...said, until } }];
}

/** `leaf1:eth1`; a cable with several ends at one side, or to a panel, a circuit or a power port, is no link. */
function endOf(terminations: JsonValue | undefined): string | undefined {
  const [first, ...more] = Array.isArray(terminations) ? (terminations as readonly JsonValue[]) : [];
  if (!isJsonObject(first) || more.length > 0 || first['object_type'] !== 'dcim.interface') return undefined;
  const { object } = first;
  if (!isJsonObject(object) || !isJsonObject(object['device'])) return undefined;
  const node = textOf(object['device']['name']).toLowerCase();
  const ifname = textOf(object['name']);
  return isNodeName(node) && /^[^:\s]+$/.test(ifname) ? `${node}:${ifname}` : undefined;
}

function reasonOf(object: JsonObject, otherwise: string): string {
  return textOf(object['description']) || textOf(object['label']) || otherwise;
}

function ownerOf({ tenant }: JsonObject): string {
  return (isJsonObject(tenant) && textOf(tenant['name'])) || 'netbox';
}

function statusOf(status: JsonValue | undefined): string {
  return textOf(isJsonObject(status) ? status['value'] : status);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function unreadable(file: string, got: string): ParleyError {
  return new ParleyError(
    'caller/unreadable-file',
    `expected a list of cables or devices of NetBox in ${file}, got ${got}`,
  );
}
