// The few statements of FRR's running configuration that correlation compares between two ends. Pure parsers; what they do not know
// they leave out. The text has passed the helper, which takes secrets out.
import { isIpAddress } from '#base/ip.ts';
import {
  BGP_ROLES,
  type BgpPolicy,
  type BgpSession,
  type IsisCircuit,
  type IsisLevel,
  type IsisState,
} from '#model/router/control-plane.ts';
import { type Block, parseBlocks } from '../../../config/text.ts';
import { policiesOf } from './routing-policies.ts';

/** Lines of a block without their indentation. */
function configBlocks(text: string): readonly Block[] {
  return parseBlocks(text).map(({ head, lines }) => ({ head, lines: lines.map((line) => line.trim()) }));
}

export type IsisConfig = {
  readonly tag: string;
  readonly systemId: string;
  readonly areas: readonly string[];
  readonly level: IsisLevel;
  readonly areaPassword: IsisCircuit['password'];
  readonly domainPassword: IsisCircuit['password'];
  readonly metricStyle: NonNullable<IsisState['metricStyle']>;
  readonly circuits: readonly IsisCircuit[];
};

/** Undefined when no IS-IS process is configured. */
export function parseIsisConfig(text: string): IsisConfig | undefined {
  const blocks = configBlocks(text);
  const router = blocks.find((block) => block.head.startsWith('router isis '));
  if (router === undefined) return undefined;
  const nets = router.lines.flatMap((line) => /^net (\S+)$/.exec(line)?.[1] ?? []).map(splitNet);
  const level = levelOf(router.lines.find((line) => line.startsWith('is-type '))?.slice(8)) ?? '1-2';
  const interfaces = blocks.filter(
    (block) => block.head.startsWith('interface ') && block.lines.some((line) => /^ip(?:v6)? router isis /.test(line)),
  );
  return {
    tag: router.head.slice('router isis '.length).split(' ')[0]!,
    systemId: nets[0]?.systemId ?? '',
    areas: nets.map((net) => net.area),
    level,
    areaPassword: passwordOf(router.lines, /^area-password (clear|md5)\b/),
    domainPassword: passwordOf(router.lines, /^domain-password (clear|md5)\b/),
    // FRR prints the style only where it is not `wide`.
    metricStyle: METRIC_STYLES.find((style) => router.lines.includes(`metric-style ${style}`)) ?? 'wide',
    circuits: interfaces.map((block) => circuitOf(block, level)),
  };
}

const METRIC_STYLES = ['narrow', 'transition', 'wide'] as const;

function circuitOf(block: Block, level: IsisLevel): IsisCircuit {
  const { lines } = block;
  const hello = numberAfter(lines, 'isis hello-interval ');
  const metric = numberAfter(lines, 'isis metric ');
  return {
    ifname: block.head.slice('interface '.length).split(' ')[0]!,
    level: levelOf(lines.find((line) => line.startsWith('isis circuit-type '))?.slice(18)) ?? level,
    network: lines.includes('isis network point-to-point') ? 'point-to-point' : 'broadcast',
    passive: lines.includes('isis passive'),
    password: passwordOf(lines, /^isis password (clear|md5)\b/),
    ipv4: lines.some((line) => line.startsWith('ip router isis ')),
    ipv6: lines.some((line) => line.startsWith('ipv6 router isis ')),
    ...(hello === undefined ? {} : { helloSeconds: hello }),
    ...(metric === undefined ? {} : { metric }),
  };
}

/** `49.0001.0000.0000.0001.00`: area, six octets of system id, selector. */
function splitNet(net: string): { readonly area: string; readonly systemId: string } {
  const parts = net.toLowerCase().split('.');
  return { area: parts.slice(0, -4).join('.'), systemId: parts.slice(-4, -1).join('.') };
}

function levelOf(word: string | undefined): IsisLevel | undefined {
  if (word === undefined) return undefined;
  return word === 'level-1' ? '1' : word === 'level-2-only' ? '2' : '1-2';
}

function passwordOf(lines: readonly string[], pattern: RegExp): IsisCircuit['password'] {
  const kind = lines.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined);
  return kind === 'clear' || kind === 'md5' ? kind : 'none';
}

function numberAfter(lines: readonly string[], start: string): number | undefined {
  const found = lines.find((line) => line.startsWith(start))?.slice(start.length);
  return found !== undefined && /^\d+/.test(found) ? Number.parseInt(found, 10) : undefined;
}

/** What is configured for one neighbour, by itself or by its peer group. */
export type NeighbourConfig = Pick<
  BgpSession,
  | ('shutdown' | 'password' | 'policies' | 'ttlSecurityHops' | 'multihop' | 'unconnected' | 'updateSource' | 'passive')
  | ('role' | 'roleDemanded')
