// The YANG paths of configuration lines, so that access rules by path hold whatever way a change comes [NET-16]: command lines, path
// edits, whole files, rollbacks. A line has every name that the modules give it; one without a name here matches every denying rule
// and no permitting one. Pure.

import type { JsonObject, JsonValue } from '#base/json.ts';
import type { Touch } from '#model/access.ts';
import type { ChangedLine } from '#model/router/configuration.ts';
import type { LiveSetting } from '#model/router/live-setting.ts';
import { type PathStep, parsePath } from '#model/router/yang-path.ts';

/** A YANG path of a line, and the value that the line gives it. */
type Named = readonly [path: string, value: JsonValue];
type Rule = {
  readonly line: RegExp;
  readonly names: (found: readonly (string | undefined)[], head: readonly string[]) => readonly Named[];
};
type Block = { readonly head: RegExp; readonly rules: readonly Rule[] };

const PREFIX = String.raw`([0-9A-Fa-f.:]{2,45})/(\d{1,3})`;
const interfaceNames = (ifname: string) => ({
  frr: `/frr-interface:lib/interface[name='${ifname}']`,
  ietf: `/ietf-interfaces:interfaces/interface[name='${ifname}']`,
  openconfig: `/openconfig-interfaces:interfaces/interface[name='${ifname}']`,
});

const INTERFACE: Block = {
  head: /^(?:live )?interface ([A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14})$/,
  rules: [
    {
      line: /^description(?: (.*))?$/,
      names: ([text = ''], [name]) => {
        const { frr, ietf, openconfig } = interfaceNames(name!);
        return [
          [`${frr}/description`, text],
          [`${ietf}/description`, text],
          [`${openconfig}/config/description`, text],
        ];
      },
    },
    {
      line: /^mtu (\d+)$/,
      names: ([mtu], [name]) => {
        const { ietf, openconfig } = interfaceNames(name!);
        return [
          [`${ietf}/ietf-ip:ipv4/mtu`, Number(mtu)],
          [`${ietf}/ietf-ip:ipv6/mtu`, Number(mtu)],
          [`${openconfig}/config/mtu`, Number(mtu)],
        ];
      },
    },
    {
      line: /^shutdown$/,
      names: (_, [name]) => {
        const { frr, ietf, openconfig } = interfaceNames(name!);
        return [
          [`${frr}/frr-zebra:zebra/enabled`, false],
          [`${ietf}/enabled`, false],
          [`${openconfig}/config/enabled`, false],
        ];
      },
    },
    {
      line: new RegExp(`^(ip|ipv6) address(?: ${PREFIX})?$`),
      names: ([kind, address, length], [name]) => {
        const { frr, ietf, openconfig } = interfaceNames(name!);
        const family = kind === 'ip' ? 'ipv4' : 'ipv6';
        const below = `${openconfig}/subinterfaces/subinterface[index='0']/openconfig-if-ip:${family}/addresses/address`;
        if (address === undefined)
          return [
            [`${frr}/frr-zebra:zebra/ip-addrs`, {}],
            [`${ietf}/ietf-ip:${family}/address`, {}],
            [below, {}],
          ];
        const lengthOf = { 'prefix-length': Number(length) };
        return [
          [
            `${frr}/frr-zebra:zebra/ip-addrs[address-family='frr-routing:${family}-unicast'][ip-prefix='${address}/${length}']`,
            {},
          ],
          [`${ietf}/ietf-ip:${family}/address[ip='${address}']`, lengthOf],
          [`${below}[ip='${address}']`, { config: { ip: address, ...lengthOf } }],
        ];
      },
    },
    {
      line: /^(ip|ipv6) neighbour ([0-9a-f.:]{2,45}) ([0-9a-f:]{17})$/,
      names: ([kind, address, mac], [name]) => {
        const { ietf, openconfig } = interfaceNames(name!);
        const family = kind === 'ip' ? 'ipv4' : 'ipv6';
        const below = `${openconfig}/subinterfaces/subinterface[index='0']/openconfig-if-ip:${family}/neighbors/neighbor`;
        return [
          [`${ietf}/ietf-ip:${family}/neighbor[ip='${address}']`, { 'link-layer-address': mac! }],
          [`${below}[ip='${address}']`, { config: { ip: address!, 'link-layer-address': mac! } }],
        ];
      },
    },
    {
      line: /^(ip|ipv6) router isis\b/,
      names: ([kind], [name]) => [
        [`${interfaceNames(name!).frr}/frr-isisd:isis/${kind === 'ip' ? 'ipv4' : 'ipv6'}-routing`, true],
      ],
    },
    {
      line: /^ip ospf ([a-z-]+)(?: (.*))?$/,
      names: ([word, rest], [name]) => [[`/frr-ospfd:ospfd/interface[name='${name}']/${word}`, plain(rest)]],
    },
    {
      line: /^ipv6 ospf6 ([a-z-]+)(?: (.*))?$/,
      names: ([word, rest], [name]) => [[`/frr-ospf6d:ospf6d/interface[name='${name}']/${word}`, plain(rest)]],
    },
    {
      line: /^isis ([a-z-]+)(?: (.*))?$/,
      names: ([word, rest], [name]) => [[`${interfaceNames(name!).frr}/frr-isisd:isis/${word}`, plain(rest)]],
    },
  ],
};

