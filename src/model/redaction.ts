// Takes secrets out of device text and YANG data before they leave the node [NET-18]: the one place, for results, logs, reports and what the
// helpers hand out. Matches the words before a secret, and values that are secrets by their own form (secrets/secret-forms.ts). What was redacted is
// marked, and marked text is never taken for configuration: a placeholder must not become a password. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { FORM_HINT, REDACTED, redactForms } from './secrets/secret-forms.ts';

/** First line of a configuration in which something was redacted. */
export const REDACTED_MARK = `! ${REDACTED}: secrets are missing here, this text cannot be pushed back`;

/** Names that are only given to secrets: leaves of YANG data, words of configuration, members in a log. */
const NAMES =
  'password|passphrase|passwd|secret|psk|pre-?shared-?key|priv(?:ate)?-?key|crypt-key|secret-key|shared-key|auth(?:entication)?-key|md5-key|key-?string|hexadecimal-string|clear-?text-key|plain-?text-key|encrypted-key|symmetric-key';

/** Words of FRR's, IOS's and SNMP's configuration that a secret follows, with its kind; what comes before and after is kept. */
const SECRETS: readonly RegExp[] = [
  /^(\s*snmp-server\s+community\s+)(\S+)(.*)$/i,
  /^(\s*snmp-server\s+host\s+\S+(?:\s+(?:vrf\s+\S+|traps?|informs?|version\s+(?:1|2c)))*\s+)(?!(?:version|traps?|informs?|vrf|udp-port)\b)(\S+)(.*)$/i,
  /^(\s*snmp-server\s+user\s.*?\sauth\s+(?:md5|sha\S*)\s+)(\S.*)$/i,
  /^(\s*createUser\s+(?:-e\s+\S+\s+)?\S+\s+(?:md5|sha\S*)\s+)(\S.*)$/i,
  /^(\s*com2sec6?\s+(?:-Cn\s+\S+\s+)?\S+\s+\S+\s+)(\S.*)$/i,
  /^(\s*(?:trapsink|trap2sink|informsink)\s+\S+\s+)(\S.*)$/i,
  /^(\s*(?:agentx|trapcommunity|r[ow]community6?)\s+)(\S+.*)$/i,
  /^(\s*(?:tacacs|radius)-server\b.*\skey\s+(?:\d\s+)?)(\S+)(.*)$/i,
  /^(\s*ip\s+nhrp\s+authentication\s+)(\S+)(.*)$/i,
  // `key 1` in a key chain is a number; a kind or a word is a server's secret.
  /^(\s+key\s+[05-8]\s+)(\S+)$/i,
  /^(\s+key\s+)(?!chain\b|\d+$)(\S+)$/i,
  new RegExp(
    `^(.*\\b(?:${NAMES})(?:\\s+(?:clear|md5|encryption(?=\\s+\\S)|hmac-[a-z0-9-]+|[0-9]))?\\s+)(?!encryption\\s*$)(\\S.*)$`,
    'i',
  ),
  /^(\s*crypto\s+isakmp\s+key\s+(?:\d\s+)?)(\S+)(.*)$/i,
  /^(.*\bmessage-digest-key \d+ md5 )(\S.*)$/i,
  /^(.*\bauthentication(?: mode)? (?:md5|text|string) )(\S.*)$/i,
  /^(.*\b(?:isis|ip ospf|ipv6 ospf6) authentication .*\bkey )(\S.*)$/i,
];

/** Names that prose uses too: they are those of secrets only as a leaf, or before `=` or `:`. */
const LEAF_NAMES = 'token|credentials?';

