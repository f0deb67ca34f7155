// A provider's network: an IGP with iBGP through reflectors, and other autonomous systems at its edges, customers and providers, with the
// policies that such edges have: preferences, communities, prepends, lists that withhold, more-specific parts, aggregates that are discarded. Pure.
import {
  addHost,
  addRouter,
  between,
  connect,
  type Draft,
  type Host,
  has4,
  has6,
  type Router,
  sample,
} from './model.ts';
import {
  announce,
  bgpNeighbor,
  ebgpOver,
  isisLink,
  isisPassive,
  loopbacksOf,
  ospfLink,
  ospfPassive,
  startBgp,
  startIsis,
  startOspf,
} from './protocols.ts';

const OWN_AS = 64_500;
const SPACE4 = ['203.0.113', '198.51.100'] as const;

export function bgpTransit(draft: Draft): void {
  const { random } = draft;
  const core = Array.from({ length: between(random, 3, 5) }, (_, index) =>
    addRouter(draft, `core${index + 1}`, OWN_AS),
  );
  const igp = random.pick(['ospf', 'isis'] as const);
  for (const router of core) {
    startBgp(router);
    if (igp === 'ospf') startOspf(draft, router);
    else startIsis(router, '49.0001', 'level-2-only');
    if (igp === 'ospf') ospfPassive(draft, router.loopbackLines, '0');
    else isisPassive(draft, router.loopbackLines);
  }
  const pairs = core.map((router, index) => [router, core[(index + 1) % core.length]!] as const);
  // A row where there are three and luck has it so; else a ring.
  for (const [a, b] of core.length === 3 && random.next() < 0.3 ? pairs.slice(0, 2) : pairs) {
    const ports = connect(draft, a, b);
    if (igp === 'ospf') ospfLink(draft, ports, '0');
    else for (const port of ports) isisLink(draft, port, 'level-2-only');
  }
  reflect(draft, core, between(random, 1, 2));
  // Some networks keep their own addresses to themselves: others then cannot answer their routers.
  const isOpen = random.next() < 0.6;
  if (isOpen) for (const router of core) announce(router, loopbacksOf(router));
  for (const router of sample(random, core, between(random, 1, 2))) {
    const { host } = addHost(draft, router, { service: draft.hosts.length === 0 ? 'http' : undefined });
    announce(router, [host.prefix4, host.prefix6]);
  }
  const own = [...draft.hosts];
  const customers = Array.from({ length: between(random, 1, 2) }, (_, index) => customer(draft, core, index));
  const providers = Array.from({ length: between(random, 1, 2) }, (_, index) =>
    provider(draft, core, index, [...own, ...customers], isOpen),
  );
  // Nobody carries one provider's traffic to another.
  for (const one of providers)
    for (const other of providers) if (one !== other) draft.apart.add(`${one.name} ${other.name}`);
}

/** iBGP between loopbacks: the first `count` routers reflect, the others are their clients. */
function reflect(draft: Draft, core: readonly Router[], count: number): void {
  const reflectors = core.slice(0, count);
  for (const router of core) {
    const block = router.blocks.find(({ head }) => head.startsWith('router bgp'))!;
    const isReflector = reflectors.includes(router);
    if (isReflector) block.lines.push('bgp cluster-id 192.0.2.1');
    for (const peer of core) {
      if (peer === router || !(isReflector || reflectors.includes(peer))) continue;
      const role = isReflector && !reflectors.includes(peer) ? ['route-reflector-client'] : [];
      const lines = [`remote-as ${OWN_AS}`, 'update-source lo'];
      if (has4(draft)) bgpNeighbor(block, peer.loopback4!, 4, lines, ['next-hop-self', ...role]);
      if (has6(draft)) bgpNeighbor(block, peer.loopback6!, 6, lines, ['next-hop-self', ...role]);
    }
  }
}

