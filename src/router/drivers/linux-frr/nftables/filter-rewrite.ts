// What a rule of nftables writes into packets: `tcp checksum = 57005`, `ip dscp ef = cs0` where it demands the old value, where it sends them
// instead: `destination = 192.0.2.1:53`, `destination = own:5353` of a redirect, from where they seem to come: `source = 203.0.113.5`,
// `source = own` of a masquerade, and which segments of TCP they allow: `tcp option maxseg size = 1340`. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { SEGMENT_SIZE } from '#model/router/filter-rewrites.ts';
import { textOf } from '../kernel/ip-command.ts';

/** Field, old value if the rule demands one, and new value of each change of a packet's own bytes; empty for other rules. */
export function rewritesOf(rule: JsonObject): readonly string[] {
  const statements = Array.isArray(rule['expr']) ? rule['expr'].filter((entry) => isJsonObject(entry)) : [];
  return statements.flatMap((statement) => {
    const sent = destinationIn(statement) ?? sourceIn(statement) ?? segmentSizeIn(statement);
    if (sent !== undefined) return [sent];
    const sides = sidesOfXtables(statement);
    if (sides.length > 0) return sides.map((side) => `${side} = not told`);
    const mangle = statement['mangle'];
    const key = isJsonObject(mangle) ? mangle['key'] : undefined;
    const payload = isJsonObject(key) ? key['payload'] : undefined;
    if (!isJsonObject(payload) || !isJsonObject(mangle)) return [];
    const [protocol, field] = [textOf(payload['protocol']), textOf(payload['field'])];
    if (protocol === undefined || field === undefined) return [];
    const was = statements.map((each) => demanded(each, protocol, field)).find((text) => text !== undefined);
    return [`${protocol} ${field}${was === undefined ? '' : ` ${was}`} = ${plain(mangle['value']) ?? 'another'}`];
  });
}

/** Whether a statement of a rule writes another address into packets. */
export function isTranslating(statement: JsonObject): boolean {
  return (
    isRedirecting(statement) || 'snat' in statement || 'masquerade' in statement || sidesOfXtables(statement).length > 0
  );
}

const XTABLES: Readonly<Record<string, readonly string[]>> = {
  ...{ SNAT: ['source'], MASQUERADE: ['source'], DNAT: ['destination'], REDIRECT: ['destination'] },
  // By the hook that it is at.
  NETMAP: ['source', 'destination'],
};

/** Target of xtables that writes the segment size. */
const CLAMP = 'TCPMSS';

/** Targets of xtables, of which only the name is known. */
function sidesOfXtables({ xt }: JsonObject): readonly string[] {
  return xt !== undefined && isJsonObject(xt) && xt['type'] === 'target'
    ? (XTABLES[textOf(xt['name']) ?? ''] ?? [])
    : [];
}

/** Whether a statement of a rule writes the largest segment that a TCP connection may send (RFC 9293 §3.7.1). */
export function isClamping(statement: JsonObject): boolean {
  return segmentSizeIn(statement) !== undefined;
}

/** Of a target of xtables nft tells the name alone. */
function segmentSizeIn({ xt, mangle }: JsonObject): string | undefined {
  if (isJsonObject(xt) && xt['type'] === 'target' && xt['name'] === CLAMP) return `${SEGMENT_SIZE} = not told`;
  const key = isJsonObject(mangle) ? mangle['key'] : undefined;
  const option = isJsonObject(key) ? key['tcp option'] : undefined;
  if (!isJsonObject(mangle) || !isJsonObject(option) || option['name'] !== 'maxseg') return undefined;
  const { value } = mangle;
  const ofRoute = isJsonObject(value) && value['rt'] !== undefined ? 'rt mtu' : undefined;
  return `${SEGMENT_SIZE} = ${plain(value) ?? ofRoute ?? 'another'}`;
}

function isRedirecting(statement: JsonObject): boolean {
  return 'dnat' in statement || 'redirect' in statement;
}

/** One address, or the first and the last of a range. */
function sourceIn(statement: JsonObject): string | undefined {
  if ('masquerade' in statement) return 'source = own';
  const to = statement['snat'];
  if (to === undefined) return undefined;
  const address = isJsonObject(to) ? to['addr'] : undefined;
  const range = isJsonObject(address) && Array.isArray(address['range']) ? address['range'].map(plain) : [];
  const several = range.length === 2 && range.every((end) => end !== undefined) ? range.join('-') : undefined;
  return `source = ${plain(address) ?? several ?? 'another'}`;
}

function destinationIn(statement: JsonObject): string | undefined {
  if (!isRedirecting(statement)) return undefined;
  const to = statement['dnat'] ?? statement['redirect'];
  const [address, port] = isJsonObject(to) ? [plain(to['addr']), plain(to['port'])] : [];
  const own = 'redirect' in statement ? 'own' : undefined;
  return `destination = ${own ?? address ?? (port === undefined ? 'another' : 'same')}${port === undefined ? '' : `:${port}`}`;
}

function demanded(statement: JsonObject, protocol: string, field: string): string | undefined {
  const match = statement['match'];
  if (!isJsonObject(match) || match['op'] !== '==') return undefined;
  const left = isJsonObject(match['left']) ? match['left']['payload'] : undefined;
  if (!isJsonObject(left) || left['protocol'] !== protocol || left['field'] !== field) return undefined;
  return plain(match['right']);
}

function plain(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
