// What must not be kept in the repository: keys, certificates, signatures, and addresses outside the documentation and benchmark prefixes.
// Total.
import { covers } from '#base/ip.ts';

/** Documentation (RFC 5737), benchmarking (RFC 2544), loopback, unspecified, netmasks, link-local multicast. */
const FREE_IPV4 = [
  ...['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '198.18.0.0/15'],
  ...['127.0.0.0/8', '0.0.0.0/8', '255.0.0.0/8', '224.0.0.0/24'],
];
/** Link-local, multicast, unique local, documentation. */
const FREE_IPV6 = /^(?:fe80|ff0[0-9a-f]|f[cd][0-9a-f]{2}|2001:0?db8)(?::|$)/i;

const IPV4 = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\.?\d)/g;
const IPV6 = /(?<![\w:.])[23][0-9a-f]{3}:(?:[0-9a-f]{0,4}:){1,6}[0-9a-f]{0,4}(?![\w:])/gi;
/** PEM, DER in base64, and the members of envelopes and chains; a rule of a packet filter has a chain as well, which is a name. */
const SECRET = /-----BEGIN|PRIVATE KEY|"MII[A-Za-z0-9+/]{40}|"(?:signatures?|privateKey)":|"chains?":[[{]/;

/** What is wrong with it; undefined when nothing is. */
export function unfitIn(text: string): string | undefined {
  const secret = SECRET.exec(text);
  if (secret !== null) return `it holds ${secret[0]}`;
  const foreign = [
    ...[...text.matchAll(IPV4)].map(([address]) => address).filter((address) => !isFreeIpv4(address)),
    ...[...text.matchAll(IPV6)].map(([address]) => address).filter((address) => !FREE_IPV6.test(address)),
  ];
  return foreign[0] === undefined ? undefined : `it holds the address ${foreign[0]}`;
}

/** Four numbers of which one is above 255 are no address. */
function isFreeIpv4(text: string): boolean {
  return text.split('.').some((part) => Number(part) > 255) || FREE_IPV4.some((free) => covers(free, text));
}
