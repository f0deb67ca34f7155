// Faults of adjacencies and sessions, of routing programs, and of hosts.
import { type Adjacency, bgpOf, has4, type Port, type Router } from '../model.ts';
import {
  fromCatalogue,
  inNode,
  interfaceOf,
  type LinkPlace,
  linkOf,
  type Mechanism,
  named,
  nodeOf,
  someHost,
  someLink,
  type Truth,
} from './mechanism.ts';

const vty = (...lines: readonly string[]): string =>
  ['vtysh', ...['configure terminal', ...lines].map((line) => `-c '${line}'`)].join(' ');

type Kind = Adjacency['kind'];
const overLink = (
  kind: Kind,
  fault: string,
  by: string,
  draw: (place: LinkPlace) => ReturnType<Mechanism['draw']>,
): Mechanism => ({
  ...{ fault, by },
  draw: (draft) => {
    const place = someLink(draft, ({ adjacency }) => adjacency?.kind === kind);
    return place && draw(place);
  },
});

/** Named at the end that was changed, by its node or its interface; the link and the other end are the right place. */
const ofSession = ({ ends, router }: LinkPlace, ...faults: readonly string[]): Truth => ({
  right: [...faults, 'session_mismatch'].flatMap((fault) => [
    `${interfaceOf(ends[0])} ${fault}`,
    `${nodeOf(router.name)} ${fault}`,
  ]),
  place: [...ends.map(interfaceOf), linkOf(ends), ...ends.map((end) => nodeOf(end.split(':')[0]!))],
});
const change = ({ router, port }: LinkPlace, exec: readonly string[], undo: readonly string[]) => [
  inNode(router.name, [vty(`interface ${port.ifname}`, ...exec)], [vty(`interface ${port.ifname}`, ...undo)]),
];
/** OSPF of the family that the network has. */
const ospf = (port: Port): string => (port.lines.some((line) => line.startsWith('ip ospf')) ? 'ip ospf' : 'ipv6 ospf6');
const areaOf = (port: Port): string => (port.adjacency?.kind === 'ospf' ? port.adjacency.area : '0');

export const ospfTimer = overLink('ospf', 'ospf_timer_mismatch', 'hello interval', (place) => {
  const word = `${ospf(place.port)} hello-interval`;
  return { inject: change(place, [`${word} 5`], [`${word} 1`]), truth: ofSession(place, 'ospf_timer_mismatch') };
});
export const ospfDeadTimer = overLink('ospf', 'ospf_timer_mismatch', 'dead interval', (place) => {
  const word = `${ospf(place.port)} dead-interval`;
  return { inject: change(place, [`${word} 13`], [`${word} 4`]), truth: ofSession(place, 'ospf_timer_mismatch') };
});
export const ospfArea = overLink('ospf', 'ospf_area_misconfiguration', 'ip ospf area', (place) => {
  const [word, area] = [ospf(place.port), areaOf(place.port)];
  return {
    inject: change(
      place,
      [`no ${word} area ${area}`, `${word} area 77`],
      [`no ${word} area 77`, `${word} area ${area}`],
    ),
    truth: ofSession(place, 'ospf_area_misconfiguration'),
  };
});
export const ospfMissing = overLink('ospf', 'ospf_neighbor_missing', 'no ip ospf area', (place) => {
  const [word, area] = [ospf(place.port), areaOf(place.port)];
  return {
    inject: change(place, [`no ${word} area ${area}`], [`${word} area ${area}`]),
    truth: ofSession(place, 'ospf_neighbor_missing'),
  };
});
export const ospfPassiveLink = overLink('ospf', 'ospf_neighbor_missing', 'passive at one end', (place) => {
  const word = ospf(place.port);
  return {
    inject: change(place, [`${word} passive`], [`no ${word} passive`]),
    truth: ofSession(place, 'ospf_neighbor_missing'),
  };
});

