// IS-IS ids as operators write them, and the system id of a node's speaker when none was configured.
import { sha256Hex } from '#sign/digest.ts';

const SYSTEM_ID = /^[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}$/;

/** `02ab.cdef.0123` as 12 hex digits; undefined when it is none. */
export function parseSystemId(text: string): string | undefined {
  const lower = text.toLowerCase();
  return SYSTEM_ID.test(lower) ? lower.replaceAll('.', '') : undefined;
}

export function formatSystemId(systemId: string): string {
  return (systemId.match(/.{1,4}/g) ?? []).join('.');
}

/** `49.0001` as hex digits; undefined when it is none. 1 to 13 octets (ISO/IEC 10589 §7.1). */
export function parseArea(text: string): string | undefined {
  const digits = text.toLowerCase().replaceAll('.', '');
  return /^(?:[0-9a-f]{2}){1,13}$/.test(digits) ? digits : undefined;
}

/**
 * The same at every start and another for every node: 40 bits of a digest behind 02. A router's id is commonly made of an
 * address or a MAC address; the locally administered bit keeps ours apart from both.
 */
export function speakerSystemId(domain: string, node: string): string {
  return `02${sha256Hex(Buffer.from(`parley/isis/${domain}/${node}`)).slice(0, 10)}`;
}
