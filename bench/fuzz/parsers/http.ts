// HTTP requests to an agent's server, from the first octet of the head to the last of the body, on streams in this process.
import { duplexPair } from 'node:stream';
import type { Party } from '#model/identity.ts';
import { type Bench, NODE, OPERATOR, openBench } from '../../../test/mcp/harness.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { mutateJson } from '../mutate-json.ts';
import { mutateText } from '../mutate-text.ts';
import { mustHold, type Parser } from '../parser.ts';
import type { Random } from '../random.ts';

const HEAD_SIGNS = [
  '\r\n',
  '\n',
  ': ',
  ' ',
  '\t',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: h2c\r\n',
  'Origin: x\r\n',
  'Mcp-Session-Id: x\r\n',
  'Last-Event-ID: 1\r\n',
  'GET',
  'DELETE',
  'OPTIONS',
  '/mcp',
  '/rpc',
  '/.well-known/mcp',
  '%00',
  '..',
  'HTTP/1.0',
  'HTTP/9.9',
];
const PATHS = ['/mcp', '/mcp', '/.well-known/mcp', '/mcp?x=1', '/', '/../mcp'];
const HANG_MS = 60_000;
/** Of the event loop, after which a server that has not answered waits for more. */
const TURNS = 20;

const BODIES = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '0' } },
  },
  { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'ietf-srv6-ping', arguments: { Count: 3 } } },
  { jsonrpc: '2.0', id: 3, method: 'tools/list', params: {} },
  { jsonrpc: '2.0', id: 4, method: 'resources/read', params: { uri: 'network:///interfaces' } },
];

/** Stands for the id of the party's session. */
const SESSION_FIELD = 'mcp-session-id: *\r\n';
const INITIALIZE = requestOf(BODIES[0]);

export const HTTP: Parser = {
  name: 'http',
  inputs: 1_000_000,
  async open() {
    const bench = await openBench();
    const sessions = new Map<Party, string>();
    const corpus = BODIES.map((body) => Buffer.from(JSON.stringify(body)));
    return {
      corpus,
      mutate(input, random) {
        const body = mutateJson(input, random, corpus);
        const whole = Buffer.concat([headOf(body.length, random), body]);
        if (random() < 0.6) return whole;
        const end = whole.indexOf('\r\n\r\n') + 4;
        const head = mutateText(whole.subarray(0, end), random, corpus, HEAD_SIGNS);
        return random() < 0.8 ? Buffer.concat([head, body]) : mutateBytes(whole, random, corpus);
      },
      async read(input, random) {
        const party = random() < 0.5 ? NODE : OPERATOR;
        const isWithin = Buffer.from(input).includes(SESSION_FIELD);
        if (isWithin && !sessions.has(party))
          sessions.set(party, sessionIdOf(await exchange(bench, party, INITIALIZE)));
        const answer = await exchange(bench, party, isWithin ? withSession(input, sessions.get(party)!) : input);
        // Some of them end the session; another path is not found either.
        const isMcp = Buffer.from(input).includes(' /mcp HTTP/');
        if (isWithin && isMcp && answer.startsWith('HTTP/1.1 404')) sessions.delete(party);
        // What is kept for a failed test must not grow with millions of them.
        bench.refused.length = 0;
        bench.calls.length = 0;
        mustHold(answer === '' || answer.startsWith('HTTP/1.1 '), 'an answer is one of HTTP');
      },
      close: () => bench.close(),
    };
  },
};

function requestOf(body: unknown): Uint8Array {
  const text = JSON.stringify(body);
  const head = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: ${text.length}\r\n\r\n`;
  return Buffer.from(head + text);
}

function headOf(bodyBytes: number, random: Random): Buffer {
  const length = random() < 0.9 ? bodyBytes : bodyBytes + random.below(7) - 3;
  const accept = random() < 0.8 ? 'accept: application/json, text/event-stream\r\n' : '';
  const session = random() < 0.6 ? SESSION_FIELD : '';
  const head = `POST ${random.pick(PATHS)} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${session}${accept}content-length: ${length}\r\n\r\n`;
  return Buffer.from(head);
}

/** Ids differ in each run, and the changed inputs must not. */
function withSession(input: Uint8Array, id: string): Uint8Array {
  const text = Buffer.from(input).toString('latin1').replaceAll(SESSION_FIELD, SESSION_FIELD.replace('*', id));
  return Buffer.from(text, 'latin1');
}

function sessionIdOf(answer: string): string {
  const id = /^mcp-session-id: (\S+)\r$/im.exec(answer)?.[1];
  if (id === undefined) throw new Error(`expected a session id, got ${answer}`);
  return id;
}

/**
 * Resolves with the answer, or with nothing where the server waits for more: our end is closed then, and with it the request. A client that closed
 * at once would have its request dropped before it is read.
 */
function exchange({ server }: Pick<Bench, 'server'>, party: Party, input: Uint8Array): Promise<string> {
  const [near, far] = duplexPair();
  server.serveHttp1(far as never, party);
  return new Promise((resolve, reject) => {
    let answer = '';
    let turns = 0;
    const timer = setTimeout(() => reject(new Error(`no answer and no end within ${HANG_MS} ms`)), HANG_MS);
    const finish = () => {
      turns = TURNS;
      clearTimeout(timer);
      // Both, as a connection that is gone is gone at both ends.
      near.destroy();
      far.destroy();
      resolve(answer);
    };
    const endWhereItWaits = () => {
      if (turns >= TURNS) return;
      turns += 1;
      if (turns === TURNS) near.end();
      else setImmediate(endWhereItWaits);
    };
    near.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      // Of an event stream that goes on the head is enough.
      if (answer.includes('\r\n\r\n')) finish();
    });
    near.on('error', finish).on('close', finish).on('end', finish);
    near.write(input);
    setImmediate(endWhereItWaits);
  });
}
