// The command set of dialect `frr-vtysh`: show-type commands only, each a literal form with places in capitals. A typed command
// is taken apart here and only its form and its checked places go on; the text that a daemon gets is built from the form.
// So nothing can be injected: no `;`, `|`, newline or mode change has a place to stand. No form shows a whole routing table.
import { isIP, isIPv4 } from 'node:net';
import { ParleyError } from '#base/error.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { ipv6Bytes } from '../native/addresses.ts';

/** Who answers: an FRR daemon through its socket, or the driver itself from the kernel. */
export type ShowSource =
  | 'zebra'
  | 'isisd'
  | 'bgpd'
  | 'ospfd'
  | 'ospf6d'
  | 'bfdd'
  | 'kernel'
  | 'file'
  | 'vtysh'
  | 'echo';

export type ShowCommand = {
  readonly form: string;
  readonly source: ShowSource;
  /** Place → value, checked. */
  readonly places: Readonly<Record<string, string>>;
};

/** A form ending in ` [json]` has two spellings. */
const FORMS: Readonly<Record<string, ShowSource>> = {
  'show version': 'zebra',
  'show interface brief [json]': 'zebra',
  'show interface IFNAME [json]': 'zebra',
  'show ip route ADDRESS [json]': 'zebra',
  'show ip route PREFIX [json]': 'zebra',
  'show ip route vrf VRF ADDRESS [json]': 'zebra',
  'show ipv6 route ADDRESS [json]': 'zebra',
  'show ipv6 route PREFIX [json]': 'zebra',
  'show ipv6 route vrf VRF ADDRESS [json]': 'zebra',
  'show ip forwarding': 'zebra',
  'show ipv6 forwarding': 'zebra',
  'show vrf': 'zebra',
  'show segment-routing srv6 locator [json]': 'zebra',
  'show isis neighbor [json]': 'isisd',
  'show isis neighbor detail [json]': 'isisd',
  'show isis interface [json]': 'isisd',
  'show isis interface detail [json]': 'isisd',
  'show isis summary [json]': 'isisd',
  'show isis hostname': 'isisd',
  'show isis database [json]': 'isisd',
  'show isis topology': 'isisd',
  'show bgp summary [json]': 'bgpd',
  'show ip bgp summary [json]': 'bgpd',
  'show bgp neighbors [json]': 'bgpd',
  'show bgp neighbors ADDRESS [json]': 'bgpd',
  'show bgp vrf VRF summary [json]': 'bgpd',
  'show bgp ipv4 unicast PREFIX [json]': 'bgpd',
  'show bgp ipv6 unicast PREFIX [json]': 'bgpd',
  'show ip ospf [json]': 'ospfd',
  'show ip ospf neighbor [json]': 'ospfd',
  'show ip ospf neighbor detail [json]': 'ospfd',
  'show ip ospf interface [json]': 'ospfd',
  'show ipv6 ospf6 [json]': 'ospf6d',
  'show ipv6 ospf6 neighbor [json]': 'ospf6d',
  'show ipv6 ospf6 neighbor detail [json]': 'ospf6d',
  'show ipv6 ospf6 interface [json]': 'ospf6d',
  'show bfd peers [json]': 'bfdd',
  'show bfd peers brief [json]': 'bfdd',
  'show bfd peers counters [json]': 'bfdd',
  'show running-config': 'vtysh',
  'show startup-config': 'file',
  'show ip arp': 'kernel',
  'show ip arp ADDRESS': 'kernel',
  'show ip arp vrf VRF ADDRESS': 'kernel',
  'show ipv6 neighbors': 'kernel',
  'show ipv6 neighbors ADDRESS': 'kernel',
  'ping ADDRESS': 'echo',
  'ping ADDRESS repeat COUNT': 'echo',
  'ping ADDRESS source SOURCE repeat COUNT': 'echo',
  'ping vrf VRF ADDRESS repeat COUNT': 'echo',
  'ping vrf VRF ADDRESS source SOURCE repeat COUNT': 'echo',
};

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:@/-]{0,31}$/;

const PLACES: Readonly<Record<string, (word: string) => boolean>> = {
  ADDRESS: (word) => isIP(word) !== 0 && !word.includes('%'),
  SOURCE: (word) => isIP(word) !== 0 && !word.includes('%'),
  PREFIX: isPrefix,
  IFNAME: (word) => NAME.test(word) && word !== 'json' && word !== 'brief',
  VRF: (word) => NAME.test(word),
  COUNT: (word) => /^[1-9]\d{0,2}$/.test(word),
};

const COMMANDS = Object.entries(FORMS).flatMap(([form, source]) => {
  const plain = form.replace(' [json]', '');
  return plain === form
    ? [{ form, source }]
    : [
        { form: plain, source },
        { form: `${plain} json`, source },
      ];
});

/** Every form, as it is shown to callers. */
export const SHOW_FORMS: readonly string[] = Object.keys(FORMS);

/** Characters of a typed command. */
const COMMAND_CHARS = 256;

/** Throws `caller/unknown-command`, whose data lists the forms, for anything that is not exactly one of them. */
export function parseShowCommand(text: string): ShowCommand {
  // Words are split at single blanks only: a newline, tab or other control character stays in its word and matches nothing.
  const words = text.length > COMMAND_CHARS ? [] : text.trim().split(/ +/);
  for (const { form, source } of COMMANDS) {
    const places = match(form.split(' '), words);
    if (places !== undefined) return { form, source, places };
  }
  throw new ParleyError(
    'caller/unknown-command',
    `expected a show command of this device, got ${JSON.stringify(text.slice(0, 80))}`,
    {
      data: {
        wireCode: WIRE_CODES.configIncompatible,
        wireMessage: 'Network.ConfigIncompatible',
        known: SHOW_FORMS,
        path: 'cmd',
      },
    },
  );
}

/** The text for the daemon, from the form and places that are checked once more: the helper trusts no caller. */
export function buildShowCommand(
  form: unknown,
  places: Readonly<Record<string, unknown>>,
): ShowCommand & { readonly text: string } {
  const known = COMMANDS.find((command) => command.form === form);
  if (known === undefined) throw refused('a form of the command set', form);
  const checked: Record<string, string> = {};
  const words = known.form.split(' ').map((word) => {
    const fits = PLACES[word];
    if (fits === undefined) return word;
    const value = places[word];
    if (typeof value !== 'string' || !fits(value)) throw refused(`a value for ${word}`, value);
    checked[word] = value;
    return value;
  });
  return { ...known, places: checked, text: words.join(' ') };
}

function match(form: readonly string[], words: readonly string[]): Record<string, string> | undefined {
  if (form.length !== words.length) return undefined;
  const places: Record<string, string> = {};
  for (const [index, expected] of form.entries()) {
    const word = words[index]!;
    const fits = PLACES[expected];
    if (fits === undefined ? word !== expected : !fits(word)) return undefined;
    if (fits !== undefined) places[expected] = word;
  }
  return places;
}

function isPrefix(word: string): boolean {
  const [address = '', length = '', ...rest] = word.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(length)) return false;
  if (isIPv4(address)) return Number(length) <= 32;
  return ipv6Bytes(address) !== undefined && Number(length) <= 128;
}

function refused(expected: string, came: unknown): ParleyError {
  return new ParleyError(
    'caller/bad-argument',
    `expected ${expected}, got ${(JSON.stringify(came) ?? 'nothing').slice(0, 80)}`,
  );
}
