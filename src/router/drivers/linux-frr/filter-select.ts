// Which packets a rule of nftables selects, in nft's own words: `tcp dport 179`, `ip daddr 198.18.3.0/24`. For people and for
// telling filters apart; what it cannot put into words is left out. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { textOf } from './ip-command.ts';

/** All selections of one rule, interfaces left out, joined with "and". */
export function selectionOf(rule: JsonObject): string | undefined {
  const statements = Array.isArray(rule['expr']) ? rule['expr'].filter((entry) => isJsonObject(entry)) : [];
  const parts = statements.flatMap((statement) => {
    const match = statement['match'];
    return match !== undefined && isJsonObject(match) ? (matchOf(match) ?? []) : [];
  });
  return parts.length === 0 ? undefined : parts.join(' and ');
}

function matchOf(match: JsonObject): string | undefined {
  const left = leftOf(match['left']);
  const right = wordsOf(match['right']);
  if (left === undefined || right === undefined) return undefined;
  const op = match['op'] === '==' || match['op'] === 'in' ? '' : `${String(match['op'])} `;
  return `${left} ${op}${right}`;
}

function leftOf(left: JsonValue | undefined): string | undefined {
  if (left === undefined || !isJsonObject(left)) return undefined;
  const { payload, meta, exthdr } = left as Readonly<Record<string, JsonObject | undefined>>;
  if (payload !== undefined) {
    if (payload['base'] !== undefined) return `@${textOf(payload['base'])},${payload['offset']},${payload['len']}`;
    return `${textOf(payload['protocol'])} ${textOf(payload['field'])}`;
  }
  const key = meta === undefined ? undefined : textOf(meta['key']);
  if (key !== undefined) return /ifname|^[io]if$/.test(key) ? undefined : `meta ${key}`;
  return exthdr === undefined ? undefined : `exthdr ${textOf(exthdr['name'])}`;
}

function wordsOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map((entry) => wordsOf(entry) ?? '?').join(',');
  if (value === undefined || !isJsonObject(value)) return undefined;
  const { prefix, set, range } = value as Readonly<Record<string, JsonValue | undefined>>;
  if (isJsonObject(prefix)) return `${textOf(prefix['addr'])}/${prefix['len']}`;
  if (Array.isArray(range)) return range.map(String).join('-');
  return Array.isArray(set) ? set.map((entry) => wordsOf(entry) ?? '?').join(',') : undefined;
}
