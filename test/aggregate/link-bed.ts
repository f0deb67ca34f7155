// A link over HTTP to a server that a test wrote, in a session of an older revision; both end with the test.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { TokenSource } from '#aggregate/wire/http-headers.ts';
import { createHttpLink } from '#aggregate/wire/http-link.ts';
import { createPeer } from '#aggregate/wire/peer.ts';
import { createSystemClock } from '#base/clock.ts';

export async function linkTo(t: TestContext, server: Server, token?: TokenSource) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const link = createHttpLink({ url, ...(token === undefined ? {} : { token }) });
  const peer = createPeer(link, createSystemClock());
  link.agreed('2025-11-25');
  t.after(() => {
    link.close();
    server.closeAllConnections();
    server.close();
  });
  return { link, peer };
}
