// Attacks on access tokens (RFC 8725, RFC 8705, RFC 9068): each is refused with a reason that says what was wrong [TS-29].
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createLocalJWKSet, exportJWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { systemRandom } from '#base/random.ts';
import type { Party } from '#model/identity.ts';
import type { Identity } from '#mtls/identity.ts';
import { createTokenDoor, type TokenDoor, type TokenVerdict } from '#mtls/tokens/door.ts';
import { issueToken } from '#mtls/tokens/issue.ts';
import { CHAIN_HEADER, providerIssuer, registrarIssuer, type TokenIssuer } from '#mtls/tokens/issuers.ts';
import { TOKEN_LIMITS } from '#mtls/tokens/limits.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { createFakeClock, type FakeClock } from '../../fakes/clock.ts';
import { createDomain, type Domain } from '../domain.ts';

const AUDIENCE = 'https://pe1.lab.example:9514/mcp';
const IDP = 'https://idp.example';

let domain: Domain;
let registrar: Identity;
let other: Identity;
let holder: Party;
const clock: FakeClock = createFakeClock({ nowMs: Date.now() });
const idp = generateKeyPairSync('rsa', { modulusLength: 2048 });
let looked = 0;

before(async () => {
  domain = await createDomain();
  registrar = await domain.identity('reg1');
  other = await domain.identity('p2');
  holder = (await domain.identity('alice', { kind: 'operator', role: 'admin' })).party;
});
after(() => domain.remove());

function issuers(keysKnown = true): readonly TokenIssuer[] {
  const jwks = exportJWK(idp.publicKey).then((key) =>
    createLocalJWKSet({ keys: [{ ...key, kid: 'k1', use: 'sig', alg: 'RS256' }] }),
  );
  return [
    registrarIssuer({
      domain: 'lab.example',
      name: 'reg1',
      ceiling: 'operator',
      verifyChain: (chain) => verifyChain(chain, domain.caPem, clock.nowMs()),
    }),
    providerIssuer({
      issuer: IDP,
      ceiling: 'observer',
      scopes: { 'net-read': ['parley:class:read'] },
      keys: {
        current: () =>
          keysKnown
            ? (Object.assign(async (...args: Parameters<Awaited<typeof jwks>>) => (await jwks)(...args), {
                jwks: () => undefined,
              }) as never)
            : undefined,
        lookAgain: () => {
          looked += 1;
        },
      },
    }),
  ];
}

function door(more: Partial<Parameters<typeof createTokenDoor>[0]> = {}): TokenDoor {
  const audiences = [AUDIENCE, 'parley://lab.example/pe1'];
  return createTokenDoor({ issuers: issuers(), audiences, needsToken: () => false, onParty: () => {}, clock, ...more });
}

const seconds = () => Math.floor(clock.nowMs() / 1_000);
const x5t = (thumbprint: string) => Buffer.from(thumbprint, 'hex').toString('base64url');

/** A token of the identity provider that holds, but for what is given. */
function made(
  claims: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> & Record<string, unknown> = {},
  key: KeyObject | Uint8Array = idp.privateKey,
): Promise<string> {
  const cnf = { 'x5t#S256': x5t(holder.thumbprint!) };
  const now = seconds();
  const all = {
    iss: IDP,
    sub: 'alice',
    aud: AUDIENCE,
    iat: now,
    exp: now + 300,
    jti: 'j1',
    scope: 'net-read',
    cnf,
    ...claims,
  };
  return new SignJWT(JSON.parse(JSON.stringify(all)))
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'k1', ...header })
    .sign(key);
}

async function reasonFor(token: string, at: TokenDoor = door(), party = holder): Promise<string> {
  const verdict: TokenVerdict = await at.admit(party, `Bearer ${token}`);
  assert.equal(verdict.ok, false, 'the token was taken');
  assert.equal(verdict.ok ? '' : verdict.error, 'invalid_token');
  return verdict.ok ? '' : verdict.reason;
}

