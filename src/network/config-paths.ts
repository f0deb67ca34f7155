// The YANG paths of configuration lines, so that access rules by path hold whatever way a change comes [NET-16]: command lines, path
// edits, whole files, rollbacks. A line has every name that the modules give it; one without a name here matches every denying rule
// and no permitting one. Pure.

import type { Touch } from '#model/access.ts';
import type { ChangedLine } from '#model/configuration.ts';
import { type PathStep, parsePath } from '#model/yang-path.ts';

type Names = readonly string[];
type Rule = { readonly line: RegExp; readonly names: (found: readonly string[], head: readonly string[]) => Names };
type Block = { readonly head: RegExp; readonly rules: readonly Rule[] };

const PREFIX = String.raw`([0-9A-Fa-f.:]{2,45}/\d{1,3})`;
const interfaceNames = (ifname: string) => ({
  frr: `/frr-interface:lib/interface[name='${ifname}']`,
  ietf: `/ietf-interfaces:interfaces/interface[name='${ifname}']`,
  openconfig: `/openconfig-interfaces:interfaces/interface[name='${ifname}']`,
});

const INTERFACE: Block = {
  head: /^interface ([A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14})$/,
  rules: [
    {
      line: /^description\b/,
      names: (_, [name]) => {
        const { frr, ietf, openconfig } = interfaceNames(name!);
        return [`${frr}/description`, `${ietf}/description`, `${openconfig}/config/description`];
      },
    },
    {
      line: /^shutdown$/,
      names: (_, [name]) => {
        const { frr, ietf, openconfig } = interfaceNames(name!);
        return [`${frr}/frr-zebra:zebra/enabled`, `${ietf}/enabled`, `${openconfig}/config/enabled`];
      },
    },
    {
      line: new RegExp(`^(ip|ipv6) address(?: ${PREFIX})?$`),
      names: ([kind, prefix], [name]) => {
        const { frr, ietf, openconfig } = interfaceNames(name!);
        const family = kind === 'ip' ? 'ipv4' : 'ipv6';
        const keys = prefix === undefined ? '' : `[ip='${prefix.split('/')[0]}']`;
        return [
          `${frr}/frr-zebra:zebra/ip-addrs${prefix === undefined ? '' : `[address-family='frr-routing:${family}-unicast'][ip-prefix='${prefix}']`}`,
          `${ietf}/ietf-ip:${family}/address${keys}`,
          `${openconfig}/subinterfaces/subinterface[index='0']/openconfig-if-ip:${family}/addresses/address${keys}`,
        ];
      },
    },
    {
      line: /^(?:ip |ipv6 )?(?:router )?isis\b ?([a-z-]*)/,
      names: ([word], [name]) => [`${interfaceNames(name!).frr}/frr-isisd:isis${word ? `/${word}` : ''}`],
    },
  ],
};

const ISIS: Block = {
  head: /^router isis ([A-Za-z0-9_.-]{1,64})$/,
  rules: [
    {
      line: /^([a-z-]+)/,
      names: ([word], [tag]) => [`/frr-isisd:isis/instance[area-tag='${tag}'][vrf='default']/${word}`],
    },
  ],
};

const BGP_GLOBAL =
  "/frr-routing:routing/control-plane-protocols/control-plane-protocol[type='frr-bgp:bgp'][name='bgp']";
const BGP: Block = {
  head: /^router bgp (\d{1,10})$/,
  rules: [
    {
      line: /^neighbor ([0-9A-Fa-f.:]{2,45})(?: ([a-z-]+))?/,
      names: ([peer, word]) => [
        `${BGP_GLOBAL}/frr-bgp:bgp/neighbors/neighbor[remote-address='${peer}']${word ? `/${word}` : ''}`,
        `/openconfig-bgp:bgp/neighbors/neighbor[neighbor-address='${peer}']${word ? `/config/${word}` : ''}`,
      ],
    },
    {
      line: /^bgp ([a-z-]+)/,
      names: ([word]) => [`${BGP_GLOBAL}/frr-bgp:bgp/global/${word}`, `/openconfig-bgp:bgp/global/config/${word}`],
    },
  ],
};

const TOP: Block = {
  head: /^$/,
  rules: [
    {
      line: new RegExp(`^(ip|ipv6) route ${PREFIX}`),
      names: ([kind, prefix]) => {
        const family = kind === 'ip' ? 'ipv4' : 'ipv6';
        return [
          `/frr-routing:routing/control-plane-protocols/control-plane-protocol[type='frr-staticd:staticd']/frr-staticd:staticd/route-list[prefix='${prefix}']`,
          `/ietf-routing:routing/control-plane-protocols/control-plane-protocol[type='ietf-routing:static']/static-routes/ietf-${family}-unicast-routing:${family}/route[destination-prefix='${prefix}']`,
        ];
      },
    },
    // The head of a block that comes or goes.
    { line: INTERFACE.head, names: ([name]) => Object.values(interfaceNames(name!)) },
    { line: ISIS.head, names: ([tag]) => [`/frr-isisd:isis/instance[area-tag='${tag}'][vrf='default']`] },
    { line: BGP.head, names: () => [`${BGP_GLOBAL}/frr-bgp:bgp`, '/openconfig-bgp:bgp'] },
  ],
};

const BLOCKS: readonly Block[] = [INTERFACE, ISIS, BGP, TOP];

/** Lines as an operator types them, before anything is done with them. */
export function touchesOfLines(lines: readonly string[]): readonly Touch[] {
  const touched: Touch[] = [];
  let context = '';
  for (const raw of lines) {
    const line = raw.trim();
    if (line === '' || line === '!') continue;
    const isHead = !raw.startsWith(' ') && BLOCKS.some(({ head }) => head.test(line));
    if (line === 'exit' || isHead) {
      context = line === 'exit' ? '' : line;
      continue;
    }
    const removes = line.startsWith('no ');
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
  const block = BLOCKS.find(({ head }) => head.test(context));
  const head = block?.head.exec(context)?.slice(1) ?? [];
  for (const rule of block?.rules ?? []) {
    const found = rule.line.exec(line);
    if (found === null) continue;
    const parsed = rule.names(found.slice(1), head).map(parsePath);
    return parsed.every((path) => path.ok) ? parsed.map((path) => path.value) : [];
  }
  return [];
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
