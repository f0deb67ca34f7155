// Reads a purpose from a report. Total: a report of an earlier program has none, and one that was not verified may hold anything; either is
// a purpose that is not known, and so is one with members that its kind does not have.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { isNodeName } from './names.ts';
import type { HostScanAim, PlannedPurpose, Purpose, PurposeKind, Round, ServiceProbeReason } from './purpose.ts';
import type { ReachTraffic } from './router/router-port.ts';

type Check = (value: JsonValue) => boolean;
type Members = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === 'string' && value.length > 0 && value.length <= 256;
const isNode: Check = (value) => typeof value === 'string' && isNodeName(value);
const isEnd: Check = (value) =>
  isJsonObject(value) &&
  Object.keys(value).length === 2 &&
  isNode(value['node'] ?? '') &&
  isText(value['ifname'] ?? '');
const isFarEnd: Check = (value) =>
  isEnd(value) || (isJsonObject(value) && Object.keys(value).length === 1 && isNode(value['node'] ?? ''));
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const areNodes: Check = (value) => Array.isArray(value) && value.length > 0 && value.every(isNode);
const oneOf =
  <T extends string>(names: { readonly [K in T]: true }): Check =>
  (value) =>
    typeof value === 'string' && Object.hasOwn(names, value);

const isEarlyRound = oneOf<Exclude<Round, 'extended'>>({ first: true, confirmation: true });
const isRound = oneOf<Round>({ first: true, confirmation: true, extended: true });
const isAim = oneOf<HostScanAim>({ known: true, confirmation: true, search: true, offered: true, moved: true });
const isTraffic = oneOf<ReachTraffic>({ tcp: true, icmp: true, 'large-icmp': true });
const isReason = oneOf<ServiceProbeReason>({
  ...{ filters: true, asked: true, 'asked-echo': true, seen: true, used: true, expected: true, 'asked-names': true },
  ...{ 'far-echo': true, 'name-times': true, 'offered-names': true },
});
const overLink: Members = { from: isEnd, to: isEnd };
const relayed: Check = (value) => ['state', 'host-scan'].includes(readPurpose(value).kind);

const MEMBERS: { readonly [K in PlannedPurpose['kind']]: Members } = {
  state: { when: oneOf<'before' | 'after'>({ before: true, after: true }) },
  relay: { node: isNode, of: relayed },
  counters: { reading: oneOf<'first' | 'last'>({ first: true, last: true }) },
  logs: {},
  'path-probe': { from: isNode, to: isNode },
  'path-flows': { from: isNode, to: isNode },
  'path-full': { from: isNode, to: isNode },
  'path-full-again': { from: isNode, to: isNode },
  'hop-full': { ...overLink, family: (value) => value === 4 || value === 6 },
  'length-probe': { ...overLink, round: isEarlyRound },
  'path-lengths': { from: isNode, to: isNode },
  'sid-statistics': {},
  'probe-capture': {},
  'path-state': {},
  'handshake-capture': { ifname: isText },
  'link-probe': { ...overLink, round: isRound },
  'link-train': { ...overLink, train: isCount },
  'srv6-probe': overLink,
  'dscp-probe': { from: isEnd, to: isFarEnd, dscp: isCount },
  'transit-probe': { from: isNode, through: isNode, to: isEnd },
  'bisecting-transit': { ...overLink, through: isNode, round: oneOf<'confirmation'>({ confirmation: true }) },
  'non-reporting-transit': { ...overLink, through: isNode, round: isEarlyRound },
  loop: { visits: areNodes },
  lookups: { part: isCount, round: isEarlyRound },
  'path-lookup': { destination: isText },
  reach: { round: isEarlyRound },
  'network-reach': { sender: isText, round: isEarlyRound },
  'link-echoes': { round: isRound },
  'link-classes': { traffic: isTraffic, round: isRound, run: isCount },
  'silent-echoes': {},
  'plain-links': {},
  'asked-reach': {},
  'host-echo': {},
  'host-try': {
    traffic: oneOf<'tcp' | 'icmp'>({ tcp: true, icmp: true }),
    round: oneOf<'confirmation'>({ confirmation: true }),
  },
  'host-scan': { aim: isAim },
  'service-probe': { reason: isReason, round: isEarlyRound },
  dhcp: { round: isEarlyRound },
  remembered: {},
};
/** Echoes over links have one more, which their round decides. */
const ECHO_MEMBERS: Readonly<Record<Round, Members>> = {
  first: {},
  confirmation: { ifname: isText },
  extended: { run: isCount },
};

export function readPurpose(value: unknown): Purpose {
  if (!isJsonObject(value) || typeof value['kind'] !== 'string' || !Object.hasOwn(MEMBERS, value['kind']))
    return UNKNOWN;
  const { kind, ...rest } = value;
  const members = { ...MEMBERS[kind as PlannedPurpose['kind']], ...moreOf(kind as PurposeKind, rest) };
  const isWhole = Object.entries(members).every(([name, isGood]) => rest[name] !== undefined && isGood(rest[name]));
  return isWhole && Object.keys(rest).length === Object.keys(members).length ? (value as Purpose) : UNKNOWN;
}

const isSix = (value: JsonValue): boolean => value === 6;

const UNKNOWN: Purpose = { kind: 'unknown' };

function moreOf(kind: PurposeKind, { round, reason, ifname, family, sender }: JsonObject): Members {
  if (kind === 'reach' || kind === 'host-try')
    return round === 'confirmation' && sender !== undefined ? { sender: isText } : {};
  // Earlier programs did not say from which port.
  if (kind === 'service-probe')
    return {
      ...(reason === 'used' && ifname !== undefined ? { ifname: isText } : {}),
      ...(family === undefined ? {} : { family: isSix }),
    };
  return kind === 'link-echoes' && isRound(round ?? '') ? ECHO_MEMBERS[round as Round] : {};
}
