// What hosts were heard to ask for, what passed of DHCP, and what DHCP servers answered → typed values. Total: a malformed row is left out.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { DhcpAnswer, DhcpOffer, Heard } from '#model/router/dhcp.ts';
import type { PassedOffer, WatchedDhcp } from '#model/router/dhcp-history.ts';
import { count, oneOf, rows, text, texts } from './readers.ts';

export function decodeHeard(value: JsonValue | undefined): readonly Heard[] {
  return rows(value, (row) => {
    const what = oneOf(row['what'], ['dns-query', 'dhcp-request', 'dhcp-reply'] as const);
    const [ifname, from, to, agoMs] = [text(row['ifname']), text(row['from']), text(row['to']), count(row['agoMs'])];
    if (what === undefined || ifname === undefined || from === undefined || to === undefined) return undefined;
    return agoMs === undefined ? undefined : { ifname, what, from, to, agoMs };
  }).slice(0, LIMITS.heard);
}

export function decodeDhcp(body: JsonValue | undefined): readonly DhcpAnswer[] {
  return isJsonObject(body) ? answersOf(body['answers']) : [];
}

function answersOf(value: JsonValue | undefined): readonly DhcpAnswer[] {
  return rows(value, (row) => {
    const [ifname, gateway, server] = [text(row['ifname']), text(row['gateway']), text(row['server'])];
    const [sent, echoed] = [count(row['sent']), count(row['echoed'])];
    if (ifname === undefined || gateway === undefined || server === undefined) return undefined;
    if (sent === undefined || echoed === undefined) return undefined;
    const [offers, link] = [offersOf(row['offers']), text(row['link'])];
    return {
      ifname,
      gateway,
      server,
      ...(link === undefined ? {} : { link }),
      sent,
      echoed,
      refused: row['refused'] === true,
      offers,
      present: texts(row['present']),
    };
  }).slice(0, LIMITS.dhcpAsks);
}

function offersOf(value: JsonValue | undefined): readonly DhcpOffer[] {
  return rows(value, offerOf).slice(0, LIMITS.dhcpOffers);
}

function offerOf(row: JsonObject): DhcpOffer | undefined {
  const [server, address, mask] = [text(row['server']), text(row['address']), text(row['mask'])];
  if (server === undefined || address === undefined) return undefined;
  const lists = { routers: texts(row['routers']), names: texts(row['names']) };
  return { server, address, ...lists, ...(mask === undefined ? {} : { mask }) };
}

/** What a node says that passed on its ports. */
export function decodeWatchedDhcp(value: JsonValue | undefined): { readonly watchedDhcp?: WatchedDhcp } {
  if (!isJsonObject(value)) return {};
  return {
    watchedDhcp: {
      offers: rows(value['offers'], passedOf).slice(0, LIMITS.passedOffers),
      refusals: rows(value['refusals'], (row) => {
        const [ifname, server, ages] = [text(row['ifname']), text(row['server']), agesOf(row)];
        return ifname === undefined || server === undefined || ages === undefined
          ? undefined
          : { ifname, server, ...ages };
      }).slice(0, LIMITS.dhcpDoubts),
      doubts: rows(value['doubts'], (row) => {
        const agoMs = count(row['agoMs']);
        return agoMs === undefined ? undefined : { agoMs, answers: answersOf(row['answers']) };
      }).slice(0, LIMITS.dhcpDoubts),
    },
  };
}

function passedOf(row: JsonObject): PassedOffer | undefined {
  const [offer, ages] = [offerOf(row), agesOf(row)];
  const [ifname, from, gateway] = [text(row['ifname']), text(row['from']), text(row['gateway'])];
  if (offer === undefined || ages === undefined || ifname === undefined || from === undefined) return undefined;
  return { ...offer, ifname, from, ...(gateway === undefined ? {} : { gateway }), ...ages };
}

function agesOf(row: JsonObject): { readonly fromAgoMs: number; readonly untilAgoMs: number } | undefined {
  const [fromAgoMs, untilAgoMs] = [count(row['fromAgoMs']), count(row['untilAgoMs'])];
  return fromAgoMs === undefined || untilAgoMs === undefined ? undefined : { fromAgoMs, untilAgoMs };
}
