// A copy of a report in which hosts have pseudonyms: addresses, hardware addresses and names that are no node's own. One host has the same
// pseudonym everywhere in one copy, so that it can be followed, and another one in the next copy. No digest of original text is left: IPv4 addresses
// are few, and the digest of a text in which one is unknown tells it after some guesses. Nothing signs a copy, and it says so. Pure.
import { createHmac } from 'node:crypto';
import { parsePrefix } from '#base/ip.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, type Result } from '#base/result.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import type { Report } from '#model/report.ts';
import { isHostName } from '#model/router/hosts.ts';
import { sha256Hex } from '#sign/digest.ts';
import { readReport } from './read-report.ts';

const KIND = 'parley-pseudonymised-report';

/** Of the signed report that a copy was made of: where it is, and the SHA-256 of its file. */
export type Original = { readonly uri: string; readonly creator: string; readonly sha256: string };

/** `key`: 32 random octets, for this copy alone and never kept. The text of the file. */
export function pseudonymisedText(report: Report, original: Original, key: Uint8Array): string {
  const decoded = report.evidence.map((text) => decodeStrictJson(Buffer.from(text, 'base64')));
  const answers = decoded.flatMap((each) => (each.ok ? [each.value] : []));
  const rename = createRenamer(key, {
    own: ownAddresses([...answers, report.items as unknown as JsonValue]),
    nodes: new Set([
      report.creator,
      ...report.outcomes.map(({ node }) => node),
      ...report.items.map(({ node }) => node),
    ]),
    names: [...namesIn(answers), ...namesOfText(report.intent.text)],
    random: new Set([report.id, ...report['session-id'].split('-')]),
  });
  const { evidence: _, envelopes: __, chains: ___, signatures: ____, id, uri, creator, ...told } = report;
  // A capture has whole packets: it is left out.
  const evidence = decoded.map((each) => Buffer.from(each.ok ? JSON.stringify(rename(each.value)) : ''));
  const renamed = rename(told as unknown as JsonValue) as JsonObject & Pick<Report, 'items'>;
  const copy = {
    ...renamed,
    ...{ id, uri, creator, envelopes: [], chains: {}, signatures: {} },
    evidence: evidence.map((bytes) => bytes.toString('base64')),
    items: renamed.items.map((item, index) => ({ ...item, sha256: sha256Hex(evidence[index] ?? '') })),
  };
  const notice = `a pseudonymised copy, which no signature covers: hosts have other names and addresses here. The signed original is ${original.uri} on ${original.creator}`;
  return `${JSON.stringify({ kind: KIND, notice, original, report: copy }, null, 1)}\n`;
}

export type PseudonymisedCopy = { readonly notice: string; readonly report: Report };

/** Undefined for a file that is none; its report, of which nothing is verified. */
export function readPseudonymised(bytes: Uint8Array): Result<PseudonymisedCopy> | undefined {
  const value = parsed(bytes);
  if (!isJsonObject(value) || value['kind'] !== KIND) return undefined;
  const { notice, report } = value;
  if (typeof notice !== 'string' || !isJsonObject(report)) return bad('expected a notice and a report in the copy');
  const read = readReport(report);
  return read.ok ? { ok: true, value: { notice, report: read.value } } : read;
}

type Renamed = {
  /** Addresses and hardware addresses of nodes, in lower case. */
  readonly own: ReadonlySet<string>;
  readonly nodes: ReadonlySet<string>;
  readonly names: readonly string[];
  /** Hex that was drawn at random and is no digest. */
  readonly random: ReadonlySet<string>;
};

/** Six pairs of hex digits; then what may be an IPv6 address, its zone apart; then what may be an IPv4 address. */
const TOKENS =
  /(?<![\w:])[0-9a-f]{2}(?::[0-9a-f]{2}){5}(?![\w:])|(?<![\w:.])(?=[0-9a-f.]*:[0-9a-f.]*:)[0-9a-f:]+(?:\.\d+){0,3}(?![\w:])|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)/gi;