export const isisPassword = overLink('isis', 'isis_authentication_mismatch', 'password at one end', (place) => ({
  inject: change(place, ['isis password md5 heron7'], ['no isis password md5 heron7']),
  truth: ofSession(place, 'isis_authentication_mismatch'),
}));
export const isisNetworkType = overLink('isis', 'isis_network_type_mismatch', 'broadcast at one end', (place) => ({
  inject: change(place, ['no isis network point-to-point'], ['isis network point-to-point']),
  truth: ofSession(place, 'isis_network_type_mismatch'),
}));
export const isisPassiveLink = overLink('isis', 'isis_neighbor_missing', 'passive at one end', (place) => ({
  inject: change(place, ['isis passive'], ['no isis passive']),
  truth: ofSession(place, 'isis_neighbor_missing'),
}));
export const isisMetric = overLink('isis', 'isis_metric_misconfig', 'a metric of 5000 at one end', (place) => ({
  inject: change(
    place,
    ['isis metric 5000'],
    [place.port.lines.find((line) => line.startsWith('isis metric')) ?? 'isis metric 10'],
  ),
  truth: named(interfaceOf(place.ends[0]), ['isis_metric_misconfig'], [linkOf(place.ends), nodeOf(place.router.name)]),
}));

const neighborsOf = ({ port }: LinkPlace): readonly string[] =>
  port.adjacency?.kind === 'bgp' ? port.adjacency.neighbors : [];
const inBgp = (place: LinkPlace, line: (neighbor: string) => string, undo: (neighbor: string) => string) => {
  const head = bgpOf(place.router)!.head;
  const all = (each: (neighbor: string) => string) => [vty(head, ...neighborsOf(place).map(each))];
  return [inNode(place.router.name, all(line), all(undo))];
};
export const bgpPassword = overLink('bgp', 'session_mismatch', 'password at one end', (place) => ({
  inject: inBgp(
    place,
    (each) => `neighbor ${each} password heron7`,
    (each) => `no neighbor ${each} password`,
  ),
  truth: ofSession(place),
}));
export const bgpShutdown = overLink('bgp', 'session_mismatch', 'neighbor shutdown at one end', (place) => ({
  inject: inBgp(
    place,
    (each) => `neighbor ${each} shutdown`,
    (each) => `no neighbor ${each} shutdown`,
  ),
  truth: ofSession(place, 'bgp_session_missing'),
}));
export const bgpNeighbourAs = overLink('bgp', 'bgp_neighbor_misconfig', 'a wrong AS of the neighbour', (place) => {
  const was = place.port.adjacency?.kind === 'bgp' ? place.port.adjacency.peerAs : 0;
  if (neighborsOf(place).some((each) => each.startsWith('eth'))) return undefined;
  return {
    inject: inBgp(
      place,
      (each) => `neighbor ${each} remote-as 64999`,
      (each) => `neighbor ${each} remote-as ${was}`,
    ),
    truth: ofSession(place, 'bgp_neighbor_misconfig'),
  };
});
export const bgpFiltered = overLink('bgp', 'bgp_acl_block', 'nft rules at input and output', (place) => ({
  inject: [fromCatalogue('bgp_acl_block', { node: place.router.name })],
  truth: named(nodeOf(place.router.name), ['bgp_acl_block']),
}));
export const bgpFilteredByTables = overLink('bgp', 'bgp_acl_block', 'iptables-legacy rules', (place) => {
  const rules = ['INPUT -p tcp --dport 179 -j DROP', 'INPUT -p tcp --sport 179 -j DROP'];
  const programs = ['iptables-legacy', 'ip6tables-legacy'];
  const all = (flag: string) => programs.flatMap((program) => rules.map((rule) => `${program} ${flag} ${rule}`));
  return {
    inject: [inNode(place.router.name, all('-A'), all('-D'))],
    truth: named(nodeOf(place.router.name), ['bgp_acl_block']),
  };
});

export const routeNotAnnounced: Mechanism = {
  fault: 'bgp_missing_route_advertisement',
  by: 'no network statement',
  draw: (draft) => {
    const place = someHost(draft, ({ router, prefix4 }) =>
      draft.routers.some((each) => each.name === router && bgpOf(each)?.ipv4.includes(`network ${prefix4}`)),
    );
    if (place === undefined) return undefined;
    return {
      inject: [
        fromCatalogue('bgp_missing_route_advertisement', { node: place.router.name, prefix: place.host.prefix4 }),
      ],
      truth: named(nodeOf(place.router.name), ['bgp_missing_route_advertisement']),
    };
  },
};

