// Tokens of a real identity provider (oidc-provider over TLS): discovery, keys that change, metadata that lies, an address that hangs [TS-29].
import assert from 'node:assert/strict';
import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider } from 'oidc-provider';
import { createLog } from '#base/log.ts';
import type { Identity } from '#mtls/identity.ts';
import { createTokenDoor } from '#mtls/tokens/door.ts';
import { createIssuerKeys } from '#mtls/tokens/issuer-keys.ts';
import { providerIssuer } from '#mtls/tokens/issuers.ts';
import { TOKEN_LIMITS } from '#mtls/tokens/limits.ts';
import { createFakeClock, until } from '../../fakes/clock.ts';
import { createDomain, type Domain } from '../domain.ts';

const AUDIENCE = 'https://pe1.lab.example:9514/mcp';
const SECRET = randomBytes(24).toString('base64url');

let domain: Domain;
let alice: Identity;
let bob: Identity;
let server: ReturnType<typeof createServer>;
let issuer: string;
/** What answers at the provider's address now. */
let serve: RequestListener = (_request, response) => response.writeHead(503).end();

before(async () => {
  domain = await createDomain();
  const own = await domain.identity('idp', { dnsNames: ['localhost'] });
  alice = await domain.identity('alice', { kind: 'operator' });
  bob = await domain.identity('bob', { kind: 'operator' });
  const tls = { cert: own.certPem, key: own.keyPem, requestCert: true, rejectUnauthorized: false };
  server = createServer(tls, (incoming, response) => serve(incoming, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await domain.remove();
});

async function signingKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' };
}

/** An identity provider that binds tokens to the certificate of the connection on which they were asked for (RFC 8705). */
function providerWith(key: JWK): RequestListener {
  const resourceServer = (_context: unknown, audience: string) => ({
    ...{ audience, scope: 'net-read', accessTokenTTL: 300, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } },
  });
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: 'mcp-host', client_secret: SECRET, redirect_uris: [], response_types: [] },
        ...{ grant_types: ['client_credentials'], tls_client_certificate_bound_access_tokens: true },
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [key] },
    scopes: ['net-read'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      mTLS: {
        enabled: true,
        certificateBoundAccessTokens: true,
        getCertificate: ({ socket }: { readonly socket: TLSSocket }) =>
          new X509Certificate(socket.getPeerCertificate(false).raw),
      },
      resourceIndicators: { enabled: true, getResourceServerInfo: resourceServer },
    },
  });
  return provider.callback();
}

async function tokenFor({ certPem, keyPem }: Identity, resource = AUDIENCE): Promise<string> {
  const sent = request(`${issuer}/token`, {
    ...{ method: 'POST', ca: domain.caPem, cert: certPem, key: keyPem, agent: false },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    auth: `mcp-host:${SECRET}`,
  });
  sent.end(new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'net-read' }).toString());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of response) text += String(piece);
  const { access_token: token } = JSON.parse(text) as { readonly access_token?: string };
  assert.ok(token, text);
  return token;
}

function opened(t: TestContext, of = issuer) {
  const clock = createFakeClock({ nowMs: Date.now() });
  const lines: string[] = [];
  const log = createLog({ level: 'info', sink: (line) => void lines.push(line), now: () => 0 });
  const keys = createIssuerKeys({ issuer: of, caPem: domain.caPem, clock, log });
  t.after(() => keys.stop());
  const scopes = { 'net-read': ['parley:class:read'] };
  const door = createTokenDoor({
    issuers: [providerIssuer({ issuer: of, ceiling: 'observer', scopes, keys })],
    audiences: [AUDIENCE],
    needsToken: () => false,
    onParty: () => {},
    clock,
  });
  const admit = async (token: string, identity = alice) => {
    const verdict = await door.admit(identity.party, `Bearer ${token}`);
    return verdict.ok ? 'taken' : verdict.reason;
  };
  return { clock, keys, admit, lines };
}

