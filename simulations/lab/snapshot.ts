// What a place of the lab is made of at one moment, without what moves by itself: counters, learned routes and carrier are left out.
// Two snapshots show that an injection landed, that it is still there after the run, and that nothing of it is left.
import { ParleyError } from '#base/error.ts';
import { runInNetwork, runInNode } from './node-processes.ts';
import type { CableRecord, NodeRecord } from './registry.ts';

/** Section name → text; equal texts mean that nothing changed there. */
export type Snapshot = { readonly [section: string]: string };

const MARK = '#section ';
const NETWORK_SECTIONS: { readonly [section: string]: string } = {
  filters: 'nft -s list ruleset',
  olderFilters: '[ -z "$(cat /proc/net/ip_tables_names 2> /dev/null)" ] || iptables-legacy-save | grep ^-A; true',
  queues: 'tc qdisc show | sort',
  links: 'ip -j link show',
  neighbours: 'ip -j neigh show nud permanent',
};
/** Switches of the kernel that decide what is forwarded. */
const SETTINGS =
  'grep -s . /proc/sys/net/ipv[46]/conf/*/{forwarding,rp_filter,seg6_enabled,seg6_require_hmac,disable_ipv6,accept_ra} /proc/sys/net/ipv4/{ip_forward,fib_multipath_hash_policy} /proc/sys/net/ipv6/fib_multipath_hash_policy; true';
const NODE_SECTIONS: { readonly [section: string]: string } = {
  addresses: 'ip -j address show',
  rules: 'ip rule show; ip -6 rule show',
  services: "ss -Hlntu '( sport = :53 or sport = :67 or sport = :80 )' | awk '{ print $1, $5 }' | sort",
  routes4: 'ip -j -4 route show table all',
  routes6: 'ip -j -6 route show table all',
  settings: SETTINGS,
};
/** What a node runs for as long as it is up; programs that come and go, such as sed, are none of it. */
const DAEMONS = /^(zebra|(static|bgp|isis|ospf|ospf6|bfd|lldp|rip|ripng|pim|ldp)d)$/;
/** How services of a host are started. */
const HOST_CONFIGURATION = ['bash', '--norc', '-c', 'cat /run/start-* /etc/resolv.conf 2> /dev/null'];
/** Learned by protocols or made by the kernel: they follow from other things. */
const MOVING_ROUTES = new Set(['isis', 'bgp', 'ospf', 'ra', 'kernel', 'redirect']);

export async function snapshotCable(cable: CableRecord): Promise<Snapshot> {
  return normalized(await sectionsOf(cable.namespace, NETWORK_SECTIONS));
}

export async function snapshotNode(node: NodeRecord): Promise<Snapshot> {
  const [network, configuration, processes] = await Promise.all([
    sectionsOf(node.namespace, { ...NETWORK_SECTIONS, ...NODE_SECTIONS }),
    runInNode(node, node.role === 'host' ? HOST_CONFIGURATION : ['vtysh', '-c', 'show running-config']),
    runInNode(node, ['bash', '--norc', '-c', 'cat /proc/[0-9]*/comm']),
  ]);
  const daemons = processes.stdout.split('\n').filter((name) => DAEMONS.test(name));
  return { ...normalized(network), configuration: configuration.stdout, daemons: daemons.sort().join(' ') };
}

/** Sections that differ, sorted. */
export function changedSections(before: Snapshot, after: Snapshot): string[] {
  const sections = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...sections].filter((section) => before[section] !== after[section]).sort();
}

/** Keeps of each section only what a person sets. */
export function normalized(sections: Snapshot): Snapshot {
  return Object.fromEntries(
    Object.entries(sections).map(([section, text]) => [
      section,
      NORMAL[section]?.(parsedList(text)).join('\n') ?? text,
    ]),
  );
}

type Row = { readonly [member: string]: unknown };
const NORMAL: { readonly [section: string]: (rows: readonly Row[]) => string[] } = {
  links: (rows) =>
    rows.map((row) => line(row['ifname'], flag(row, 'UP'), row['mtu'], row['master'], row['address'])).sort(),
  neighbours: (rows) => rows.map((row) => line(row['dst'], row['dev'], row['lladdr'])).sort(),
  addresses: (rows) =>
    rows
      .flatMap((row) =>
        ((row['addr_info'] ?? []) as Row[]).map((entry) => line(row['ifname'], entry['local'], entry['prefixlen'])),
      )
      .sort(),
  routes4: fixedRoutes,
  routes6: fixedRoutes,
};

function fixedRoutes(rows: readonly Row[]): string[] {
  return rows
    .filter((row) => !MOVING_ROUTES.has(String(row['protocol'] ?? 'boot')))
    .map((row) =>
      line(
        row['type'],
        row['dst'],
        row['dev'],
        row['gateway'],
        row['encap'],
        row['segs'],
        row['action'],
        row['table'],
        row['metric'],
      ),
    )
    .sort();
}

function flag(row: Row, name: string): string {
  return ((row['flags'] ?? []) as string[]).includes(name) ? name : `not ${name}`;
}

function line(...values: unknown[]): string {
  return values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value ?? '-'))).join(' ');
}

function parsedList(text: string): Row[] {
  return text.trim() === '' ? [] : (JSON.parse(text) as Row[]);
}

async function sectionsOf(namespace: string, commands: { readonly [section: string]: string }): Promise<Snapshot> {
  const script = Object.entries(commands).map(([section, command]) => `echo '${MARK}${section}'\n${command}\necho`);
  const said = await runInNetwork(namespace, ['bash', '--norc', '-c', script.join('\n')]);
  if (said.exitCode !== 0)
    throw new ParleyError('node/lab-snapshot', `expected a snapshot of ${namespace}: ${said.stderr.trim()}`);
  const parts = said.stdout.split(MARK).slice(1);
  return Object.fromEntries(
    parts.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end + 1).trim()];
    }),
  );
}
