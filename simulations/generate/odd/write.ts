// A drawn network as a containerlab topology with its FRR files. Nothing in them tells an oddity from a fault: what is wrong is never written.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { frrHead } from '../frr-conf.ts';
import { type Block, type Draft, type Host, linkText, type Port, type Router } from './model.ts';

const IMAGE = 'parley-node:dev';

/** Writes `<folder>/<name>.clab.yml` and what it binds; returns that file's path. */
export async function writeOdd(draft: Draft, folder: string): Promise<string> {
  for (const router of draft.routers) {
    const own = join(folder, draft.name, router.name);
    await mkdir(own, { recursive: true });
    await writeFile(join(own, 'frr.conf'), frrConf(router));
    await writeFile(join(own, 'daemons'), [...router.daemons].map((name) => `${name}=yes\n`).join(''));
  }
  const file = join(folder, `${draft.name}.clab.yml`);
  await writeFile(file, stringify(topologyOf(draft), { lineWidth: 0 }));
  return file;
}

export function topologyOf(draft: Draft) {
  const bind = (router: Router, file: string) => `${draft.name}/${router.name}/${file}:/etc/frr/${file}`;
  const routers = draft.routers.map((router) => [
    router.name,
    {
      ...{ kind: 'linux', image: IMAGE, binds: [bind(router, 'frr.conf'), bind(router, 'daemons')] },
      ...(router.exec.length === 0 ? {} : { exec: router.exec }),
    },
  ]);
  const hosts = draft.hosts.map((host) => [
    host.name,
    { kind: 'linux', image: IMAGE, env: environmentOf(host), exec: hostCommands(host) },
  ]);
  const switches = draft.switches.map(({ name, ports }) => [
    name,
    { kind: 'linux', image: IMAGE, env: { NODE_ROLE: 'host' }, exec: switchCommands(ports) },
  ]);
  return {
    name: draft.name,
    topology: {
      nodes: Object.fromEntries([...routers, ...hosts, ...switches]),
      links: draft.links.map((link) => ({ endpoints: linkText(link).split('--'), vars: { mtu: link.mtu } })),
    },
  };
}

export function frrConf(router: Router): string {
  return `${[
    ...frrHead(router.name),
    ...router.top,
    '!',
    'interface lo',
    ...indented([
      ...(router.loopback4 === undefined ? [] : [`ip address ${router.loopback4}/32`]),
      ...(router.loopback6 === undefined ? [] : [`ipv6 address ${router.loopback6}/128`]),
      ...router.loopbackLines,
    ]),
    '!',
    ...router.ports.flatMap(portLines),
    ...router.blocks.flatMap(blockLines),
  ].join('\n')}\n`;
}

function portLines({ ifname, address4, address6, lines }: Port): string[] {
  return [
    `interface ${ifname}`,
    ...indented([
      ...(address4 === undefined ? [] : [`ip address ${address4}`]),
      ...(address6 === undefined ? [] : [`ipv6 address ${address6}`]),
      ...lines,
    ]),
    '!',
  ];
}

function blockLines({ head, lines, ipv4, ipv6 }: Block): string[] {
  const family = (name: string, inner: readonly string[]) =>
    inner.length === 0
      ? []
      : [` address-family ${name} unicast`, ...inner.map((line) => `  ${line}`), ' exit-address-family'];
  return [head, ...indented(lines), ...family('ipv4', ipv4), ...family('ipv6', ipv6), '!'];
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => ` ${line}`);

function environmentOf(host: Host) {
  return { NODE_ROLE: 'host', ...(host.service === undefined ? {} : { NODE_SERVICES: host.service }) };
}

function switchCommands(ports: readonly string[]): string[] {
  const made = 'ip link add br0 type bridge stp_state 0 mcast_snooping 0 forward_delay 0';
  return [made, 'ip link set br0 up', ...ports.map((port) => `ip link set ${port} master br0`)];
}

function hostCommands({ address4, prefix4, gateway4, address6, gateway6, exec }: Host): string[] {
  return [
    ...(address4 === undefined
      ? []
      : [`ip address add ${address4}/${prefix4!.split('/')[1]} dev eth1`, `ip route add default via ${gateway4}`]),
    ...(address6 === undefined
      ? []
      : [`ip address add ${address6}/64 dev eth1 nodad`, `ip -6 route add default via ${gateway6}`]),
    ...exec,
  ];
}
