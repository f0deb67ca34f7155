// The packet filters of this node: nftables, and the older one (xtables), which nft does not list. Of the older one only tables that are there are
// read: asking the kernel for another would make it, with hooks that every packet then passes. The kernel names its tables to root alone: without
// the names none is asked for, and xtables counts as unread unless the modules show that there is no table.
import { readFile } from 'node:fs/promises';
import { release } from 'node:os';
import type { FilterText } from '../protocol/read-operations.ts';
import { readProgram } from './programs.ts';

type Family = keyof NonNullable<FilterText['legacy']>;
type Legacy = { readonly text?: string; readonly unread?: true };
type ReadText = (path: string) => Promise<string>;

const MODULES = '/proc/modules';
/** What is in the place of a file that there is not. */
const NO_FILE = 'ENOENT';

const FAMILIES = {
  ip: { names: '/proc/net/ip_tables_names', program: 'iptables-legacy-save', core: 'ip_tables', table: /^iptable_/m },
  ip6: {
    names: '/proc/net/ip6_tables_names',
    program: 'ip6tables-legacy-save',
    core: 'ip6_tables',
    table: /^ip6table_/m,
  },
} as const;

/** nft 1.0.6 leaves the device of a netdev chain out of its JSON, so those chains are read as text too. */
export async function readFilters(signal: AbortSignal): Promise<FilterText> {
  const [ruleset, ip, ip6] = await Promise.all([
    readRuleset(signal),
    readLegacy('ip', signal),
    readLegacy('ip6', signal),
  ]);
  const netdevChains = ruleset.includes('"netdev"')
    ? await readProgram('nft', ['list', 'chains', 'netdev'], signal)
    : '';
  const listed = MATCHES_STATES.test(ruleset) ? await readListed(signal) : undefined;
  const families = Object.entries({ ip, ip6 }) as readonly (readonly [Family, Legacy])[];
  const legacy = Object.fromEntries(
    families.flatMap(([family, { text }]) => (text === undefined ? [] : [[family, text]])),
  );
  const legacyUnread = families.flatMap(([family, { unread }]) => (unread === true ? [family] : []));
  return {
    ruleset,
    netdevChains,
    ...(listed === undefined ? {} : { listed }),
    ...(Object.keys(legacy).length === 0 ? {} : { legacy }),
    ...(legacyUnread.length === 0 ? {} : { legacyUnread }),
  };
}

/** Of a node without nft, or where it fails, there are no rules where the kernel has nothing to keep them in. */
async function readRuleset(signal: AbortSignal): Promise<string> {
  try {
    return await readProgram('nft', ['-j', 'list', 'ruleset'], signal);
  } catch (error) {
    signal.throwIfAborted();
    if (await hasNoNftables()) return NO_RULES;
    throw error;
  }
}

const NO_RULES = '{"nftables": []}';
const BUILT_IN = `/lib/modules/${release()}/modules.builtin`;

/** True where the kernel surely has no nftables: it is no module that is loaded, and not built in. Where either cannot be read it is not known. */
export async function hasNoNftables(read: ReadText = textOrCode): Promise<boolean> {
  const [modules, builtIn] = await Promise.all([read(MODULES), read(BUILT_IN)]);
  const isRead = modules.includes('\n') && builtIn.includes('\n');
  return isRead && !/^nf_tables /m.test(modules) && !/\/nf_tables\.ko$/m.test(builtIn);
}

/** Of iptables-nft: what such a match demands is in the text alone. */
const MATCHES_STATES = /"name": ?"conntrack"/;

/** Without the elements of sets. Where it cannot be had, what these rules demand is not known, as it is not without it. */
function readListed(signal: AbortSignal): Promise<string | undefined> {
  return readProgram('nft', ['-a', '-t', 'list', 'ruleset'], signal).catch(() => {
    signal.throwIfAborted();
    return undefined;
  });
}

async function readLegacy(family: Family, signal: AbortSignal): Promise<Legacy> {
  const tables = await legacyTables(family);
  if (tables === 'unread') return { unread: true };
  return tables === 'none' ? {} : { text: await readProgram(FAMILIES[family].program, ['-c'], signal) };
}

/** Whether this network has tables of xtables: `named` by the kernel, so that reading them makes none; `unread` where it cannot be known. */
export async function legacyTables(family: Family, read: ReadText = textOrCode): Promise<'named' | 'none' | 'unread'> {
  const { names, core, table } = FAMILIES[family];
  const there = await read(names);
  // No such file: the kernel has none of it. An empty one: no table in this network.
  if (there === NO_FILE || there === '') return 'none';
  if (there.includes('\n')) return 'named';
  // Without the names the modules tell of the kernel as a whole. Built into the kernel they are not listed.
  const modules = await read(MODULES);
  return modules.split('\n').some((line) => line.startsWith(`${core} `)) && !table.test(modules) ? 'none' : 'unread';
}

async function textOrCode(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EIO';
  }
}