const ISIS: Block = {
  head: /^router isis ([A-Za-z0-9_.-]{1,64})$/,
  rules: [
    {
      line: /^([a-z-]+)(?: (.*))?$/,
      names: ([word, rest], [tag]) => [
        [`/frr-isisd:isis/instance[area-tag='${tag}'][vrf='default']/${word}`, plain(rest)],
      ],
    },
  ],
};

const BGP_GLOBAL =
  "/frr-routing:routing/control-plane-protocols/control-plane-protocol[type='frr-bgp:bgp'][name='bgp']";
const BGP: Block = {
  head: /^router bgp (\d{1,10})$/,
  rules: [
    {
      line: /^neighbor ([0-9A-Fa-f.:]{2,45})(?: ([a-z-]+)(?: (.*))?)?$/,
      names: ([peer, word, rest]) => {
        const frr = `${BGP_GLOBAL}/frr-bgp:bgp/neighbors/neighbor[remote-address='${peer}']`;
        const openconfig = `/openconfig-bgp:bgp/neighbors/neighbor[neighbor-address='${peer}']`;
        if (word === undefined)
          return [
            [frr, {}],
            [openconfig, {}],
          ];
        return [
          [`${frr}/${word}`, plain(rest)],
          [`${openconfig}/config/${word}`, plain(rest)],
        ];
      },
    },
    {
      line: new RegExp(`^network ${PREFIX}$`),
      names: ([address, length]) => {
        const family = address!.includes(':') ? 'ipv6' : 'ipv4';
        return [
          [
            `${BGP_GLOBAL}/frr-bgp:bgp/global/afi-safis/afi-safi[afi-safi-name='frr-rt:${family}-unicast']/network-config[prefix='${address}/${length}']`,
            {},
          ],
        ];
      },
    },
    {
      line: /^bgp ([a-z-]+)(?: (.*))?$/,
      names: ([word, rest]) => [
        [`${BGP_GLOBAL}/frr-bgp:bgp/global/${word}`, plain(rest)],
        [`/openconfig-bgp:bgp/global/config/${word}`, plain(rest)],
      ],
    },
  ],
};

const STATIC = "/frr-routing:routing/control-plane-protocols/control-plane-protocol[type='frr-staticd:staticd']";
const IETF_STATIC = "/ietf-routing:routing/control-plane-protocols/control-plane-protocol[type='ietf-routing:static']";
const TOP: Block = {
  head: /^$/,
  rules: [
    {
      line: new RegExp(`^(ip|ipv6) route ${PREFIX}(?: (\\S+))?`),
      names: ([kind, address, length, hop]) => {
        const family = kind === 'ip' ? 'ipv4' : 'ipv6';
        const prefix = `${address}/${length}`;
        const unicast = `ietf-${family}-unicast-routing:${family}`;
        return [
          [
            `${STATIC}/frr-staticd:staticd/route-list[prefix='${prefix}']`,
            hop === undefined ? {} : { 'next-hop': hop },
          ],
          [`${IETF_STATIC}/static-routes/${unicast}/route[destination-prefix='${prefix}']`, nextHop(hop)],
        ];
      },
    },
    // The head of a block that comes or goes.
    { line: INTERFACE.head, names: ([name]) => Object.values(interfaceNames(name!)).map((path): Named => [path, {}]) },
    { line: ISIS.head, names: ([tag]) => [[`/frr-isisd:isis/instance[area-tag='${tag}'][vrf='default']`, {}]] },
    {
      line: BGP.head,
      names: () => [
        [`${BGP_GLOBAL}/frr-bgp:bgp`, {}],
        ['/openconfig-bgp:bgp', {}],
      ],
    },
  ],
};

const BLOCKS: readonly Block[] = [INTERFACE, ISIS, BGP, TOP];

/** Every path that a line has, with the value that it gives; none when the line is not known here. */
export function namesOfLine(
  context: string,
  line: string,
): readonly { readonly steps: readonly PathStep[]; readonly value: JsonValue }[] {
  // Devices that are configured by YANG show paths for contexts.
  if (context.startsWith('/')) {
    const [leaf = '', ...rest] = line.split(' ');
    const path = parsePath(`${context}/${leaf}`);
    return path.ok ? [{ steps: path.value, value: rest.join(' ') }] : [];
  }
  const block = BLOCKS.find(({ head }) => head.test(context));
  const head = block?.head.exec(context)?.slice(1) ?? [];
  for (const rule of block?.rules ?? []) {
    const found = rule.line.exec(line);
    if (found === null) continue;
    const parsed = rule.names(found.slice(1), head).map(([path, value]) => ({ path: parsePath(path), value }));
    return parsed.every(({ path }) => path.ok)
      ? parsed.map(({ path, value }) => ({ steps: path.ok ? path.value : [], value }))
      : [];
  }
  return [];
}

