// What a node says that it remembers of the hosts on its ports → typed values. Total: a malformed row is left out, and there are never
// more rows than a node may remember.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { FarAsk, HostLook, LookedPort, LostName, WatchedHosts } from '#model/router/host-history.ts';
import { isHostName } from '#model/router/hosts.ts';
import { decodeHostScan, decodeServiceProbes } from './decode-hosts.ts';
import { count, rows, text, texts } from './readers.ts';

export function decodeWatchedHosts(value: JsonValue | undefined): WatchedHosts | undefined {
  if (!isJsonObject(value)) return undefined;
  const [hostsMs, servicesMs] = [count(value['hostsMs']), count(value['servicesMs'])];
  return {
    ...(hostsMs === undefined ? {} : { hostsMs }),
    ...(servicesMs === undefined ? {} : { servicesMs }),
    asks: rows(value['asks'], askOf).slice(0, LIMITS.heardAsks),
    names: rows(value['names'], nameOf).slice(0, LIMITS.heardNames),
    ...(Array.isArray(value['looks']) ? { looks: rows(value['looks'].slice(0, LIMITS.hostLooks), lookOf) } : {}),
  };
}

function askOf(row: JsonObject): FarAsk | undefined {
  const [ifname, mac, sender, target] = ['ifname', 'mac', 'sender', 'target'].map((name) => text(row[name]));
  const [times, agoMs] = [count(row['count']), count(row['agoMs'])];
  return ifname === undefined ||
    mac === undefined ||
    sender === undefined ||
    target === undefined ||
    times === undefined ||
    agoMs === undefined
    ? undefined
    : { ifname, mac, sender, target, count: times, agoMs };
}

function nameOf(row: JsonObject): LostName | undefined {
  const [ifname, address, name] = ['ifname', 'address', 'name'].map((member) => text(row[member]));
  const [okAgoMs, lostAgoMs] = [count(row['okAgoMs']), count(row['lostAgoMs'])];
  return ifname === undefined ||
    address === undefined ||
    name === undefined ||
    !isHostName(name) ||
    okAgoMs === undefined ||
    lostAgoMs === undefined
    ? undefined
    : { ifname, address, name, okAgoMs, lostAgoMs, ...(row['othersOnly'] === true ? { othersOnly: true } : {}) };
}

function lookOf(row: JsonObject): HostLook | undefined {
  const [fromAgoMs, untilAgoMs] = [count(row['fromAgoMs']), count(row['untilAgoMs'])];
  if (fromAgoMs === undefined || untilAgoMs === undefined) return undefined;
  const asked = rows(row['ports'], (port) => {
    const ifname = text(port['ifname']);
    return ifname === undefined ? undefined : { ifname, asked: texts(port['asked']) };
  });
  const ports = decodeHostScan({ ports: row['ports'] ?? [] }).map(
    (port, index): LookedPort => ({ ...port, asked: asked[index]?.asked ?? [] }),
  );
  return { fromAgoMs, untilAgoMs, ports, tries: decodeServiceProbes({ results: row['tries'] ?? [] }) };
}
