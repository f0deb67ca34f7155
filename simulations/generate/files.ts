// A generated network as a containerlab topology with its FRR files, in a folder that labs (and containerlab) can run.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { relayCommands, serverCommands } from './dhcp.ts';
import { frrConf, frrDaemons } from './frr-conf.ts';
import type { HostPort, Network, Router } from './network.ts';
import { resolverCommand } from './resolver.ts';

const ROUTER_IMAGE = 'parley-node:dev';
const CORE_MTU = 9_000;
const HOST_MTU = 1_500;

/** Writes `<folder>/<name>.clab.yml` and what it binds; returns that file's path. */
export async function writeNetwork(network: Network, folder: string): Promise<string> {
  for (const router of network.routers) {
    const own = join(folder, network.name, router.name);
    await mkdir(own, { recursive: true });
    await writeFile(join(own, 'frr.conf'), frrConf(network, router));
    await writeFile(join(own, 'daemons'), frrDaemons(network));
  }
  const file = join(folder, `${network.name}.clab.yml`);
  await writeFile(file, stringify(topologyOf(network), { lineWidth: 0 }));
  return file;
}

export function topologyOf(network: Network) {
  const bind = (router: Router, file: string) => `${network.name}/${router.name}/${file}:/etc/frr/${file}`;
  const routers = network.routers.map((router) => [
    router.name,
    {
      kind: 'linux',
      image: ROUTER_IMAGE,
      binds: [bind(router, 'frr.conf'), bind(router, 'daemons')],
      exec: routerCommands(network, router),
    },
  ]);
  const hosts = network.hosts.map((host) => [
    host.host,
    {
      kind: 'linux',
      image: ROUTER_IMAGE,
      env: hostEnvironment(host),
      exec: [...hostCommands(host), ...resolverOf(network, host), ...serverCommands(network, host)],
    },
  ]);
  return {
    name: network.name,
    topology: {
      nodes: Object.fromEntries([...routers, ...hosts]),
      links: [
        ...network.links.map(({ a, b }) => ({
          endpoints: [`${a.node}:${a.ifname}`, `${b.node}:${b.ifname}`],
          vars: { mtu: CORE_MTU },
        })),
        ...network.hosts.map((host) => ({
          endpoints: [`${host.router}:${host.ifname}`, `${host.host}:eth1`],
          vars: { mtu: HOST_MTU },
        })),
      ],
    },
  };
}

/** SIDs, and one SRv6 route per IPv6 host prefix of every other router. sr0 is a bridge without ports: it never goes down. */
function routerCommands(network: Network, router: Router): string[] {
  const encapsulated = router.hosts.length === 0 ? [] : network.hosts.filter((host) => host.router !== router.name);
  const decapSidOf = (name: string) => network.routers.find((entry) => entry.name === name)!.decapSid;
  return [
    'ip link add sr0 type bridge',
    'ip link set sr0 up',
    `ip -6 route add ${router.endSid}/128 encap seg6local action End count dev sr0`,
    `ip -6 route add ${router.decapSid}/128 encap seg6local action End.DT6 table 254 count dev sr0`,
    `ip -6 route add local ${router.loopback6}/128 dev lo table 254 metric 1`,
    `ip sr tunsrc set ${router.loopback6}`,
    ...encapsulated.map(
      (host) => `ip -6 route add ${host.prefix6} encap seg6 mode encap segs ${decapSidOf(host.router)} dev sr0`,
    ),
    ...relayCommands(network, router),
  ];
}

function hostEnvironment(host: HostPort) {
  const services = [host.service, host.dhcp ? 'dhcp' : undefined].filter((service) => service !== undefined);
  return { NODE_ROLE: 'host', ...(services.length === 0 ? {} : { NODE_SERVICES: services.join(' ') }) };
}

function hostCommands(host: HostPort): string[] {
  return [
    `ip address add ${host.hostAddress4}/24 dev eth1`,
    `ip -6 address add ${host.hostAddress6}/64 dev eth1 nodad`,
    `ip route add default via ${host.routerAddress4}`,
    `ip -6 route add default via ${host.routerAddress6}`,
  ];
}

function resolverOf(network: Network, host: HostPort): string[] {
  const server = network.hosts.find((entry) => entry.service === 'dns');
  return server === undefined || server === host ? [] : [resolverCommand(server.hostAddress4)];
}
