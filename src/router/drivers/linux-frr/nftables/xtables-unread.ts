// Why the older packet filter (xtables) of a node could not be read: its state has the part as missing.
export const XTABLES_PART = 'xtables';

const NAMES = { ip: '/proc/net/ip_tables_names', ip6: '/proc/net/ip6_tables_names' } as const;

/** `families` of which the helper could not read the names of the tables. */
export function xtablesUnread(families: readonly (keyof typeof NAMES)[]): string {
  return `filters of iptables-legacy not readable: ${families.map((family) => NAMES[family]).join(' and ')} for root alone (the start of parley-helper.service gives them to the helper)`;
}
