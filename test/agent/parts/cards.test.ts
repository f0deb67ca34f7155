// The cards of a node: one identity behind all of them, and a signature that anyone can verify by the certificate.
import assert from 'node:assert/strict';
import { verify, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import canonicalize from 'canonicalize';
import { createCards } from '#agent/parts/cards.ts';
import type { JsonObject } from '#base/json.ts';
import type { WebRequest } from '#model/web.ts';
import { verifyDetached } from '#sign/detached-jws.ts';
import { createDomain } from '../../mtls/domain.ts';

async function cardsOf(t: { after(work: () => Promise<void>): void }) {
  const domain = await createDomain();
  t.after(() => domain.remove());
  const identity = await domain.identity('pe1', { dnsNames: ['pe1.net.example'] });
  const listen = { host: '::', port: 9514, names: [] };
  const cards = createCards({ config: { node: 'pe1', domain: 'lab.example', listen }, identity: () => identity });
  const get = async (path: string) => {
    const reply = await cards.handle({ method: 'GET', path } as WebRequest);
    return { type: reply.headers['content-type'], body: JSON.parse(String(reply.body)) as JsonObject };
  };
  return { cards, identity, get };
}

test('the catalog names the server card and the agent card, and both are served under their media types [TS-33]', async (t) => {
  const { cards, get } = await cardsOf(t);
  const catalog = await get('/.well-known/ai-catalog.json');
  assert.equal(catalog.type, 'application/ai-catalog+json');
  assert.deepEqual(catalog.body, {
    specVersion: '1.0',
    entries: [
      {
        identifier: 'urn:air:lab.example:mcp:pe1',
        type: 'application/mcp-server-card+json',
        url: 'https://pe1.net.example:9514/mcp/server-card',
      },
      {
        identifier: 'urn:air:lab.example:a2a:pe1',
        type: 'application/a2a-agent-card+json',
        url: 'https://pe1.net.example:9514/.well-known/agent-card.json',
      },
    ],
  });
  const entries = catalog.body['entries'] as readonly JsonObject[];
  for (const { url, type } of entries) assert.equal((await get(new URL(String(url)).pathname)).type, type);
  assert.equal(cards.serves('/mcp'), false);
  assert.equal((await cards.handle({ method: 'POST', path: '/mcp/server-card' } as WebRequest)).status, 405);
});

test('the server card has the members that SEP-2127 requires, and names no tools', async (t) => {
  const { get } = await cardsOf(t);
  const { name, description, version, remotes, $schema, ...rest } = (await get('/mcp/server-card')).body;
  assert.equal(name, 'example.lab/pe1');
  assert.match(String($schema), /^https:\/\/static\.modelcontextprotocol\.io\/schemas\/v2\/server-card\.schema\.json$/);
  assert.ok(String(description).length <= 100);
  assert.equal(version, packageVersion());
  assert.deepEqual(remotes, [
    {
      type: 'streamable-http',
      url: 'https://pe1.net.example:9514/mcp',
      supportedProtocolVersions: ['2025-06-18', '2025-11-25', '2026-07-28'],
    },
  ]);
  assert.deepEqual(rest, { title: 'pe1' });
});

test('the agent card is signed by the key that the certificate binds, over RFC 8785 JSON without its signatures', async (t) => {
  const { get, identity } = await cardsOf(t);
  const { signatures, ...card } = (await get('/.well-known/agent-card.json')).body;
  const [{ protected: head, signature, header }] = signatures as unknown as [
    { readonly protected: string; readonly signature: string; readonly header: JsonObject },
  ];
  assert.equal(JSON.parse(Buffer.from(head, 'base64url').toString())['alg'], 'EdDSA');
  const raw = Buffer.from(identity.party.signingKey!, 'hex');
  // As another implementation would: RFC 7515 §5.2 with Node's own Ed25519.
  const input = `${head}.${Buffer.from(canonicalize(card)!).toString('base64url')}`;
  const key = {
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]),
    format: 'der',
    type: 'spki',
  } as const;
  assert.equal(verify(null, Buffer.from(input), key, Buffer.from(signature, 'base64url')), true);
  assert.equal(verifyDetached({ protected: head, signature }, { ...card, name: 'pe2' }, raw).ok, false);
  const [leaf] = header['io.parley/chain'] as readonly string[];
  assert.match(new X509Certificate(Buffer.from(leaf!, 'base64')).subjectAltName ?? '', /parley:\/\//);
});

test('server.json says the version of the package', () => {
  assert.equal(readJson('server.json')['version'], packageVersion());
});

function readJson(name: string): JsonObject {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../..', name), 'utf8')) as JsonObject;
}

function packageVersion(): unknown {
  return readJson('package.json')['version'];
}