/** Announces its aggregate, which it throws away where it has no part of it, and its LAN, a part of it; sometimes by two links. */
function customer(draft: Draft, core: readonly Router[], index: number): Host {
  const { random } = draft;
  const router = addRouter(draft, `cust${index + 1}`, 64_601 + index);
  startBgp(router);
  const space = SPACE4[index]!;
  const { host } = addHost(draft, router, {
    service: draft.hosts.some(({ service }) => service !== undefined) ? undefined : 'http',
    lan4: { base: `${space}.${random.pick([0, 64, 128])}`, length: 26 },
  });
  const isAggregated = random.next() < 0.6;
  if (has4(draft) && isAggregated) router.top.push(`ip route ${space}.0/24 Null0`);
  announce(router, [
    ...loopbacksOf(router),
    ...(has4(draft) && isAggregated ? [`${space}.0/24`] : []),
    host.prefix4,
    host.prefix6,
  ]);
  const uplinks = sample(random, core, random.next() < 0.4 ? 2 : 1);
  uplinks.forEach((uplink, at) => {
    const [atCore, own] = connect(draft, uplink, router);
    policies(draft, uplink, `CUST${index + 1}`, {
      preference: 120,
      community: 120,
      permit4: `${space}.0/24 le 26`,
      host,
      loopback: router,
    });
    ebgpOver(draft, uplink, atCore, router, { in: `CUST${index + 1}` });
    if (at === 1) prepend(router, 'BACKUP');
    ebgpOver(draft, router, own, uplink, at === 1 ? { out: 'BACKUP' } : {});
  });
  return host;
}

type Accepted = {
  readonly preference: number;
  readonly community: number;
  readonly permit4: string;
  readonly host: Host;
  readonly loopback: Router;
};

/** What comes in from an edge: its own prefixes alone, preferred and marked. The IPv6 prefixes by their own list. */
function policies(draft: Draft, router: Router, name: string, accepted: Accepted): void {
  if (router.top.includes(`route-map ${name}-4 permit 10`)) return;
  const { preference, community, permit4, host, loopback } = accepted;
  const sets = [` set local-preference ${preference}`, ` set community ${OWN_AS}:${community} additive`, 'exit'];
  if (has4(draft))
    router.top.push(
      ...[
        `ip prefix-list ${name} seq 5 permit ${permit4}`,
        `ip prefix-list ${name} seq 10 permit ${loopback.loopback4}/32`,
      ],
      ...[`route-map ${name}-4 permit 10`, ` match ip address prefix-list ${name}`, ...sets],
    );
  if (has6(draft))
    router.top.push(
      ...[
        `ipv6 prefix-list ${name} seq 5 permit ${host.prefix6}`,
        `ipv6 prefix-list ${name} seq 10 permit ${loopback.loopback6}/128`,
      ],
      ...[`route-map ${name}-6 permit 10`, ` match ipv6 address prefix-list ${name}`, ...sets],
    );
}

function prepend(router: Router, name: string): void {
  for (const family of [4, 6])
    router.top.push(
      `route-map ${name}-${family} permit 10`,
      ` set as-path prepend ${router.asn} ${router.asn}`,
      'exit',
    );
}

/** Hears of hosts that are the network's own or its customers', in no other part than they were announced, and of the network's own addresses where it is open. */
function provider(draft: Draft, core: readonly Router[], index: number, told: readonly Host[], isOpen: boolean): Host {
  const { random } = draft;
  const router = addRouter(draft, `isp${index + 1}`, 64_701 + index);
  startBgp(router);
  const { host } = addHost(draft, router);
  announce(router, [...loopbacksOf(router), host.prefix4, host.prefix6]);
  const uplink = random.pick(core);
  const [atCore, own] = connect(draft, uplink, router);
  const name = `ISP${index + 1}`;
  policies(draft, uplink, name, { preference: 90, community: 90, permit4: host.prefix4 ?? '', host, loopback: router });
  const prefixes = [
    ...told.map(({ prefix4, prefix6 }) => [prefix4, prefix6]),
    ...(isOpen ? core.map(({ loopback4, loopback6 }) => [`${loopback4}/32`, `${loopback6}/128`]) : []),
  ];
  const permits = (family: 'ip' | 'ipv6') =>
    prefixes.map(
      (both, at) => `${family} prefix-list ${name}-OUT seq ${(at + 1) * 5} permit ${both[family === 'ip' ? 0 : 1]}`,
    );
  const isPrepended = random.next() < 0.3;
  const rules = (family: 'ip' | 'ipv6') => [
    ` match ${family} address prefix-list ${name}-OUT`,
    ...(isPrepended ? [` set as-path prepend ${OWN_AS}`] : []),
    'exit',
  ];
  if (has4(draft)) uplink.top.push(...permits('ip'), ...[`route-map ${name}-OUT-4 permit 10`, ...rules('ip')]);
  if (has6(draft)) uplink.top.push(...permits('ipv6'), ...[`route-map ${name}-OUT-6 permit 10`, ...rules('ipv6')]);
  ebgpOver(draft, uplink, atCore, router, { in: name, out: `${name}-OUT` });
  ebgpOver(draft, router, own, uplink);
  return host;
}
