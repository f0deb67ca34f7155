// Live settings: what is set on a node outside its routing daemons' configuration, as a closed and typed list. No words of a caller are ever
// part of a command: each member is an enumerated word, a number within bounds, or a name of a known form.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';

export type LiveSetting =
  /** `now` is what the interface must have, or nothing is changed. */
  | { readonly kind: 'link-mtu'; readonly ifname: string; readonly mtu: number; readonly now: number }
  | { readonly kind: 'link-up'; readonly ifname: string }
  /** A fixed entry of the ARP or ND table; `mac` is what it must say, or nothing is changed. */
  | { readonly kind: 'neighbour-delete'; readonly ifname: string; readonly address: string; readonly mac: string }
  /** With its prefix length. */
  | { readonly kind: 'address-add'; readonly ifname: string; readonly address: string }
  | ({ readonly kind: 'nft-delete-rule' } & KnownRule);

export type RulePlace = {
  readonly family: NftFamily;
  readonly table: string;
  readonly chain: string;
  readonly handle: number;
};

/** A rule by its place and by what it must say there, or it is not deleted: after a reload another rule has the handle. */
export type KnownRule = RulePlace & { readonly ruleSha256: string };

const NFT_FAMILIES = ['ip', 'ip6', 'inet', 'arp', 'bridge', 'netdev'] as const;
export type NftFamily = (typeof NFT_FAMILIES)[number];

/** Of a changed line's context: the running kernel has it, and no configuration. */
export function isLiveContext(context: string): boolean {
  return context.startsWith('live ');
}

const IFNAME = /^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,14}$/;
/** Names that nft takes without quotes. */
const NFT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
/** Below this the kernel takes the IPv6 addresses off an interface, and putting the MTU back does not bring them back (RFC 8200 §5). */
const LEAST_MTU = 1_280;
const MOST_MTU = 65_535;
const MOST_HANDLE = 2 ** 31 - 1;
const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;
/** No first `-`, no space: it is one argument. */
const ADDRESS = /^[0-9a-f][0-9a-f.:]{1,44}$/;
const WITH_LENGTH = /^[0-9a-f][0-9a-f.:]{1,44}\/[0-9]{1,3}$/;
const SHA256 = /^[0-9a-f]{64}$/;

const IFNAME_SCHEMA: JsonObject = { type: 'string', pattern: IFNAME.source, description: 'Interface' };

/** For schemas of tools; {@link liveSettingOf} checks the same again where the change is made. */
export const LIVE_SETTING_SCHEMA: JsonObject = {
  oneOf: [
    memberSchema('link-mtu', {
      ifname: IFNAME_SCHEMA,
      mtu: { type: 'integer', minimum: LEAST_MTU, maximum: MOST_MTU, description: 'New MTU' },
      now: { type: 'integer', minimum: 1, maximum: MOST_MTU, description: 'Present MTU' },
    }),
    memberSchema('link-up', { ifname: IFNAME_SCHEMA }),
    memberSchema('neighbour-delete', {
      ifname: IFNAME_SCHEMA,
      address: { type: 'string', pattern: ADDRESS.source, description: 'Of the entry' },
      mac: { type: 'string', pattern: MAC.source, description: 'What it says now' },
    }),
    memberSchema('address-add', {
      ifname: IFNAME_SCHEMA,
      address: { type: 'string', pattern: WITH_LENGTH.source, description: 'With prefix length' },
    }),
    memberSchema('nft-delete-rule', {
      family: { enum: [...NFT_FAMILIES], description: 'Of the table' },
      table: { type: 'string', pattern: NFT_NAME.source, description: 'Its name' },
      chain: { type: 'string', pattern: NFT_NAME.source, description: 'Its name' },
      handle: { type: 'integer', minimum: 1, maximum: MOST_HANDLE, description: 'Of the rule' },
      ruleSha256: { type: 'string', pattern: SHA256.source, description: 'Of what it says now' },
    }),
  ],
};

function memberSchema(kind: string, members: JsonObject): JsonObject {
  const properties = { kind: { const: kind, description: 'What is set' }, ...members };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Undefined for everything that is not exactly one of the list. */
export function liveSettingOf(value: JsonValue | undefined): LiveSetting | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const { kind, ifname, mtu, now, family, table, chain, handle, ruleSha256 } = value;
  const members = Object.keys(value).length;
  if (kind === 'link-mtu') {
    const fits = isName(ifname, IFNAME) && isWithin(mtu, LEAST_MTU, MOST_MTU) && isWithin(now, 1, MOST_MTU);
    return fits && members === 4 ? { kind, ifname, mtu, now } : undefined;
  }
  if (kind === 'link-up') return isName(ifname, IFNAME) && members === 2 ? { kind, ifname } : undefined;
  const { address, mac } = value;
  if (kind === 'neighbour-delete') {
    const fits = isName(ifname, IFNAME) && isName(address, ADDRESS) && isName(mac, MAC);
    return fits && members === 4 ? { kind, ifname, address, mac } : undefined;
  }
  if (kind === 'address-add')
    return isName(ifname, IFNAME) && isName(address, WITH_LENGTH) && members === 3
      ? { kind, ifname, address }
      : undefined;
  const known = NFT_FAMILIES.find((each) => each === family);
  if (kind !== 'nft-delete-rule' || known === undefined || members !== 6) return undefined;
  const fits = isName(table, NFT_NAME) && isName(chain, NFT_NAME) && isWithin(handle, 1, MOST_HANDLE);
  return fits && isName(ruleSha256, SHA256) ? { kind, family: known, table, chain, handle, ruleSha256 } : undefined;
}

function isName(value: JsonValue | undefined, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

function isWithin(value: JsonValue | undefined, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}
