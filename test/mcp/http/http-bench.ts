// The server behind real HTTP sockets, and one POST to it.
import type { TestContext } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { Party } from '#model/identity.ts';
import { type Bench, NODE, openBench } from '../harness.ts';

export type Http = Bench & {
  readonly url: (party?: Party) => Promise<string>;
  readonly h2Url: (party?: Party) => Promise<string>;
};

export async function httpBench(t: TestContext, init?: Parameters<typeof openBench>[0]): Promise<Http> {
  const opened = await openBench(init);
  t.after(() => opened.close());
  const at = async (serve: 'serveHttp1' | 'serveHttp2', party: Party) =>
    `http://127.0.0.1:${await opened.listen((socket) => opened.server[serve](socket, party))}`;
  return {
    ...opened,
    url: (party = NODE) => at('serveHttp1', party),
    h2Url: (party = NODE) => at('serveHttp2', party),
  };
}

export type Reply = { readonly status: number; readonly body: JsonObject; readonly headers: Headers };

export async function post(
  url: string,
  body: string | JsonObject,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
  return { status: response.status, body: (await response.json()) as JsonObject, headers: response.headers };
}
