// TLV 251, generic information (RFC 6823 §2): flags, application id, the addresses that the flags announce, then the
// application's own sub-TLVs. Keeps nothing apart from what the clause names; reserved flags are ignored on receipt.
import { bad, ok, type Result } from '#base/result.ts';
import { decodeTlvs, encodeTlvs, type Tlv } from './tlv.ts';

export type GenericInformation = {
  /** S: to be flooded across the whole routing domain. */
  readonly domainWide: boolean;
  /** D: has come down from level 2 to level 1. */
  readonly down: boolean;
  readonly application: number;
  /** 4 octets. */
  readonly ipv4?: Uint8Array;
  /** 16 octets. */
  readonly ipv6?: Uint8Array;
  readonly items: readonly Tlv[];
};

const FLAG = { domainWide: 0x01, down: 0x02, ipv4: 0x04, ipv6: 0x08 } as const;
const HEAD_BYTES = 3;

/** The value of the TLV. */
export function encodeGenericInformation(information: GenericInformation): Result<Uint8Array> {
  const { domainWide, down, application, ipv4, ipv6, items } = information;
  if (!Number.isInteger(application) || application < 1 || application > 0xffff)
    return bad('expected an application id of 1 to 65535');
  if ((ipv4 && ipv4.length !== 4) || (ipv6 && ipv6.length !== 16)) return bad('expected addresses of 4 and 16 octets');
  const data = encodeTlvs(items);
  if (!data.ok) return data;
  const flags =
    (domainWide ? FLAG.domainWide : 0) | (down ? FLAG.down : 0) | (ipv4 ? FLAG.ipv4 : 0) | (ipv6 ? FLAG.ipv6 : 0);
  const head = [flags, application >> 8, application & 0xff];
  const value = Uint8Array.from([...head, ...(ipv4 ?? []), ...(ipv6 ?? []), ...data.value]);
  return value.length <= 255 ? ok(value) : bad('expected a value of at most 255 octets');
}

export function decodeGenericInformation(value: Uint8Array): Result<GenericInformation> {
  if (value.length < HEAD_BYTES) return bad('shorter than its fixed part', value.length);
  const flags = value[0]!;
  const application = (value[1]! << 8) | value[2]!;
  if (application === 0) return bad('application id 0', 1);
  const ipv6At = HEAD_BYTES + (flags & FLAG.ipv4 ? 4 : 0);
  const itemsAt = ipv6At + (flags & FLAG.ipv6 ? 16 : 0);
  if (itemsAt > value.length) return bad('an address that runs over the end', HEAD_BYTES);
  const items = decodeTlvs(value.subarray(itemsAt));
  if (!items.ok) return bad(items.reason, itemsAt + (items.offset ?? 0));
  return ok({
    domainWide: (flags & FLAG.domainWide) !== 0,
    down: (flags & FLAG.down) !== 0,
    application,
    ...(flags & FLAG.ipv4 ? { ipv4: value.subarray(HEAD_BYTES, ipv6At) } : {}),
    ...(flags & FLAG.ipv6 ? { ipv6: value.subarray(ipv6At, itemsAt) } : {}),
    items: items.value,
  });
}