>;

export type BgpConfig = {
  readonly asn: number;
  readonly networks: readonly string[];
  readonly redistribute: readonly string[];
  /** Sessions of other VRFs, or from addresses that no statement names. */
  readonly unlisted: boolean;
  readonly policies?: readonly BgpPolicy[];
  /** Address families that have a block: `l2vpn evpn`. */
  readonly families: readonly string[];
  /** Those that the configuration names itself: not those of a range, and no groups of them. */
  readonly peers: readonly string[];
  neighbour(peer: string): NeighbourConfig;
};

/** Undefined when no BGP process is configured. */
export function parseBgpConfig(text: string): BgpConfig | undefined {
  const blocks = configBlocks(text);
  const block = blocks.find((entry) => /^router bgp \d+(?: vrf default)?$/.test(entry.head));
  if (block === undefined) return undefined;
  const { lines } = block;
  const policies = policiesOf(blocks);
  const statements = Map.groupBy(
    lines.flatMap((line) => {
      const [, peer, statement] = /^neighbor (\S+) (.+)$/.exec(line) ?? [];
      return peer === undefined || statement === undefined ? [] : [{ peer, statement }];
    }),
    ({ peer }) => peer,
  );
  const statementsOf = (name: string) => (statements.get(name) ?? []).map(({ statement }) => statement);
  return {
    asn: Number(/^router bgp (\d+)/.exec(block.head)![1]),
    networks: lines.flatMap((line) => /^network (\S+\/\d+)/.exec(line)?.[1] ?? []),
    redistribute: lines.flatMap((line) => /^redistribute (\S+)/.exec(line)?.[1] ?? []),
    unlisted:
      lines.some((line) => line.startsWith('bgp listen range ')) ||
      blocks.some((entry) => /^router bgp \d+ vrf (?!default$)/.test(entry.head)),
    ...(policies === undefined ? {} : { policies }),
    families: lines.flatMap((line) => /^address-family (.+)$/.exec(line)?.[1] ?? []),
    peers: [...statements].flatMap(([name, said]) => (isPeer(name, said) ? [name] : [])),
    neighbour: (peer) => {
      const own = statementsOf(peer);
      const group = own.flatMap((statement) => /(?:^|\s)peer-group (\S+)$/.exec(statement)?.[1] ?? [])[0];
      const all = [...own, ...(group === undefined ? [] : statementsOf(group))];
      return neighbourOf(lines.includes(UNCHECKED_PEERS) ? [...all, UNCHECKED_PEER] : all);
    },
  };
}

/** A group has a name, and no interface. */
function isPeer(name: string, said: readonly { readonly statement: string }[]): boolean {
  return isIpAddress(name) || said.some(({ statement }) => /^interface(?: |$)/.test(statement));
}

/** That external peers are on a link of the node is not checked: of one peer, or of all. */
const UNCHECKED_PEER = 'disable-connected-check';
const UNCHECKED_PEERS = 'bgp disable-ebgp-connected-route-check';

/** `ebgp-multihop` without a number. */
const MOST_HOPS = 255;

function roleOf(statements: readonly string[]): Pick<NeighbourConfig, 'role' | 'roleDemanded'> {
  const [, word, strict] = statements.map((each) => /^local-role (\S+)( strict-mode)?$/.exec(each)).find(Boolean) ?? [];
  const role = BGP_ROLES.find((each) => each === word);
  return role === undefined ? {} : { role, ...(strict === undefined ? {} : { roleDemanded: true }) };
}

/** The neighbour's own statements come first: they override its group's. */
function neighbourOf(statements: readonly string[]): NeighbourConfig {
  const has = (word: string) => statements.some((each) => each === word || each.startsWith(`${word} `));
  const hops = numberAfter(statements, 'ttl-security hops ');
  const multihop = numberAfter(statements, 'ebgp-multihop ') ?? (has('ebgp-multihop') ? MOST_HOPS : undefined);
  const source = statements.find((each) => each.startsWith('update-source '))?.slice('update-source '.length);
  return {
    shutdown: has('shutdown'),
    password: has('password'),
    policies: statements.filter((each) => /^(?:route-map|prefix-list|distribute-list|filter-list) /.test(each)),
    ...(hops === undefined ? {} : { ttlSecurityHops: hops }),
    ...(multihop === undefined ? {} : { multihop }),
    ...(has(UNCHECKED_PEER) ? { unconnected: true } : {}),
    ...(source === undefined ? {} : { updateSource: source }),
    ...(has('passive') ? { passive: true } : {}),
    ...roleOf(statements),
  };
}
