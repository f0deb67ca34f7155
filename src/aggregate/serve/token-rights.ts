// What an access token leaves of what its holder may do here (AX-15, TS-29). The certificate's own rights are decided elsewhere; a token only narrows.
import { type AccessTarget, tokenRuling } from '#model/access.ts';
import type { Party } from '#model/identity.ts';
import type { Safety } from '../names/capability.ts';

/** Why a party's token does not permit this; undefined where it does, and for a party without one. */
export function tokenDenial({ token }: Party, target: AccessTarget): string | undefined {
  if (token === undefined) return undefined;
  if (target.kind === 'tool' && target.mutability !== 'read' && token.ceiling === 'observer')
    return `tokens of ${token.issuer} permit reading only`;
  const { permit, by } = tokenRuling(token, target.kind === 'tool' ? 'exec' : 'read', target);
  return permit ? undefined : `expected a token whose scopes permit this, decided by ${by}`;
}

/** A tool by its name with dots. What does not say that it only reads counts as one that changes. */
export function toolTarget(name: string, safety: Safety): AccessTarget {
  return { kind: 'tool', name, mutability: safety === 'read' ? 'read' : 'write' };
}
