// The packet filters of this node: nftables, and the older one (xtables), which nft does not list. Of the older one only tables that are there are
// read: asking the kernel for another would make it, and load its module. Refuses to guess: where the kernel does not say which tables there
// are (their names are for root alone), only the filter table is asked for, and only where its module is there: a kernel that had not made that
// table in this network yet then makes it, without a rule.
import { readFile } from 'node:fs/promises';
import { ParleyError } from '#base/error.ts';
import type { FilterText } from '../protocol/read-operations.ts';
import { readProgram } from './programs.ts';

type Legacy = NonNullable<FilterText['legacy']>;

const FAMILIES = {
  ip: { names: '/proc/net/ip_tables_names', program: 'iptables-legacy-save', filter: 'iptable_filter' },
  ip6: { names: '/proc/net/ip6_tables_names', program: 'ip6tables-legacy-save', filter: 'ip6table_filter' },
} as const;

/** nft 1.0.6 leaves the device of a netdev chain out of its JSON, so those chains are read as text too. */
export async function readFilters(signal: AbortSignal): Promise<FilterText> {
  const [ruleset, ip, ip6] = await Promise.all([
    readProgram('nft', ['-j', 'list', 'ruleset'], signal),
    readLegacy('ip', signal),
    readLegacy('ip6', signal),
  ]);
  const netdevChains = ruleset.includes('"netdev"')
    ? await readProgram('nft', ['list', 'chains', 'netdev'], signal)
    : '';
  const legacy = { ...(ip === undefined ? {} : { ip }), ...(ip6 === undefined ? {} : { ip6 }) };
  return { ruleset, netdevChains, ...(Object.keys(legacy).length === 0 ? {} : { legacy }) };
}

async function readLegacy(family: keyof Legacy, signal: AbortSignal): Promise<string | undefined> {
  const { names, program, filter } = FAMILIES[family];
  const there = await textOrCode(names);
  // No such file: the kernel has none of it. An empty one: no table in this network.
  if (there === 'ENOENT' || there === '') return undefined;
  if (there !== 'EACCES') return readProgram(program, ['-c'], signal);
  // The names are for root alone.
  const modules = await textOrCode('/proc/modules');
  if (modules !== 'ENOENT' && !modules.includes(`${filter} `)) return undefined;
  try {
    return await readProgram(program, ['-c', '-t', 'filter'], signal);
  } catch (error) {
    signal.throwIfAborted();
    // Who cannot have made such a rule here has none: without its programs there is nothing to be said.
    if (error instanceof ParleyError) return undefined;
    throw error;
  }
}

async function textOrCode(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EIO';
  }
}
