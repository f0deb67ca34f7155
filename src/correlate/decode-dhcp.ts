// What hosts were heard to ask for, and what DHCP servers answered → typed values. Total: a malformed row is left out.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { DhcpAnswer, DhcpOffer, Heard } from '#model/dhcp.ts';
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
  if (!isJsonObject(body)) return [];
  return rows(body['answers'], (row) => {
    const [ifname, gateway, server] = [text(row['ifname']), text(row['gateway']), text(row['server'])];
    const [sent, echoed] = [count(row['sent']), count(row['echoed'])];
    if (ifname === undefined || gateway === undefined || server === undefined) return undefined;
    if (sent === undefined || echoed === undefined) return undefined;
    const offers = offersOf(row['offers']);
    return {
      ifname,
      gateway,
      server,
      sent,
      echoed,
      refused: row['refused'] === true,
      offers,
      present: texts(row['present']),
    };
  }).slice(0, LIMITS.dhcpAsks);
}

function offersOf(value: JsonValue | undefined): readonly DhcpOffer[] {
  return rows(value, (row) => {
    const [server, address, mask] = [text(row['server']), text(row['address']), text(row['mask'])];
    if (server === undefined || address === undefined) return undefined;
    const lists = { routers: texts(row['routers']), names: texts(row['names']) };
    return { server, address, ...lists, ...(mask === undefined ? {} : { mask }) };
  }).slice(0, LIMITS.dhcpOffers);
}