/** `password=x`, `password: x`, `"password": "x"`; a quoted value keeps its quotes, since the text may be JSON. */
const ASSIGNED = new RegExp(
  `(\\b(?:[\\w-]{0,40}[-_])?(?:${NAMES.replaceAll('-', '[-_]')}|${LEAF_NAMES}|snmp[-_]community)["']?\\s*[=:]\\s*)(?!(?:true|false|null|none|yes|no)\\b)("(?:[^"\\\\]|\\\\.)*"|'[^']*'|[^\\s,;&<>"'}\\])]+)`,
  'gi',
);
/** The header of RFC 9110 §11.6.2, as logs and command lines have it; its scheme is kept. */
const AUTHORIZATION =
  /(\b(?:proxy-)?authorization\\?["']?\s*[:=]\s*\\?["']?(?:basic|bearer|digest|negotiate|token|apikey)\s+)[^"'\\\r\n]+/gi;
const ELEMENT = new RegExp(
  `(<(?:[\\w.-]+:)?(?:[\\w.-]{0,40}-)?(?:${NAMES}|${LEAF_NAMES}|md5)(?:\\s[^<>]*)?>)([^<]+)(?=</)`,
  'gi',
);

/**
 * Leaves of YANG data whose value is a secret, by name, with or without a module. `key` is one in ietf-snmp, ietf-ospf and ietf-isis,
 * `text-name` and `binary-name` are communities of ietf-snmp. BGP's communities are none.
 */
const SECRET_LEAF = new RegExp(
  `^(?:[\\w.-]+:)?(?:(?:[\\w.-]*-)?(?:${NAMES}|${LEAF_NAMES})(?:-hash(?:ed)?)?|md5|key|text-name|binary-name|(?:(?:snmp|read|write|read-only|read-write|ro|rw|trap)-)?community(?:-string)?)$`,
  'i',
);

export function isSecretLeaf(name: string): boolean {
  return SECRET_LEAF.test(name);
}

/**
 * Part of every match of SECRETS, ASSIGNED, AUTHORIZATION, ELEMENT and of a secret's own form: text without one loses nothing, and most of
 * what a router prints every few seconds has none. A new pattern there needs its word here, and a line to the test.
 */
const SECRET_HINT = new RegExp(
  `pass|secret|psk|key|hexadecimal|token|credential|md5|auth|snmp|community|createuser|com2sec|sink|agentx|${FORM_HINT}`,
  'i',
);

export function redactLine(line: string): string {
  const rest = redactForms(line)
    .replace(AUTHORIZATION, `$1${REDACTED}`)
    .replace(ASSIGNED, assigned)
    .replace(ELEMENT, `$1${REDACTED}`);
  for (const pattern of SECRETS) {
    const found = pattern.exec(rest);
    if (found !== null) return `${found[1]}${REDACTED}${found[3] ?? ''}`;
  }
  return rest;
}

function assigned(_: string, before: string, value: string): string {
  const quote = /^["']/.exec(value)?.[0] ?? '';
  return `${before}${quote}${REDACTED}${quote}`;
}

/** Lines without their secrets: what a command printed, what a program complained about. */
export function redactText(text: string): string {
  if (!SECRET_HINT.test(text)) return text;
  return redactForms(text)
    .split('\n')
    .map((line) => (SECRET_HINT.test(line) ? redactLine(line) : line))
    .join('\n');
}

/** A configuration text, with the mark when something is missing from it. */
export function redactConfiguration(text: string): string {
  const redacted = redactText(text);
  return redacted === text ? text : `${REDACTED_MARK}\n${redacted}`;
}

/** True of text that lost something, here or on another system: it is no configuration. */
export function isRedacted(text: string): boolean {
  return /<(redacted|removed|secret|hidden)[^>]*>|\*{6,}/i.test(text);
}

export function redactData(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(redactData);
  if (typeof value === 'string') return redactForms(value);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretLeaf(name) ? redactLeaf(name, member) : redactData(member),
    ]),
  ) as JsonObject;
}

/** A leaf, or each value of a leaf-list; a switch (`secret: true`) tells nothing. A leaf-list `community` is BGP's. */
function redactLeaf(name: string, member: JsonValue): JsonValue {
  if (Array.isArray(member))
    return /(?:^|:)community$/i.test(name) ? redactData(member) : member.map((entry) => redactLeaf(name, entry));
  if (isJsonObject(member)) return redactData(member);
  return typeof member === 'boolean' || member === null ? member : REDACTED;
}