/** Header and claims of a token, signed by nothing. */
function unsigned(token: string, header: object, signature = ''): string {
  const [, payload] = token.split('.');
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.${signature}`;
}

test('a good token of either issuer is taken, with its scopes and the ceiling of its issuer [TS-29]', async () => {
  const ofIdp = await door().admit(holder, `Bearer ${await made()}`);
  assert.deepEqual(ofIdp.ok && [ofIdp.party.token?.ceiling, ofIdp.party.token?.scopes], [
    'observer',
    [{ kind: 'class', mutability: 'read' }],
  ]);
  const token = await issueToken({
    ...{ identity: registrar, holder, thumbprint: holder.thumbprint!, audience: 'parley://lab.example/pe1' },
    ...{ scopes: ['parley:tool:network.*'], seconds: 120, clock, random: systemRandom },
  });
  const ofRegistrar = await door().admit(holder, `Bearer ${token}`);
  assert.equal(ofRegistrar.ok && ofRegistrar.party.token?.issuer, 'parley://lab.example/reg1');
  assert.equal(ofRegistrar.ok && ofRegistrar.party.name, 'alice', 'the certificate says who it is, not the token');
});

test('a good token in another spelling is refused: blanks and stray bits in base64url say the same [TS-29]', async () => {
  const token = await made();
  const [head = '', body = '', signature = ''] = token.split('.');
  // RS256 has 256 octets: the last character carries four bits that mean nothing.
  const stray = signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1);
  assert.deepEqual(Buffer.from(stray, 'base64url'), Buffer.from(signature, 'base64url'));
  for (const other of [`${signature.slice(0, 9)}\f${signature.slice(9)}`, stray, `${signature}==`])
    assert.match(await reasonFor(`${head}.${body}.${other}`), /signed JWT, got something else$/);
});

test('none, HS256 under the public key, and keys that the token itself brings sign nothing [TS-29]', async () => {
  const good = await made();
  const none = { alg: 'none', typ: 'at+jwt', kid: 'k1' };
  assert.match(await reasonFor(unsigned(good, none)), /expected a token signed with .*, got "none"/);
  for (const alg of [7, { a: 1 }, ['RS256']])
    assert.match(await reasonFor(unsigned(good, { ...none, alg })), /algorithm of a token as a text/);
  assert.match(await reasonFor(unsigned(good, { ...none, alg: null })), /got "none"/);
  const pem = idp.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const head = { alg: 'HS256', typ: 'at+jwt', kid: 'k1' };
  const input = unsigned(good, head).slice(0, -1);
  const forged = `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
  assert.match(await reasonFor(forged), /expected a token signed with .*, got "HS256"/);
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = await exportJWK(own.publicKey);
  const brought = await made({}, { jwk, jku: 'https://evil.example/keys' }, own.privateKey);
  assert.match(await reasonFor(brought), /signature holds, it does not/);
  const x5c = await made({}, { x5c: [new X509Certificate(registrar.certPem).raw.toString('base64')] }, own.privateKey);
  assert.match(await reasonFor(x5c), /signature holds, it does not/);
});

test('a token that names several resources is taken: its certificate keeps each of them from acting with it [TS-29]', async () => {
  const aud = [AUDIENCE, 'https://pe2.lab.example:9514/mcp'];
  assert.equal((await door().admit(holder, `Bearer ${await made({ aud })}`)).ok, true);
  assert.match(await reasonFor(await made({ aud: aud.slice(1) })), /for this node \(aud\), got one for another/);
  assert.match(await reasonFor(await made({ aud, cnf: undefined })), /a token with cnf, it has none/);
});

test('another audience, a missing one, another issuer, an ID token [TS-29]', async () => {
  assert.match(
    await reasonFor(await made({ aud: 'https://pe2.lab.example:9514/mcp' })),
    /for this node \(aud\), got one for another/,
  );
  assert.match(await reasonFor(await made({ aud: `${AUDIENCE}/` })), /for this node \(aud\)/);
  assert.match(await reasonFor(await made({ aud: undefined })), /a token with aud, it has none/);
  assert.match(await reasonFor(await made({ iss: 'https://evil.example' })), /an issuer that this node trusts/);
  assert.match(await reasonFor(await made({ iss: `${IDP}/` })), /an issuer that this node trusts/);
  assert.match(
    await reasonFor(await made({}, { typ: 'JWT' })),
    /an access token \(typ at\+jwt\), got a token of another kind/,
  );
});

