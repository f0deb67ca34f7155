// Access tokens: what a caller puts behind `Bearer`. Header and claims are changed as JSON; half of them are signed again, so that the claims are read.
import { generateKeyPairSync, sign } from 'node:crypto';
import { createLocalJWKSet } from 'jose';
import { providerIssuer } from '#mtls/tokens/issuers.ts';
import { isBoundTo, verifyToken } from '#mtls/tokens/verify.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { mutateJson } from '../mutate-json.ts';
import { mustHold, type Parser } from '../parser.ts';

const ISSUER = 'https://idp.example';
const AUDIENCE = 'https://pe1.lab.example:9514/mcp';
const NOW_MS = 1_800_000_000_000;
const THUMBPRINT = '5a'.repeat(32);

const tokens: Parser = {
  name: 'tokens',
  inputs: 1_000_000,
  open() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'EdDSA' };
    const keys = { current: () => createLocalJWKSet({ keys: [jwk] }), lookAgain: () => {} };
    const scopes = { 'net-read': ['parley:class:read'] };
    const init = {
      issuers: [providerIssuer({ issuer: ISSUER, ceiling: 'operator', scopes, keys })],
      audiences: [AUDIENCE],
      nowMs: NOW_MS,
    };
    const signed = (head: string, claims: string) => {
      const text = `${head}.${claims}`;
      return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
    };
    const claims = {
      ...{ iss: ISSUER, sub: 'alice', aud: AUDIENCE, jti: 'j1', scope: 'net-read parley:tool:network.*' },
      ...{ iat: NOW_MS / 1_000, exp: NOW_MS / 1_000 + 300 },
      cnf: { 'x5t#S256': Buffer.from(THUMBPRINT, 'hex').toString('base64url') },
    };
    const corpus = [
      [{ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1' }, claims],
      [
        { alg: 'EdDSA', typ: 'at+jwt' },
        { ...claims, aud: ['other', AUDIENCE], nbf: claims.iat },
      ],
      [{ alg: 'none', typ: 'at+jwt', crit: ['b64'], b64: false, jwk }, claims],
    ].map((parts) => Buffer.from(signed(encoded(JSON.stringify(parts[0])), encoded(JSON.stringify(parts[1])))));
    const others = [Buffer.from(JSON.stringify(claims)), Buffer.from(JSON.stringify({ jwk, x5c: ['AAAA'] }))];
    let good = 0;
    const opened = {
      corpus,
      mutate(input: Uint8Array, random: Parameters<typeof mutateJson>[1]) {
        if (random() < 0.1) return mutateBytes(input, random, corpus);
        const parts = Buffer.from(input).toString('latin1').split('.');
        const at = random() < 0.3 ? 0 : 1;
        parts[at] = encoded(mutateJson(Buffer.from(parts[at] ?? '', 'base64url'), random, others));
        return Buffer.from(random() < 0.5 ? signed(parts[0]!, parts[1] ?? '') : parts.join('.'));
      },
      async read(input: Uint8Array) {
        const text = Buffer.from(input).toString('latin1');
        const verified = await verifyToken(text, init);
        if (!verified.ok) return;
        good++;
        const [head = '', body = '', signature = ''] = text.split('.');
        mustHold(signed(head, body).endsWith(`.${signature}`), 'what was verified is what the issuer signed');
        mustHold(verified.value.endsMs > NOW_MS, 'a verified token is in force');
        isBoundTo(verified.value, THUMBPRINT);
      },
      async close() {
        mustHold(good > 0, 'some tokens hold, so that what comes behind the signature is reached');
      },
    };
    return opened;
  },
};

function encoded(json: Uint8Array | string): string {
  return Buffer.from(json).toString('base64url');
}

export const TOKENS = [tokens];