function plain(rest: string | undefined): JsonValue {
  if (rest === undefined) return true;
  return /^\d{1,15}$/.test(rest) ? Number(rest) : rest;
}

/** RFC 8349 §5: an address, an interface, or a special next hop. */
function nextHop(hop: string | undefined): JsonObject {
  if (hop === undefined) return {};
  if (/^(blackhole|reject|Null0)$/.test(hop))
    return { 'next-hop': { 'special-next-hop': hop === 'reject' ? 'unreachable' : 'blackhole' } };
  return {
    'next-hop': { [/^[0-9A-Fa-f.:]+$/.test(hop) && /[.:]/.test(hop) ? 'next-hop-address' : 'outgoing-interface']: hop },
  };
}

/** Lines as an operator types them, before anything is done with them. */
export function touchesOfLines(lines: readonly string[]): readonly Touch[] {
  const touched: Touch[] = [];
  let context = '';
  for (const raw of lines) {
    const line = raw.trim();
    // What opens or ends a family sets nothing by itself.
    if (line === '' || line === '!' || /^(?:exit-)?address-family\b/.test(line)) continue;
    const isHead = !raw.startsWith(' ') && BLOCKS.some(({ head }) => head.test(line));
    if (line === 'exit' || isHead) {
      context = line === 'exit' ? '' : line;
      continue;
    }
    const removes = line.startsWith('no ');
    // A block that goes as a whole, wherever the lines before it stood.
    if (removes && !raw.startsWith(' ') && BLOCKS.some(({ head }) => head.test(line.slice(3)))) context = '';
    // What is set may be there already or not: the change itself is looked at once more when it is known.
    const operations = removes ? (['delete'] as const) : (['create', 'update'] as const);
    touched.push({
      operations,
      names: namesOf(context, removes ? line.slice(3) : line),
      path: pathText(context, line),
    });
  }
  return touched;
}

/** Settings outside the configuration, before it is known what is there. */
export function touchesOfLive(settings: readonly LiveSetting[]): readonly Touch[] {
  return settings.map((setting) => {
    const deletes = setting.kind === 'nft-delete-rule';
    const context = deletes
      ? `live nft ${setting.family} ${setting.table} ${setting.chain}`
      : `live interface ${setting.ifname}`;
    const line = deletes ? `handle ${setting.handle}` : liveLine(setting);
    const operations = [OPERATIONS[setting.kind]];
    return { operations, names: namesOf(context, line), path: pathText(context, line) };
  });
}

const OPERATIONS = {
  'link-mtu': 'update',
  'link-up': 'delete',
  'neighbour-delete': 'delete',
  'address-add': 'create',
  'nft-delete-rule': 'delete',
} as const satisfies Record<LiveSetting['kind'], Touch['operations'][number]>;

/** As the change is shown for consent. */
function liveLine(setting: Exclude<LiveSetting, { readonly kind: 'nft-delete-rule' }>): string {
  if (setting.kind === 'link-mtu') return `mtu ${setting.mtu}`;
  if (setting.kind === 'link-up') return 'shutdown';
  const word = setting.address.includes(':') ? 'ipv6' : 'ip';
  return setting.kind === 'address-add'
    ? `${word} address ${setting.address}`
    : `${word} neighbour ${setting.address} ${setting.mac}`;
}

/** What a candidate changes of what runs, exactly. */
export function touchesOfChanges(changes: readonly ChangedLine[]): readonly Touch[] {
  const key = ({ context, line }: ChangedLine) => namesOf(context, line).map(nameText).join() || `${context} ${line}`;
  const set = new Set(changes.filter(({ sign }) => sign === '+').map(key));
  const gone = new Set(changes.filter(({ sign }) => sign === '-').map(key));
  return changes.map((change) => {
    const { sign, context, line } = change;
    const both = set.has(key(change)) && gone.has(key(change));
    return {
      operations: [both ? 'update' : sign === '+' ? 'create' : 'delete'],
      names: namesOf(context, line),
      path: pathText(context, line),
    };
  });
}

function namesOf(context: string, line: string): readonly (readonly PathStep[])[] {
  return namesOfLine(context, line).map(({ steps }) => steps);
}

/** What the refusal names: the first words only, since the rest may be a secret. */
function pathText(context: string, line: string): string {
  const words = line
    .split(' ')
    .slice(0, line.startsWith('no ') ? 3 : 2)
    .join(' ');
  return context === '' ? words : `${context}: ${words}`;
}

function nameText(steps: readonly PathStep[]): string {
  return steps.map(({ module, name, keys }) => `${module ?? ''}:${name}${JSON.stringify(keys)}`).join('/');
}