test('a token without a binding, or with one that is not understood, or of another certificate [TS-29]', async () => {
  const own = x5t(holder.thumbprint!);
  const refused = /bound to a certificate \(cnf with x5t#S256 alone\), got another/;
  for (const cnf of [
    {},
    { jkt: own },
    { 'x5t#S256': own, jkt: own },
    { 'x5t#S256': `${own}=` },
    { 'x5t#S256': holder.thumbprint },
    own,
  ])
    assert.match(await reasonFor(await made({ cnf })), refused);
  assert.match(await reasonFor(await made({ cnf: undefined })), /a token with cnf, it has none/);
  const ofOther = await made({ cnf: { 'x5t#S256': x5t(other.thumbprint) } });
  assert.match(await reasonFor(ofOther), /certificate of this connection, got one of another/);
  const { thumbprint: _, ...local } = holder;
  assert.match(await reasonFor(await made(), door(), local), /over mutual TLS, got one without/);
  assert.match(await reasonFor(await made(), door(), other.party), /no token of a node/);
});

test('ended, not begun, issued in the future, for too long; a verified one ends as well [TS-29]', async () => {
  const now = seconds();
  assert.match(await reasonFor(await made({ iat: now - 400, exp: now - 31 })), /it has ended/);
  assert.match(await reasonFor(await made({ nbf: now + 60 })), /its time has not come/);
  assert.match(await reasonFor(await made({ iat: now + 60 })), /issued already, got one of later/);
  assert.match(await reasonFor(await made({ exp: now + 3_600 })), /a life of at most 600 s, got 3600 s/);
  const at = door();
  const token = await made({ exp: now + 60 });
  const taken = await at.admit(holder, `Bearer ${token}`);
  assert.equal(taken.ok && taken.party.token?.isInForce(), true);
  await clock.advance(91_000);
  assert.equal(taken.ok && taken.party.token?.isInForce(), false, 'its session permits nothing any more');
  assert.match(await reasonFor(token, at), /it has ended/);
});

test('a renewed token with the same scopes keeps the session of the one before; another scope is another grant [TS-29]', async () => {
  const at = door();
  const first = await at.admit(holder, `Bearer ${await made({ exp: seconds() + 60 })}`);
  await clock.advance(50_000);
  const second = await at.admit({ ...holder }, `Bearer ${await made({ jti: 'j2' })}`);
  const third = await at.admit(holder, `Bearer ${await made({ scope: 'net-read parley:class:probe', jti: 'j3' })}`);
  await clock.advance(60_000);
  assert.equal(first.ok && first.party.token?.isInForce(), true);
  assert.equal(first.ok && second.ok && first.party.token?.key === second.party.token?.key, true);
  assert.equal(first.ok && third.ok && first.party.token?.key === third.party.token?.key, false);
});

test('an unknown key is refused at once and looked for aside; so are all tokens while no keys are known [TS-29]', async () => {
  looked = 0;
  assert.match(await reasonFor(await made({}, { kid: 'k2' })), /unknown here: try again in a minute/);
  assert.match(
    await reasonFor(await made(), door({ issuers: issuers(false) })),
    /not known here yet, or too old: try again/,
  );
  assert.equal(looked, 2);
});

test('huge tokens, and what is no JWT, are refused before anything is decoded [TS-29]', async () => {
  const long = await made({ pad: 'x'.repeat(TOKEN_LIMITS.tokenChars) });
  assert.match(await reasonFor(long), /at most 8192 characters/);
  for (const text of ['x', 'a.b', 'a.b.c', '..', 'e30.e30.'])
    assert.match(
      await reasonFor(text),
      /expected (Authorization: Bearer|an access token as a signed JWT|a token of an issuer)/,
    );
  const many = Array.from({ length: 65 }, (_, index) => `parley:tool:t${index}`).join(' ');
  assert.match(await reasonFor(await made({ scope: many })), /at most 64 scopes/);
  assert.match(
    await reasonFor(await made({ scope: 'parley:write:nonsense' })),
    /expected a module before the first step/,
  );
});

test('a token of the registrar needs the registrar: its name, its key, the domain’s CA [TS-29]', async () => {
  const init = {
    holder,
    thumbprint: holder.thumbprint!,
    audience: AUDIENCE,
    scopes: ['parley:class:read'],
    seconds: 60,
  };
  const common = { ...init, clock, random: systemRandom };
  const named = (identity: Pick<Identity, 'party' | 'chain' | 'signingKey'>) => issueToken({ ...common, identity });
  const posing = await named({ ...other, party: registrar.party });
  assert.match(await reasonFor(posing), /that reg1 signed, got one of node\/p2/);
  const borrowed = await named({ ...registrar, signingKey: other.signingKey });
  assert.match(await reasonFor(borrowed), /signature holds, it does not/);
  const foreign = await createDomain('lab.example');
  const fake = await foreign.identity('reg1');
  assert.match(await reasonFor(await named(fake)), /certificate of the token's issuer/);
  await foreign.remove();
  const withoutChain = await new SignJWT({})
    .setIssuer('parley://lab.example/reg1')
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt' })
    .sign(registrar.signingKey);
  assert.match(await reasonFor(withoutChain), /certificates of reg1 in the token's header/, CHAIN_HEADER);
});

test('scopes of others alone permit nothing: 403 insufficient_scope [TS-29]', async () => {
  const verdict = await door().admit(holder, `Bearer ${await made({ scope: 'openid profile' })}`);
  assert.equal(!verdict.ok && verdict.error, 'insufficient_scope');
});
