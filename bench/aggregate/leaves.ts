// Many leaves in one process, each with a certificate and a session of its own: MCP servers that register with their region over mutual TLS and
// give back what they are told. Argument: JSON of `Leaf[]` in a file. Prints one line when all have registered.
import { readFile } from 'node:fs/promises';
import { keepParent } from '#aggregate/registry/parent.ts';
import { createFrameLink } from '#aggregate/wire/frame-link.ts';
import { type Answer, errorAnswer, type IncomingRequest, resultAnswer } from '#aggregate/wire/message.ts';
import { createSystemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { dial } from '#mtls/dial.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { createTrust } from '#mtls/trust.ts';

export type Leaf = {
  readonly segment: string;
  readonly id: string;
  readonly identity: string;
  readonly region: string;
  readonly port: number;
  readonly tools: number;
};

const clock = createSystemClock();
const leaves = JSON.parse(await readFile(process.argv[2]!, 'utf8')) as readonly Leaf[];
const kept = [];
for (const leaf of leaves) kept.push(await startLeaf(leaf));
while (kept.some(({ registeredWith }) => registeredWith === undefined)) await clock.sleep(100);
process.stdout.write('registered\n');

async function startLeaf({ segment, id, identity: dir, region, port, tools }: Leaf) {
  const identity = await loadIdentity(dir, clock);
  const trust = await createTrust({ clock });
  const offered = Array.from({ length: tools }, (_, index) => ({
    name: index === 0 ? 'echo' : `tool_${index}`,
    description: 'Gives back the text that it was given. It is one of many tools of this server.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnlyHint: true },
  }));
  return keepParent({
    targets: [
      {
        ...{ node: region, segment, heartbeatMs: 2_000 },
        async dial(signal) {
          const to = { addresses: ['127.0.0.1'], port, expectedNode: region, alpn: 'mcp', timeoutMs: 5_000 } as const;
          return createFrameLink((await dial({ identity, trust, ...to, signal, clock })).socket);
        },
      },
    ],
    ...{ subserverId: id, subtreeIds: () => [], clock, random: systemRandom, log: silentLog },
    serve(peer) {
      peer.onRequest = async (request) => answer(request, offered);
    },
  });
}

function answer({ method, params }: IncomingRequest, tools: readonly object[]): Answer {
  if (method === 'tools/list') return resultAnswer({ tools });
  if (method === 'ping') return resultAnswer({});
  if (method === 'tools/call') {
    const text = String((params['arguments'] as { text?: string } | undefined)?.text);
    return resultAnswer({ content: [{ type: 'text', text }] });
  }
  if (method !== 'initialize') return errorAnswer(-32601, 'Method not found');
  const serverInfo = { name: 'leaf', version: '1' };
  return resultAnswer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
}
