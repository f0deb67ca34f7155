// The tokens of a registrar node (TS-29): signed with the node's Ed25519 key, for one audience, bound to one certificate, for minutes. A token
// gives no more than its holder's certificate has at the node that it is for.
import type { Clock } from '#base/clock.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { Party } from '#model/identity.ts';
import type { Identity } from '../identity.ts';
import { partyUri } from '../party.ts';
import { CHAIN_HEADER } from './issuers.ts';

export type IssueTokenInit = {
  readonly identity: Pick<Identity, 'party' | 'chain' | 'signingKey'>;
  /** Who may use it, and the certificate that it is bound to: SHA-256, lower-case hex. */
  readonly holder: Pick<Party, 'kind' | 'domain' | 'name'>;
  readonly thumbprint: string;
  /** The node that it is for: one of its names as a resource. */
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly seconds: number;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
};

const ID_BYTES = 16;

export async function issueToken(init: IssueTokenInit): Promise<string> {
  const { identity, thumbprint, clock } = init;
  const issuedAt = Math.floor(clock.nowMs() / 1_000);
  const { SignJWT } = await import('jose');
  return new SignJWT({
    scope: init.scopes.join(' '),
    client_id: partyUri(init.holder),
    cnf: { 'x5t#S256': Buffer.from(thumbprint, 'hex').toString('base64url') },
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', [CHAIN_HEADER]: [...identity.chain] })
    .setIssuer(partyUri(identity.party))
    .setSubject(partyUri(init.holder))
    .setAudience(init.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + init.seconds)
    .setJti(randomHex(init.random, ID_BYTES))
    .sign(identity.signingKey);
}
