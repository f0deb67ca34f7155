// An operator's session over mutual TLS and ALPN `mcp` with a node of a lab, from the node's own network: what a distant client of
// ours does. Counts the bytes that go each way.
import { createSystemClock } from '#base/clock.ts';
import { type OperatorClient, openOperatorClient } from '#mcp/client/operator-client.ts';
import { dial } from '#mtls/dial.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { createTrust } from '#mtls/trust.ts';

export type Counted = { sent: number; received: number };

export async function dialNode(
  identityDir: string,
  node: string,
): Promise<{ readonly client: OperatorClient; readonly counted: Counted }> {
  const clock = createSystemClock();
  const { socket } = await dial({
    identity: await loadIdentity(identityDir, clock),
    trust: await createTrust({ clock }),
    addresses: ['::1'],
    port: 9514,
    expectedNode: node,
    alpn: 'mcp',
    timeoutMs: 10_000,
    clock,
  });
  const counted: Counted = { sent: 0, received: 0 };
  const write = socket.write.bind(socket) as (chunk: Uint8Array) => boolean;
  socket.write = ((chunk: Uint8Array) => {
    counted.sent += chunk.length;
    return write(chunk);
  }) as typeof socket.write;
  const client = await openOperatorClient(socket);
  socket.on('data', (chunk: Uint8Array) => {
    counted.received += chunk.length;
  });
  return { client, counted };
}
