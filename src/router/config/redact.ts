// Takes secrets out of configuration text before it leaves the configuration helper [NET-18]. Redacted text carries a mark
// that no edit and no push accepts, so that a placeholder can never become a password.

/** Stands in the place of a secret. */
export const REDACTED = '<redacted-by-parley>';

const MARK = `! ${REDACTED}: secrets are missing here, this text cannot be pushed back`;

/** What comes before a secret: the statement's words, and its kind where it has one. The rest of the line is the secret. */
const SECRETS: readonly RegExp[] = [
  /^(.*\b(?:password|passphrase|key-string|authentication-key|auth-key|secret|pre-shared-key|community)(?: (?:clear|md5|hmac-[a-z0-9-]+|[0-9]))?) (?!encryption)\S.*$/i,
  /^(.*\bmessage-digest-key \d+ md5) \S.*$/i,
  /^(.*\bauthentication(?: mode)? (?:md5|text|string)) \S.*$/i,
  /^(.*\bisis authentication .*\bkey) \S.*$/i,
];

/** Leaves of YANG data whose value is a secret, by name, with or without a module. */
const SECRET_LEAF =
  /^(?:[\w.-]+:)?(?:[\w.-]*-)?(?:password|passwd|secret|community|key-string|auth-key|md5-key|psk|private-key)$/i;

export function isSecretLeaf(name: string): boolean {
  return SECRET_LEAF.test(name);
}

export function redactLine(line: string): string {
  for (const secret of SECRETS) {
    const found = secret.exec(line);
    if (found !== null) return `${found[1]} ${REDACTED}`;
  }
  return line;
}

/** The text without its secrets, marked when there were any. */
export function redactText(text: string): string {
  const redacted = text.split('\n').map(redactLine).join('\n');
  return redacted === text ? text : `${MARK}\n${redacted}`;
}

export function isRedacted(text: string): boolean {
  return text.includes(REDACTED) || /<(redacted|removed|secret|hidden)[^>]*>|\*{6,}/i.test(text);
}
