// One spelling for the values that a YANG path is compared by, so that no access rule is passed by writing a key differently [NET-16]:
// addresses (RFC 5952), prefixes without their host bits, MAC addresses, identities with or without their module, and URIs. It rewrites
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
function canonicalKey(key: string, value: string): string {
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

const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * A URI as rules compare it: the scheme in lower case, escapes resolved. With `whole` all of them, for rules that deny: an offer may
 * resolve `%2F` as well. Otherwise those of characters that never need one (RFC 3986 §6.2.2), which change nothing for any reader.
 */
export function canonicalUri(uri: string, whole: boolean): string {
  return uri
    .replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, (scheme) => scheme.toLowerCase())
    .replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
      whole ? resolved(escapes) : escapes.toUpperCase().replace(/%../g, (one) => unreserved(one) ?? one),
    );
}

function unreserved(escaped: string): string | undefined {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return UNRESERVED.test(character) ? character : undefined;
}

/** Octets that are no UTF-8 stay as they are: no offer resolves them either. */
function resolved(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes.toUpperCase();
  }
}

/** An interface's own prefix (`ip-prefix`) keeps its host bits: two addresses of one subnet are two entries. */
function isDestination(key: string): boolean {
  const name = bare(key);
  return name === 'prefix' || (name.endsWith('-prefix') && name !== 'ip-prefix');
}

function bare(name: string): string {
  return name.split(':').at(-1)!;
}
