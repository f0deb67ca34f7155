// A real agent for the official suite: a process as an operator starts it, with its loopback endpoint, and before that a door that adds the token of
// the endpoint to each request, which the suite cannot send. Everything else passes unchanged.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { upAgents } from '../agent/agent-bed.ts';
import { freePort } from '../free-port.ts';
import type { TestedServer } from './server.ts';

export async function startRealAgent(): Promise<TestedServer> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'parley-conformance-'));
  const tokenFile = join(dir, 'loopback-token');
  const bed = await upAgents(['pe1'], { pe1: { loopback: { port, tokenFile } } });
  const token = (await readFile(tokenFile, 'utf8')).trim();
  const door = createServer((asked, answer) => pass(asked, answer, port, token));
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`,
    async close() {
      door.closeAllConnections();
      door.close();
      await bed.down();
      await rm(dir, { recursive: true });
    },
  };
}

function pass(asked: IncomingMessage, answer: ServerResponse, port: number, token: string): void {
  const headers = { ...asked.headers, authorization: `Bearer ${token}` };
  const options = { host: '127.0.0.1', port, path: asked.url, method: asked.method, headers };
  const passed = request(options, (given) => {
    answer.writeHead(given.statusCode ?? 502, given.headers);
    answer.flushHeaders();
    given.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
}