test('a token of the provider is taken over the certificate that it was asked for with, and over no other [TS-29]', async (t) => {
  serve = providerWith(await signingKey('k1'));
  const { keys, admit } = opened(t);
  const token = await tokenFor(alice);
  assert.match(await admit(token), /not known here yet/, 'no call waits for the keys');
  await keys.start();
  await until(() => keys.current() !== undefined, 'the keys were fetched');
  assert.equal(await admit(token), 'taken');
  assert.match(await admit(token, bob), /certificate of this connection, got one of another/);
  assert.match(await admit(await tokenFor(alice, 'https://p2.lab.example:9514/mcp')), /for this node \(aud\)/);
});

test('keys that change are fetched aside: the first token under a new key is refused, a later one is taken [TS-29]', async (t) => {
  serve = providerWith(await signingKey('k1'));
  const { keys, admit, clock } = opened(t);
  await keys.start();
  await until(() => keys.current() !== undefined, 'the keys were fetched');
  const before = keys.current();
  serve = providerWith(await signingKey('k2'));
  const token = await tokenFor(alice);
  assert.match(await admit(token), /under a key that is unknown here/);
  assert.equal(keys.current(), before, 'fetched a moment ago, and so not again');
  await clock.advance(TOKEN_LIMITS.issuerRetryMs);
  assert.match(await admit(await tokenFor(alice)), /under a key that is unknown here/);
  await until(() => keys.current() !== before, 'the new keys were fetched');
  assert.equal(await admit(await tokenFor(bob), bob), 'taken');
});

test('a provider that is away for a day is believed no longer, and until then its keys stay [TS-29]', async (t) => {
  serve = providerWith(await signingKey('k1'));
  const { keys, clock, lines } = opened(t);
  await keys.start();
  await until(() => keys.current() !== undefined, 'the keys were fetched');
  serve = (_request, response) => response.writeHead(503).end();
  await clock.advance(TOKEN_LIMITS.issuerRefreshMs);
  await until(() => lines.some((line) => line.includes('could not be fetched')), 'the failure is in the log');
  assert.notEqual(keys.current(), undefined);
  await clock.advance(TOKEN_LIMITS.issuerKeysMaxMs);
  assert.equal(keys.current(), undefined);
});

test('metadata of another issuer, keys without TLS, none, too many, and a flood of bytes give no keys [TS-29]', async (t) => {
  const answer =
    (metadata: object, keys: object = {}): RequestListener =>
    (incoming, response: ServerResponse) =>
      response.end(JSON.stringify(incoming.url?.includes('openid') ? metadata : keys));
  const good = { issuer, jwks_uri: `${issuer}/jwks` };
  const secret = { kty: 'oct', k: 'AAAA', kid: 'k1' };
  const many = { keys: Array.from({ length: 17 }, () => ({ kty: 'EC', use: 'sig' })) };
  const cases: readonly (readonly [RequestListener, RegExp])[] = [
    [answer({ ...good, issuer: 'https://evil.example' }), /got that of another issuer/],
    [answer({ ...good, jwks_uri: 'http://localhost/jwks' }), /an https address of the keys/],
    [answer(good, { keys: [secret] }), /1 to 16 signing keys .* got 0/],
    [answer(good, many), /1 to 16 signing keys .* got 17/],
    [answer({ ...good, pad: 'x'.repeat(70_000) }), /more than 65536 bytes/],
    [(_incoming, response) => response.writeHead(302, { location: 'https://evil.example/' }).end(), /got status 302/],
  ];
  for (const [listener, reason] of cases) {
    serve = listener;
    const { keys, lines } = opened(t);
    await keys.start();
    await until(() => lines.length > 0, 'the failure is in the log');
    assert.match(lines.join('\n'), reason);
    assert.equal(keys.current(), undefined);
  }
});

test('a provider that accepts and never answers delays no call, and no end of the agent [TS-29]', async (t) => {
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => void sockets.push(socket));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { keys, admit } = opened(t, `https://localhost:${(silent.address() as AddressInfo).port}`);
  await keys.start();
  await until(() => sockets.length > 0, 'the provider was asked');
  serve = providerWith(await signingKey('k1'));
  assert.match(await admit(await tokenFor(alice)), /an issuer that this node trusts/);
  for (const socket of sockets) socket.destroy();
  silent.close();
});
