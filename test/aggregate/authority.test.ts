// Who may hold a namespace with tools that change something (AX-5): a certificate of the name, a JWT bound to the session, or neither.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createPeer } from '#aggregate/wire/peer.ts';
import type { JsonObject } from '#base/json.ts';
import { createAuthorityVerifier } from '#mtls/tokens/authority.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';
import {
  answerAs,
  CUT_TOOL,
  connectClient,
  createFakeServer,
  createTestAggregator,
  linkPair,
  NODE,
  READ_TOOL,
  uuid,
} from './harness.ts';

const clock = createFakeClock();
const keys = await generateKeyPair('EdDSA');
const strangers = await generateKeyPair('EdDSA');
const publicKey = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'EdDSA' };
const verifyAuthority = createAuthorityVerifier({
  keys: [publicKey as unknown as JsonObject],
  audience: 'root',
  nowMs: clock.nowMs,
});
const AUTHORITY = 'dns:edge.example';
const BOUND = Buffer.from(NODE.thumbprint!, 'hex').toString('base64url');

type Claims = {
  readonly sub?: string;
  readonly aud?: string;
  readonly bound?: string;
  readonly typ?: string;
  readonly lifeS?: number;
  /** When it says that it was issued, from now. */
  readonly issuedS?: number;
};

function jwt(
  { sub = AUTHORITY, aud = 'root', bound = BOUND, typ = 'mcpax-authority+jwt', lifeS = 60, issuedS = 0 }: Claims = {},
  key = keys.privateKey,
) {
  const nowS = Math.floor(clock.nowMs() / 1_000);
  return new SignJWT({ cnf: { 'x5t#S256': bound } })
    .setProtectedHeader({ alg: 'EdDSA', typ, kid: 'k' })
    .setSubject(sub)
    .setAudience(aud)
    .setIssuedAt(nowS + issuedS)
    .setExpirationTime(nowS + issuedS + lifeS)
    .sign(key);
}

/** Registers as `edge`; the detail of a refusal, or the client's view of the registered server. */
async function registered(more: JsonObject, names: readonly string[] = []) {
  const root = createTestAggregator(clock, { verifyAuthority, needsProof: true });
  const server = createFakeServer(clock, [READ_TOOL, CUT_TOOL]);
  const [own, theirs] = linkPair();
  root.serve(theirs, NODE, names);
  const peer = createPeer(own, clock);
  answerAs(server, peer);
  const params = { subserver_id: uuid(), segment: 'edge', heartbeat_interval_ms: 0, version: '2026-05-01', ...more };
  const { kind, text } = await peer.call({
    method: 'mcpax/register',
    paramsText: JSON.stringify(params),
    timeoutMs: undefined,
  }).answer;
  await settle();
  await settle();
  if (kind === 'error') return String((JSON.parse(text) as { data: JsonObject }).data['detail']);
  const client = connectClient(root, clock);
  return [
    await client.codeOf('tools/call', { name: 'edge.look' }),
    await client.codeOf('tools/call', { name: 'edge.cut' }),
  ];
}

const withProof = async (claims: Claims, key = keys.privateKey) =>
  registered({ authority: AUTHORITY, 'x-mcpax-authority-proof': await jwt(claims, key) });

/** Reading works; the tool that cuts waits for approval, or is refused. */
const MAY_CHANGE = [undefined, undefined];
const MAY_READ = [undefined, -32_083];

test('a JWT of the name, or a certificate of it, proves an authority [AX-5]', async () => {
  assert.deepEqual(await withProof({}), MAY_CHANGE);
  assert.deepEqual(await registered({ authority: AUTHORITY }, ['edge.example']), MAY_CHANGE);
  assert.deepEqual(await registered({}, ['edge']), MAY_CHANGE);
});

test('without a proven owner no tool is called that may change something [AX-5]', async () => {
  assert.deepEqual(await registered({}, ['other']), MAY_READ);
});

test('a JWT for another name, aggregator, session or purpose, of a stranger, too old or too long is refused [AX-5]', async () => {
  const other = Buffer.from('c'.repeat(64), 'hex').toString('base64url');
  for (const claims of [
    { sub: 'dns:core.example' },
    { aud: 'edge' },
    { bound: other },
    { typ: 'at+jwt' },
    { lifeS: -120 },
    { lifeS: 90_000 },
    { issuedS: 31_536_000 },
  ])
    assert.match(String(await withProof(claims)), /expected a JWT/, JSON.stringify(claims));
  assert.match(String(await withProof({}, strangers.privateKey)), /expected a JWT/);
  assert.match(
    String(await registered({ authority: AUTHORITY, 'x-mcpax-authority-proof': 'no.jwt' })),
    /expected a JWT/,
  );
  assert.match(String(await registered({ authority: AUTHORITY })), /not proven/);
});
