// Live settings that are one entry of a kernel table: a fixed neighbour entry that is taken away, an address that is set. Both come back by
// one command; an entry that another program has changed since is left alone. Arguments are arrays.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { LiveSetting } from '#model/router/live-setting.ts';
import type { ChangedLine } from './text.ts';

export type EntryChange = Extract<LiveSetting, { readonly kind: 'neighbour-delete' | 'address-add' }>;

/** Runs `ip` with these arguments; rejects when it fails. */
export type Ip = (args: readonly string[]) => Promise<string>;

export function isEntry<T extends { readonly kind: string }>(change: T | EntryChange): change is EntryChange {
  return change.kind === 'neighbour-delete' || change.kind === 'address-add';
}

/** Why the setting does not fit what is there; undefined when it does. */
export async function unfitEntry(ip: Ip, change: EntryChange): Promise<string | undefined> {
  const found = await entriesOf(ip, change);
  if (change.kind === 'address-add')
    return found.length === 0 ? undefined : `expected no address ${change.address} on ${change.ifname}, it is there`;
  const { address, ifname, mac } = change;
  if (found.some((entry) => isFixed(entry, mac))) return undefined;
  return `expected a fixed entry of ${address} on ${ifname} with ${mac}, there is none`;
}

export async function setEntry(ip: Ip, change: EntryChange): Promise<void> {
  const { address, ifname } = change;
  if (change.kind === 'address-add') await ip(['address', 'add', address, 'dev', ifname]);
  else await ip(['neigh', 'del', address, 'dev', ifname]);
}

export async function isEntryInForce(ip: Ip, change: EntryChange): Promise<boolean> {
  const found = await entriesOf(ip, change);
  return change.kind === 'address-add' ? found.length > 0 : !found.some((entry) => isFixed(entry, change.mac));
}

/** Twice changes nothing. */
export async function undoEntry(ip: Ip, change: EntryChange): Promise<void> {
  const { address, ifname } = change;
  const found = await entriesOf(ip, change);
  if (change.kind === 'address-add') {
    if (found.length > 0) await ip(['address', 'del', address, 'dev', ifname]);
    return;
  }
  // Another fixed entry was made by another program.
  if (found.some((entry) => statesOf(entry).includes('PERMANENT'))) return;
  await ip(['neigh', 'replace', address, 'lladdr', change.mac, 'dev', ifname, 'nud', 'permanent']);
}

export function linesOfEntry(change: EntryChange): readonly ChangedLine[] {
  const context = `live interface ${change.ifname}`;
  const word = change.address.includes(':') ? 'ipv6' : 'ip';
  return change.kind === 'address-add'
    ? [{ sign: '+', context, line: `${word} address ${change.address}` }]
    : [{ sign: '-', context, line: `${word} neighbour ${change.address} ${change.mac}` }];
}

async function entriesOf(ip: Ip, { kind, address, ifname }: EntryChange): Promise<readonly JsonObject[]> {
  if (kind === 'neighbour-delete') return rowsOf(await ip(['-json', 'neigh', 'show', address, 'dev', ifname]));
  const [host, length] = address.split('/');
  const links = rowsOf(await ip(['-json', 'address', 'show', 'dev', ifname]));
  const rows = links.flatMap(({ addr_info: info }) =>
    Array.isArray(info) ? info.filter((row) => isJsonObject(row)) : [],
  );
  return rows.filter((row) => row['local'] === host && String(row['prefixlen']) === length);
}

function rowsOf(text: string): readonly JsonObject[] {
  const rows: unknown = text.trim() === '' ? [] : JSON.parse(text);
  return Array.isArray(rows) ? rows.filter((row) => isJsonObject(row)) : [];
}

function isFixed(entry: JsonObject, mac: string): boolean {
  return statesOf(entry).includes('PERMANENT') && entry['lladdr'] === mac;
}

function statesOf({ state }: JsonObject): readonly unknown[] {
  return Array.isArray(state) ? state : [];
}
