// Answers about hosts and services → typed values. Total: a malformed row is left out.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { HostPort, ServiceProbeResult } from '#model/router/hosts.ts';
import { count, oneOf, rows, text, texts } from './readers.ts';

export function decodeHostScan(body: JsonValue | undefined): readonly HostPort[] {
  if (!isJsonObject(body)) return [];
  return rows(body['ports'], portOf).slice(0, LIMITS.hostPorts);
}

function portOf(row: JsonObject): HostPort | undefined {
  const ifname = text(row['ifname']);
  if (ifname === undefined) return undefined;
  const source = text(row['source']);
  return {
    ifname,
    answers: rows(row['answers'], (entry) => {
      const address = text(entry['address']);
      return address === undefined ? undefined : { address, macs: texts(entry['macs']) };
    }),
    asks: rows(row['asks'], (entry) => {
      const [mac, sender, target] = [text(entry['mac']), text(entry['sender']), text(entry['target'])];
      return mac === undefined || sender === undefined || target === undefined ? undefined : { mac, sender, target };
    }),
    ...(Array.isArray(row['echoed']) ? { echoed: texts(row['echoed']) } : {}),
    ...(source === undefined ? {} : { source }),
    ...(Array.isArray(row['alive']) ? { alive: texts(row['alive']) } : {}),
  };
}

export function decodeServiceProbes(body: JsonValue | undefined): readonly ServiceProbeResult[] {
  if (!isJsonObject(body)) return [];
  return rows(body['results'], (row) => {
    const [destination, sent, port] = [text(row['destination']), count(row['sent']), count(row['port'])];
    const service = oneOf(row['service'], ['echo', 'tcp', 'udp']);
    const record = text(row['record']);
    if (destination === undefined || sent === undefined || service === undefined) return undefined;
    return {
      destination,
      service,
      sent,
      answered: row['answered'] === true,
      open: row['open'] === true,
      ...(port === undefined ? {} : { port }),
      ...viaOf(row['via']),
      ...(record === undefined ? {} : { record, found: row['found'] === true }),
      ...timesOf(row, 'tookMs'),
      ...timesOf(row, 'echoMs'),
    };
  }).slice(0, LIMITS.serviceProbes);
}

function timesOf(row: JsonObject, name: 'tookMs' | 'echoMs'): Pick<ServiceProbeResult, 'tookMs' | 'echoMs'> {
  const values = row[name];
  if (!Array.isArray(values)) return {};
  const times = values.filter((value): value is number => typeof value === 'number' && value >= 0);
  return { [name]: times.slice(0, LIMITS.timedQuestions) };
}

function viaOf(value: JsonValue | undefined): Pick<ServiceProbeResult, 'via'> {
  if (!isJsonObject(value)) return {};
  const [ifname, mac] = [text(value['ifname']), text(value['mac'])];
  return ifname === undefined || mac === undefined ? {} : { via: { ifname, mac } };
}