const routing = ({ daemons }: Router): string | undefined => [...daemons].find((name) => name !== 'bfdd');
export const daemonDead: Mechanism = {
  fault: 'daemon_down',
  by: 'killed',
  draw: (draft) => {
    const place = someLink(draft, ({ adjacency }) => adjacency?.kind !== 'static');
    const daemon = place && routing(place.router);
    if (place === undefined || daemon === undefined) return undefined;
    return {
      inject: [fromCatalogue('daemon_down', { node: place.router.name, daemon })],
      truth: named(nodeOf(place.router.name), ['daemon_down', 'frr_service_down']),
    };
  },
};
export const daemonHangs: Mechanism = {
  fault: 'daemon_down',
  by: 'stopped, as one that hangs',
  draw: (draft) => {
    const place = someLink(draft, ({ adjacency }) => adjacency?.kind !== 'static');
    const daemon = place && routing(place.router);
    if (place === undefined || daemon === undefined) return undefined;
    const signal = (name: string) => `kill -${name} $(cat /run/frr/${daemon}.pid)`;
    return {
      // What the daemon forgets by itself lands later than a look at the configuration, which waits for it.
      inject: [inNode(place.router.name, [signal('STOP'), 'echo stopped > /run/stopped'], [signal('CONT')])],
      truth: named(nodeOf(place.router.name), ['daemon_down', 'frr_service_down']),
    };
  },
};

const atHost = (
  fault: string,
  by: string,
  draw: (host: {
    readonly name: string;
    readonly address: string;
    readonly gateway: string;
    readonly length: string;
  }) => ReturnType<Mechanism['draw']>,
): Mechanism => ({
  ...{ fault, by },
  draw: (draft) => {
    const place = has4(draft)
      ? someHost(draft, ({ address4, prefix4 }) => address4 !== undefined && prefix4!.endsWith('/24'))
      : undefined;
    if (place === undefined) return undefined;
    const { name, address4, gateway4, prefix4 } = place.host;
    return draw({ name, address: address4!, gateway: gateway4!, length: prefix4!.split('/')[1]! });
  },
});
const hostTruth = (host: string, fault: string): Truth => ({
  right: [`interface/${host}/eth1 ${fault}`, `node/${host} ${fault}`],
  place: [`interface/${host}/eth1`, `node/${host}`],
});
export const hostGateway = atHost(
  'host_incorrect_gateway',
  'default route to an address that is not there',
  ({ name, address, gateway }) => ({
    inject: [fromCatalogue('host_incorrect_gateway', { host: name, address, gateway })],
    truth: hostTruth(name, 'host_incorrect_gateway'),
  }),
);
export const hostWithoutAddress = atHost('host_missing_ip', 'address flushed', ({ name, address, gateway }) => ({
  inject: [fromCatalogue('host_missing_ip', { host: name, address, gateway })],
  truth: hostTruth(name, 'host_missing_ip'),
}));

const atWebServer = (by: string, exec: readonly string[], undo: readonly string[]): Mechanism => ({
  ...{ fault: 'http_service_down', by },
  draw: (draft) => {
    const place = someHost(draft, ({ service, denied }) => service === 'http' && !denied.has('http'));
    return (
      place && { inject: [inNode(place.host.name, exec, undo)], truth: hostTruth(place.host.name, 'http_service_down') }
    );
  },
});
export const webDead = atWebServer(
  'killed',
  ['kill -9 $(cat /run/http.pid)'],
  ['setsid bash /run/start-http < /dev/null > /dev/null 2>&1 &'],
);
export const webHangs = atWebServer(
  'stopped, as one that hangs',
  ['kill -STOP $(cat /run/http.pid)', 'echo stopped > /run/stopped'],
  ['kill -CONT $(cat /run/http.pid)'],
);
