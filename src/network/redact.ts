// Takes secrets out of device text and YANG data before anybody sees them (NET-18). What was redacted is marked, so that it is
// never taken for the configuration itself. Matches the words before a secret, not what secrets look like.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';

export const REDACTED = '<redacted>';
/** First line of a configuration in which something was redacted. */
export const REDACTED_MARK = '! secrets are redacted: this text cannot be restored as configuration';

/** Words of FRR's, IOS's and SNMP's configuration that a secret follows; what stands in between is kept. */
const SECRETS: readonly RegExp[] = [
  /^(\s*(?:neighbor|no neighbor) \S+ password (?:[0-9] )?)(.+)$/,
  /^(\s*(?:isis|area-password|domain-password|authentication|ip ospf|ipv6 ospf6)\b.*\b(?:password|clear|md5|key|text)\s+(?:[0-9] )?)(\S+.*)$/,
  /^(\s*(?:area-password|domain-password) (?:md5|clear) )(\S+.*)$/,
  /^(\s*(?:enable )?(?:password|secret)(?: [0-9])? )(.+)$/,
  /^(\s*ip ospf authentication-key )(.+)$/,
  /^(\s*ip ospf message-digest-key \d+ md5 )(.+)$/,
  /^(\s*ip rip authentication string )(.+)$/,
  /^(\s*(?:key-string|pre-shared-key|psk)(?: [0-9])? )(.+)$/,
  /^(\s*snmp-server community )(\S+)(.*)$/,
  /^(\s*(?:agentx|rocommunity|rwcommunity)\s+)(\S+.*)$/,
  /^(\s*username \S+ (?:.* )?(?:password|secret)(?: [0-9])? )(.+)$/,
];

const SECRET_LEAF =
  /^(?:[\w-]+:)?(?:.*-)?(?:password|secret|passwd|community|key-string|auth-key|md5-key|psk|private-key)$/i;

export function redactText(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      for (const pattern of SECRETS) {
        const found = pattern.exec(line);
        if (found) return `${found[1]}${REDACTED}${found[3] ?? ''}`;
      }
      return line;
    })
    .join('\n');
}

/** A configuration text, with the mark when something is missing from it. */
export function redactConfiguration(text: string): string {
  const redacted = redactText(text);
  return redacted === text ? text : `${REDACTED_MARK}\n${redacted}`;
}

export function redactData(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(redactData);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_LEAF.test(name) && !isJsonObject(member) && !Array.isArray(member) ? REDACTED : redactData(member),
    ]),
  ) as JsonObject;
}
