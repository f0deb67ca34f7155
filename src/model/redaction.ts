// Takes secrets out of device text and YANG data before anybody sees them [NET-18]: the one place, for results, logs, reports and what the
// helpers hand out. Matches the words before a secret, not what secrets look like. What was redacted is marked, and marked text is never
// taken for configuration: a placeholder must not become a password. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';

/** Stands in the place of a secret. */
export const REDACTED = '<redacted>';
/** First line of a configuration in which something was redacted. */
export const REDACTED_MARK = `! ${REDACTED}: secrets are missing here, this text cannot be pushed back`;

/** Words of FRR's, IOS's and SNMP's configuration that a secret follows, with its kind; what comes before and after is kept. */
const SECRETS: readonly RegExp[] = [
  /^(\s*snmp-server community )(\S+)(.*)$/i,
  /^(\s*(?:agentx|rocommunity|rwcommunity)\s+)(\S+.*)$/i,
  /^(.*\b(?:password|passphrase|passwd|key-string|authentication-key|auth-key|secret|pre-shared-key|psk|md5-key)(?: (?:clear|md5|hmac-[a-z0-9-]+|[0-9]))? )(?!encryption)(\S.*)$/i,
  /^(.*\bmessage-digest-key \d+ md5 )(\S.*)$/i,
  /^(.*\bauthentication(?: mode)? (?:md5|text|string) )(\S.*)$/i,
  /^(.*\b(?:isis|ip ospf|ipv6 ospf6) authentication .*\bkey )(\S.*)$/i,
];

/** Leaves of YANG data whose value is a secret, by name, with or without a module. */
const SECRET_LEAF =
  /^(?:[\w.-]+:)?(?:[\w.-]*-)?(?:password|passwd|secret|community|key-string|auth-key|md5-key|psk|private-key)$/i;

export function isSecretLeaf(name: string): boolean {
  return SECRET_LEAF.test(name);
}

export function redactLine(line: string): string {
  for (const pattern of SECRETS) {
    const found = pattern.exec(line);
    if (found !== null) return `${found[1]}${REDACTED}${found[3] ?? ''}`;
  }
  return line;
}

/** Lines without their secrets: what a command printed, what a program complained about. */
export function redactText(text: string): string {
  return text.split('\n').map(redactLine).join('\n');
}

/** A configuration text, with the mark when something is missing from it. */
export function redactConfiguration(text: string): string {
  const redacted = redactText(text);
  return redacted === text ? text : `${REDACTED_MARK}\n${redacted}`;
}

/** True of text that lost something, here or at somebody else's hands: it is no configuration. */
export function isRedacted(text: string): boolean {
  return /<(redacted|removed|secret|hidden)[^>]*>|\*{6,}/i.test(text);
}

export function redactData(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(redactData);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretLeaf(name) && !isJsonObject(member) && !Array.isArray(member) ? REDACTED : redactData(member),
    ]),
  ) as JsonObject;
}
