// How an announcement travels in TLV 251: under one application id, as one item. The information itself is not looked at
// here; discovery decodes it, without privileges.
import { LIMITS } from '#base/limits.ts';
import { bad, type Result } from '#base/result.ts';
import { encodeGenericInformation } from '#codec/isis/geninfo.ts';
import { HELPER_LIMITS } from '../limits.ts';
import type { ReachableSystem } from './database.ts';

/** A placeholder: no application id is assigned to Parley. docs/decisions/0009 says what has to change when there is one. */
const PARLEY_APPLICATION = 0xff01;
const ITEM_DESCRIPTOR = 1;

/** The value of our TLV. Not to be leaked into other levels: the S flag is off. */
export function encodeAnnouncement(information: Uint8Array): Result<Uint8Array> {
  if (information.length > LIMITS.lldpInfoBytes) return bad(`expected at most ${LIMITS.lldpInfoBytes} octets`);
  const items = [{ type: ITEM_DESCRIPTOR, value: information }];
  return encodeGenericInformation({ domainWide: false, down: false, application: PARLEY_APPLICATION, items });
}

export type HeardSystem = {
  readonly systemId: string;
  readonly hostname?: string;
  /** Information octets in hex: more than one is a contradiction, which the reader judges. */
  readonly announcements: readonly string[];
  readonly faults: readonly string[];
};

/** Undefined for a system that says nothing in TLV 251 but what other applications can read. */
export function readAnnouncements(system: ReachableSystem): HeardSystem | undefined {
  const ours = system.generic.filter(({ application }) => application === PARLEY_APPLICATION);
  const faults = system.faults.filter((fault) => fault.startsWith('TLV 251'));
  if (ours.length === 0 && faults.length === 0) return undefined;
  const items = ours.flatMap((each) => each.items).filter(({ type }) => type === ITEM_DESCRIPTOR);
  const announcements = items.map(({ value }) => Buffer.from(value).toString('hex'));
  return {
    systemId: system.systemId,
    ...(system.hostname === undefined ? {} : { hostname: system.hostname }),
    announcements: [...new Set(announcements)].sort().slice(0, HELPER_LIMITS.isisAnnouncements),
    faults: (announcements.length === 0 ? [...faults, 'TLV 251 without a descriptor'] : faults).slice(
      0,
      HELPER_LIMITS.isisAnnouncements,
    ),
  };
}
