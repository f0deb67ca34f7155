// Values that are secrets by their own form, whatever the name of the leaf or the words before them [NET-18]: private keys, passwords in URLs,
// password hashes, encoded passwords, web tokens, and long keys right behind a word such as "secret". Digests, thumbprints, addresses and
// identifiers have none of these forms. Peers and devices choose the text, so every form takes time linear in its length: what may be of any
// length begins at a boundary that is none of its own characters, and is read once. Pure.

/** Stands in the place of a secret. */
export const REDACTED = '<redacted>';

/** Part of every match below. */
export const FORM_HINT = ':\\/\\/|private key|\\$|\\b7\\s|eyJ|secret|key|pass|psk|md5';
const HINT = new RegExp(FORM_HINT, 'i');

const KEY_BEGIN = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----/g;
/** What may be of a key whose end is missing: headers and base64, lines parted as in text or in JSON. */
const KEY_REST =
  /(?:(?:\s|\\[nr])*(?:[A-Za-z-]{2,20}: [^\n\\]{0,200}|[A-Za-z0-9+/=]{16,}))*(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{1,15}(?![\w-]))?/y;
/** `scheme://user:password@host`. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#:@"'<>]*:)([^\s/?#"'<>]+)(?=@)/gi;
/**
 * `$1$salt$hash` as crypt(5) writes it, with or without parameters, `$8$` and `$9$` of IOS, and `$9$` of Junos, which can be decoded. The longest
 * id is `$scrypt$`; a shell's `$1` or an amount of money has no second `$`.
 */
const CRYPT = /\$(?:[0-9]{1,2}|2[abxy]|y|gy|apr1|md5|sha1|scrypt|argon2(?:id?|d))\$[./A-Za-z0-9$=,+_-]{6,}/g;
/** Type 7 of IOS: a salt of 00 to 15 and at least three octets. A number has no letter, and what decodes to no text is something else. */
const TYPE_7 = /(\b7\s+["']?)((?:0\d|1[0-5])(?=[0-9A-F]*[A-F])(?:[0-9A-F]{2}){3,})(?![0-9A-Za-z])/g;
const TYPE_7_PAD = 'dsfd;kfoA,.iyewrkldJKDHSUBsgvca69834ncxv9873254k;fg87';
/** RFC 7519: header, claims and signature. From the beginning of a run only: from each `eyJ` inside one the time would grow with its square. */
const WEB_TOKEN = /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}/g;
const BASE64_MIXED = '(?!\\/)(?=[A-Za-z0-9+/]*\\d)(?=[A-Za-z0-9+/]*[a-z])(?=[A-Za-z0-9+/]*[A-Z])';
const BETWEEN = '\\\\?["\']?(?:\\s*[=:]\\s*|\\s+(?:\\d{1,2}\\s+)?)\\\\?["\']?';
/** At least 16 hex digits, or 20 characters of base64 with digits and letters of both cases, right behind a word that only secrets have. */
const NAMED_SECRET = new RegExp(
  `(\\b(?:[Ss]ecret|SECRET|[Pp]ass(?:word|phrase)?|PASSWORD|[Pp]sk|PSK)${BETWEEN})(?:(?:0x)?[0-9a-fA-F]{16,}|${BASE64_MIXED}[A-Za-z0-9+/]{20,}={0,2})(?![\\w:./-])`,
  'g',
);
/**
 * "key" is also what an identifier or a digest is called, and both are hex: behind it only 24 octets and more of base64 are a secret, not a public
 * key or the fingerprint of one, which say so.
 */
const NAMED_KEY = new RegExp(
  `((?<!(?:public|host|ssh|PUBLIC|Public|Host|SSH)[-_ ])\\b(?:[Kk]ey|KEY)${BETWEEN})(?:${BASE64_MIXED}[A-Za-z0-9+/]{32,}={0,2})(?![\\w:./-])`,
  'g',
);
/** The key of an authentication statement. Elsewhere "md5" comes before a checksum, which has the same form. */
const MD5_KEY =
  /(\b(?:message-digest-key\s+\d{1,3}|authentication(?:\s+mode)?|password|auth)\s+md5\s+)[0-9a-f]{16,}(?![\w:./-])/gi;

/** What is a secret by its own form, without a word before it. */
export function redactForms(text: string): string {
  if (!HINT.test(text)) return text;
  return redactKeys(text)
    .replace(URL_PASSWORD, `$1${REDACTED}`)
    .replace(CRYPT, REDACTED)
    .replace(TYPE_7, (whole, before: string, encoded: string) => (isType7(encoded) ? `${before}${REDACTED}` : whole))
    .replace(WEB_TOKEN, REDACTED)
    .replace(NAMED_SECRET, `$1${REDACTED}`)
    .replace(NAMED_KEY, `$1${REDACTED}`)
    .replace(MD5_KEY, `$1${REDACTED}`);
}

/** True where the octets, combined with the pad from the salt on, are printable. */
function isType7(encoded: string): boolean {
  const salt = Number(encoded.slice(0, 2));
  const octets = [...Buffer.from(encoded.slice(2), 'hex')];
  return octets.every((octet, index) => {
    const char = octet ^ TYPE_7_PAD.charCodeAt((salt + index) % TYPE_7_PAD.length);
    return char >= 0x20 && char <= 0x7e;
  });
}

/** Private keys, as a whole or cut short. Certificates and public keys are no secrets. */
function redactKeys(text: string): string {
  let kept = '';
  let from = 0;
  for (const { 0: line, 1: label = '', index } of text.matchAll(KEY_BEGIN)) {
    if (index < from) continue;
    const body = index + line.length;
    const next = text.indexOf('-----', body);
    const last = `-----END ${label}-----`;
    kept += `${text.slice(from, index)}${line} ${REDACTED} ${last}`;
    if (next >= 0 && text.startsWith(last, next)) {
      from = next + last.length;
      continue;
    }
    KEY_REST.lastIndex = body;
    KEY_REST.test(text);
    from = Math.max(body, KEY_REST.lastIndex);
  }
  return kept + text.slice(from);
}
