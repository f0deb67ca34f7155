// What an access token may do (TS-29): its scopes, as OAuth carries them in one text (RFC 6749 §3.3), and as values. A token only narrows what
// its holder's certificate may do (model/access.ts). Scopes of others are passed over; one of ours that cannot be read refuses the token.
import { bad, ok, type Result } from '#base/result.ts';
import { type PathStep, parsePath } from '../router/yang-path.ts';

export type TokenScope =
  | { readonly kind: 'tool' /** A name, or its beginning and `*`. */; readonly name: string }
  | { readonly kind: 'class'; readonly mutability: 'read' | 'probe' | 'write' }
  | { readonly kind: 'resource' /** A URI, or its beginning and `*`. */; readonly uri: string }
  | {
      readonly kind: 'data' /** `write` covers reading as well. */;
      readonly use: 'read' | 'write';
      readonly path: readonly PathStep[];
    };

/** Who gave a token to whom, and what it lets its holder do here. */
export type TokenGrant = {
  readonly issuer: string;
  readonly subject: string;
  /** `jti` of the first token with this grant. */
  readonly id: string;
  /** Same issuer, subject and scopes: a renewed token continues the sessions of the one before. */
  readonly key: string;
  readonly scopes: readonly TokenScope[];
  /** At most what an operator of this role may do here, whatever the certificate says. */
  readonly ceiling: 'observer' | 'operator' | 'admin';
  /** False once the latest token with this grant has ended. */
  isInForce(): boolean;
};

/** Of every scope that is ours. */
export const SCOPE_PREFIX = 'parley:';

/** Scopes of one token, and characters of their text. */
const SCOPES = 64;
const SCOPE_CHARS = 4_096;

/** RFC 6749 §3.3: printable, without space, quote and backslash. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const CLASSES = ['read', 'probe', 'write'] as const;

/** `also`: scopes of the issuer's own words, and which of ours each stands for. */
export function parseScopes(
  text: string,
  also: Readonly<Record<string, readonly string[]>> = {},
): Result<readonly TokenScope[]> {
  if (text.length > SCOPE_CHARS) return bad(`expected scopes of at most ${SCOPE_CHARS} characters, got more`);
  const words = text.split(' ').filter((word) => word !== '');
  const ours = words.flatMap((word) => (Object.hasOwn(also, word) ? also[word]! : [word]));
  const wanted = [...new Set(ours)].filter((word) => word.startsWith(SCOPE_PREFIX));
  if (wanted.length > SCOPES) return bad(`expected at most ${SCOPES} scopes, got ${wanted.length}`);
  const scopes: TokenScope[] = [];
  for (const word of wanted) {
    const scope = parseScope(word);
    if (!scope.ok) return scope;
    scopes.push(scope.value);
  }
  return ok(scopes);
}

/** `parley:tool:NAME`, `parley:class:read`, `parley:resource:URI`, `parley:read:/PATH`, `parley:write:/PATH`. */
export function parseScope(word: string): Result<TokenScope> {
  const [, kind = '', rest = ''] = /^parley:([a-z]+):(.+)$/.exec(word) ?? [];
  if (!SCOPE_TOKEN.test(word) || rest === '') return unreadable(word);
  if (kind === 'tool') return ok({ kind, name: rest });
  if (kind === 'resource') return ok({ kind, uri: rest });
  if (kind === 'class') {
    const mutability = CLASSES.find((each) => each === rest);
    return mutability === undefined ? unreadable(word) : ok({ kind, mutability });
  }
  if (kind !== 'read' && kind !== 'write') return unreadable(word);
  const path = parsePath(rest);
  return path.ok ? ok({ kind: 'data', use: kind, path: path.value }) : bad(`scope ${shown(word)}: ${path.reason}`);
}

function unreadable(word: string): Result<TokenScope> {
  return bad(
    `expected parley:tool:NAME, parley:class:read, parley:resource:URI, parley:read:/PATH or parley:write:/PATH, got ${shown(word)}`,
  );
}

function shown(word: string): string {
  return JSON.stringify(word.slice(0, 80));
}
