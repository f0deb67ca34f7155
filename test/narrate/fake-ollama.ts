// A fake Ollama server: speaks `/api/chat` over real HTTP, so that the real `ollama` client is under test. It is a fake because
// no language model is part of the project or of its test machines: what it answers is recorded.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '#base/json.ts';

/** The message's content; undefined never answers; a function does with the response what it likes. */
export type Reply = (request: JsonObject) => string | undefined | ((response: ServerResponse) => void);

export type FakeOllama = AsyncDisposable & {
  readonly host: string;
  /** Bodies of the requests, as they came. */
  readonly asked: string[];
};

export async function listenFakeOllama(reply: Reply, status = 200): Promise<FakeOllama> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    asked.push(text);
    const body = text === '' ? {} : (JSON.parse(text) as JsonObject);
    const content = reply(body);
    if (typeof content === 'function') return content(response);
    if (content === undefined) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ model: body['model'] ?? null, message: { role: 'assistant', content }, done: true }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What the question wants, by its schema. */
export function wants(request: JsonObject): 'sentence' | 'opinion' | 'intent' {
  const schema = JSON.stringify(request['format']);
  if (schema.includes('"sentence"')) return 'sentence';
  return schema.includes('"resource"') ? 'opinion' : 'intent';
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
