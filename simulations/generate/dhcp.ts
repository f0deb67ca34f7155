// Addresses for hosts of a generated network: one server (dnsmasq) for all of them, relays on the routers of the other networks. What a
// host is given is what it has from the start, so that a lease that is taken changes nothing. Leases are gone with the server's node.
import type { HostPort, Network, Router } from './network.ts';

/** Where the server is told what it gives to whom, line by line. */
export const DHCP_CONF = '/run/start-dhcp.conf';
export const START_DHCP = 'setsid bash /run/start-dhcp < /dev/null > /dev/null 2>&1 &';

/** Strangers of a network get one of its upper addresses; hosts that say their name get their own. */
const RANGE = [100, 199] as const;
const MASK = '255.255.255.0';

/** The pool of one host's network, and what goes with it. */
export function poolLines(network: Network, { host, hostAddress4, routerAddress4 }: HostPort): string[] {
  const [first, last] = RANGE.map((number) => hostAddress4.replace(/\d+$/, String(number)));
  const names = network.hosts.find((entry) => entry.service === 'dns')?.hostAddress4;
  return [
    `dhcp-range=set:${host},${first},${last},${MASK},10m`,
    `dhcp-option=tag:${host},option:router,${routerAddress4}`,
    ...(names === undefined ? [] : [`dhcp-option=tag:${host},option:dns-server,${names}`]),
    `dhcp-host=${host},${hostAddress4}`,
  ];
}

export function serverCommands(network: Network, host: HostPort): string[] {
  if (!host.dhcp) return [];
  const lines = [
    ...['port=0', 'user=root', 'no-ping', 'dhcp-authoritative'],
    ...['dhcp-leasefile=/run/dhcp.leases', 'pid-file=/run/dhcp.pid'],
    ...network.hosts.flatMap((entry) => poolLines(network, entry)),
  ];
  return [
    `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} > ${DHCP_CONF}`,
    `echo 'exec dnsmasq -C ${DHCP_CONF} -k' > /run/start-dhcp`,
    START_DHCP,
  ];
}

export function relayCommands(network: Network, router: Router): string[] {
  const server = network.hosts.find((host) => host.dhcp);
  const relayed = server === undefined ? [] : router.hosts.filter((host) => host !== server);
  if (server === undefined || relayed.length === 0) return [];
  const relays = relayed.map((host) => `--dhcp-relay=${host.routerAddress4},${server.hostAddress4}`).join(' ');
  return [`dnsmasq -C /dev/null --port=0 --user=root --pid-file=/run/dhcp-relay.pid ${relays}`];
}
