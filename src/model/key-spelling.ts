// One spelling for the values that a YANG path is compared by, so that no access rule is passed by writing a key differently [NET-16]:
// addresses (RFC 5952), prefixes without their host bits, MAC addresses, and identities with or without their module. It rewrites
// nothing: what goes to a device stays as it was written. Pure.
import { parsePrefix } from '#base/ip.ts';

const MAC = /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}$/i;
const IDENTITY = /^[A-Za-z_][\w.-]*:[A-Za-z_][\w.-]*$/;

/** True when both values of this key name the same entry. */
export function sameKey(key: string, one: string, other: string): boolean {
  const [left, right] = [canonicalKey(key, one), canonicalKey(key, other)];
  return (
    left === right || (IDENTITY.test(left) && bare(left) === right) || (IDENTITY.test(right) && bare(right) === left)
  );
}

/** Names are kept as they are: letter case tells interfaces apart. */
export function canonicalKey(key: string, value: string): string {
  const text = value.trim();
  if (MAC.test(text)) return text.toLowerCase().replaceAll('-', ':');
  const [address = '', zone] = text.split('%', 2);
  const prefix = parsePrefix(zone === undefined ? text : address);
  if (prefix === undefined) return value;
  const width = prefix.family === 4 ? 32 : 128;
  const hostBits = isDestination(key) ? BigInt(width - prefix.prefixBits) : 0n;
  // The number says which address it is, however it was written.
  const number = ((prefix.value >> hostBits) << hostBits).toString(16);
  const length = text.includes('/') || isDestination(key) ? `/${prefix.prefixBits}` : '';
  return `ip${prefix.family} ${number}${length}${zone === undefined ? '' : `%${zone}`}`;
}

/** An interface's own prefix (`ip-prefix`) keeps its host bits: two addresses of one subnet are two entries. */
function isDestination(key: string): boolean {
  const name = bare(key);
  return name === 'prefix' || (name.endsWith('-prefix') && name !== 'ip-prefix');
}

function bare(name: string): string {
  return name.split(':').at(-1)!;
}