/** Digests in hex, whole or their first 16 digits, and the tail of a text that was cut. A number has no letter. */
const DIGESTS =
  /(?<![0-9a-z])(?:(?=\d*[a-f])[0-9a-f]{16,31}|[0-9a-f]{32,128})(?![0-9a-z])|(?<=… #)[0-9a-f]{4,15}(?![0-9a-z])/gi;
/** Members whose hex is a digest, also where it happens to have no letter. */
const DIGEST_MEMBER = /(?:sha256|digest|hash|^setting)$/i;
/** A rule is named by the start of its digest elsewhere: both have the same pseudonym. */
const DIGEST_CHARS = 16;

function createRenamer(key: Uint8Array, { own, nodes, names, random }: Renamed): (value: JsonValue) => JsonValue {
  const pseudonym = (kind: string, value: string) =>
    `${kind}-${createHmac('sha256', key).update(`${kind} ${value}`).digest('hex').slice(0, 12)}`;
  const hosts = [...new Set(names)].filter((name) => !nodes.has(name)).sort((one, other) => other.length - one.length);
  const inText = new RegExp(`(?<![\\w.-])(?:${hosts.map((name) => escaped(name)).join('|')})(?![\\w-]|\\.\\w)`, 'gi');
  const renameDigest = (hex: string) =>
    random.has(hex) ? hex : pseudonym('digest', hex.toLowerCase().slice(0, DIGEST_CHARS));
  const renameText = (whole: string): string => {
    const text = whole.replace(DIGESTS, renameDigest);
    const named = hosts.length === 0 ? text : text.replace(inText, (name) => pseudonym('name', name.toLowerCase()));
    return named.replace(TOKENS, (token, offset: number) => {
      const kind = kindOf(token);
      if (kind === undefined || own.has(token.toLowerCase()) || isOfNoHost(token, named.slice(offset + token.length)))
        return token;
      return pseudonym(kind, kind === 'mac' ? token.toLowerCase() : String(parsePrefix(token)?.value ?? token));
    });
  };
  const rename = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return renameText(value);
    if (Array.isArray(value)) return value.map(rename);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        renameText(name),
        typeof member === 'string' && DIGEST_MEMBER.test(name) && /^[0-9a-f]{4,}$/i.test(member)
          ? renameDigest(member)
          : rename(member),
      ]),
    );
  };
  return rename;
}

/** A host's name has letters, digits, dots, hyphens and underscores only. */
function escaped(name: string): string {
  return name.replaceAll('.', '\\.');
}

function kindOf(token: string): 'mac' | 'ipv4' | 'ipv6' | undefined {
  if (/^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i.test(token)) return 'mac';
  const address = parsePrefix(token);
  if (address === undefined) return undefined;
  return address.family === 4 ? 'ipv4' : 'ipv6';
}

/** Networks, groups, masks, broadcasts and addresses of every machine: no host has them. `after`: what follows in the text, such as `/24`. */
function isOfNoHost(token: string, after: string): boolean {
  if (/^(?:0\.|127\.|22[4-9]\.|23\d\.|255\.|ff|::1?$|ff:ff:ff:ff:ff:ff$|00:00:00:00:00:00$|01:|33:33:)/i.test(token))
    return true;
  const bits = Number(/^\/(\d{1,3})(?!\d)/.exec(after)?.[1] ?? Number.NaN);
  const address = parsePrefix(token);
  if (address === undefined || Number.isNaN(bits) || bits >= address.prefixBits) return false;
  return address.value % (1n << BigInt(address.prefixBits - bits)) === 0n;
}

/** What the nodes of the report say that they are: every address below an `inventory`. */
function ownAddresses(values: readonly JsonValue[]): ReadonlySet<string> {
  const own = new Set<string>();
  const take = (value: JsonValue) => {
    if (typeof value === 'string') for (const [token] of value.matchAll(TOKENS)) own.add(token.toLowerCase());
    else if (Array.isArray(value)) value.forEach(take);
    else if (isJsonObject(value))
      for (const [name, member] of Object.entries(value)) [name, member as JsonValue].forEach(take);
  };
  const find = (value: JsonValue) => {
    if (Array.isArray(value)) return void value.forEach(find);
    if (!isJsonObject(value)) return;
    for (const [name, member] of Object.entries(value)) (name === 'inventory' ? take : find)(member as JsonValue);
  };
  values.forEach(find);
  return own;
}

/** Names of hosts: those that name servers were asked for, and those of what LLDP hears that is no node. */
const NAME_MEMBERS = new Set(['record', 'domain', 'name', 'host', 'hostname', 'systemName', 'serverName']);

function namesIn(values: readonly JsonValue[]): readonly string[] {
  const found = new Set<string>();
  const walk = (value: JsonValue) => {
    if (Array.isArray(value)) return void value.forEach(walk);
    if (!isJsonObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      // A `name` alone is an interface's, a rule's or a daemon's.
      const isMeant = NAME_MEMBERS.has(name) && (name !== 'name' || 'address' in value);
      if (typeof member === 'string' && isMeant && isHostName(member)) found.add(member);
      if (name === 'url' && typeof member === 'string') for (const host of namesOfText(member)) found.add(host);
      walk(member as JsonValue);
    }
  };
  values.forEach(walk);
  return [...found].filter((name) => !/\.\d+$/.test(name));
}

/** Names with a domain in what an operator typed. */
function namesOfText(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w.-])(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?![\w-])/gi)].map(
    ([name]) => name,
  );
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
