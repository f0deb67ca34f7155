// What our own client asks of a device that has a command line and no YANG (NET-3): the show command that tells of the same thing as a path
// of operational data, in the device's dialect. Where there is none, there is none: nothing is asked that tells of something else. Pure.
import { type PathStep, parsePath } from './yang-path.ts';

type Form = { readonly path: RegExp; readonly command: (keys: readonly string[]) => string };

/** By dialect; `{}` in a path stands for the keys of a list entry. */
const FORMS: Readonly<Record<string, readonly Form[]>> = {
  'frr-vtysh': [
    {
      path: /^(?:ietf-interfaces:interfaces(?:-state)?|openconfig-interfaces:interfaces)\/interface\{\}(?:\/(?:state\/)?(?:admin-status|oper-status|statistics|counters)|\/state)?$/,
      command: ([name]) => `show interface ${name} json`,
    },
    {
      path: /^(?:ietf-interfaces:interfaces(?:-state)?|openconfig-interfaces:interfaces)(?:\/interface)?$/,
      command: () => 'show interface brief json',
    },
    {
      path: /^openconfig-bgp:bgp\/neighbors\/neighbor\{\}(?:\/state)?$/,
      command: ([address]) => `show bgp neighbors ${address} json`,
    },
    { path: /^openconfig-bgp:bgp\/neighbors(?:\/neighbor)?$/, command: () => 'show bgp neighbors json' },
    {
      path: /^ietf-routing:routing\/ribs\/rib\{\}\/routes\/route\{\}$/,
      command: ([, prefix]) => `show ${prefix!.includes(':') ? 'ipv6' : 'ip'} route ${prefix} json`,
    },
  ],
};

/** What may stand in a command: names of interfaces, addresses and prefixes; no space, no sign of a shell or a pager. */
const WORD = /^[A-Za-z0-9][A-Za-z0-9_.:/@-]{0,63}$/;

export function showCommandFor(dialect: string | undefined, path: string, datastore: string): string | undefined {
  const steps = parsePath(path);
  if (dialect === undefined || datastore !== 'operational' || !steps.ok) return undefined;
  const keys = steps.value.flatMap(({ keys: own }) => (Array.isArray(own) ? own : Object.values(own)) as string[]);
  if (!keys.every((key) => WORD.test(key))) return undefined;
  const plain = steps.value.map(stepText).join('/');
  const form = FORMS[dialect]?.find((entry) => entry.path.test(plain));
  return form?.command(keys);
}

function stepText({ module, name, keys }: PathStep, index: number): string {
  const qualified = index === 0 ? `${module}:${name}` : name;
  return Object.keys(keys).length > 0 ? `${qualified}{}` : qualified;
}
