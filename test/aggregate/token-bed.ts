// An authorization server for tests, and servers over TLS, under one CA.
import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { JsonObject } from '#base/json.ts';
import { createDomain } from '../mtls/domain.ts';

export type TokenBed = Awaited<ReturnType<typeof createTokenBed>>;

/** Of a domain with the node `root`. */
export async function createTokenBed() {
  const domain = await createDomain();
  await domain.identity('root');
  const idp = await domain.identity('idp', { dnsNames: ['localhost'] });
  const secured = async (t: TestContext, handler: RequestListener): Promise<string> => {
    const tls = { cert: idp.certPem, key: idp.keyPem, ca: domain.caPem, requestCert: true, rejectUnauthorized: false };
    const server = createServer(tls, handler);
    server.listen(0, 'localhost');
    await once(server, 'listening');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return `https://localhost:${(server.address() as AddressInfo).port}`;
  };
  /** An authorization server; `audience` decides for whom its tokens are. */
  const authorizationServer = async (
    t: TestContext,
    audience: (resource: string) => string | readonly string[],
    hear: (request: IncomingMessage, form: URLSearchParams) => void = () => {},
  ) => {
    const asked: { readonly resource: string; readonly by: string }[] = [];
    const url = await secured(t, async (request, response) => {
      const form = new URLSearchParams(await bodyOf(request));
      hear(request, form);
      const resource = form.get('resource') ?? '';
      const certificate = (request.socket as TLSSocket).getPeerCertificate();
      asked.push({ resource, by: request.headers.authorization ?? String(certificate.subject?.CN) });
      response.writeHead(200, { 'content-type': 'application/json' });
      const access_token = jwt({ aud: audience(resource), n: asked.length });
      response.end(JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 60 }));
    });
    return { url, asked };
  };
  return { domain, secured, authorizationServer };
}

export function jwt(claims: JsonObject): string {
  const part = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'ES256', typ: 'at+jwt' })}.${part(claims)}.${'A'.repeat(86)}`;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
