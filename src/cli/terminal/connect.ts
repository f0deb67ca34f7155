// How a command reaches an agent: the Unix socket of this machine, or mutual TLS with an operator's or controller's certificate (CARD-7).
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSystemClock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { randomHex, systemRandom } from '#base/random.ts';
import { type OperatorClient, openOperatorClient } from '#mcp/client/operator-client.ts';
import type { CallContent } from '#model/call.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import { nodeKey } from '#model/names.ts';
import { dial } from '#mtls/dial.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { dialLocal } from '#mtls/local-socket.ts';
import { createTrust } from '#mtls/trust.ts';
import { sealAssertion } from '#sign/asker.ts';
import { requestSha256Of } from '#sign/digest.ts';
import { createSigner } from '#sign/signer.ts';

export type AgentOptions = {
  readonly socket?: string;
  readonly connect?: string;
  readonly node?: string;
  readonly identity?: string;
  readonly json?: boolean;
};

const DEFAULT_PORT = 9514;

/** Opens a client, runs `work` and closes it in every case. */
export async function withClient<T>(options: AgentOptions, work: (client: OperatorClient) => Promise<T>): Promise<T> {
  const client = await openClient(options);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** The same with another node: the named agent gives its address, the certificate there proves its identity. */
export async function withNode<T>(
  options: AgentOptions,
  node: string,
  work: (client: OperatorClient) => Promise<T>,
): Promise<T> {
  const found = await withClient(options, (client) => findPeer(client, node));
  if (found.kind === 'local') return withClient(options, work);
  const client = await clientOver(await overTls({ ...options, node: found.node }, found.endpoints, 'mcp'));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function openClient(options: AgentOptions): Promise<OperatorClient> {
  return clientOver(await openTo(options, 'mcp'));
}

/** What leads to an agent, and with a certificate the way to sign what is asked there. */
type Way = { readonly stream: Duplex; readonly assert?: (content: CallContent) => SignedEnvelope };

function clientOver({ stream, assert }: Way): Promise<OperatorClient> {
  return openOperatorClient(stream, { assert });
}

/** Bytes to and from the agent that the options name, ready for the first message. */
export async function openStream(options: AgentOptions, alpn: 'mcp' | 'h2' = 'mcp'): Promise<Duplex> {
  return (await openTo(options, alpn)).stream;
}

async function openTo(options: AgentOptions, alpn: 'mcp' | 'h2'): Promise<Way> {
  if (options.connect !== undefined) return overTls(options, [endpointOf(options.connect)], alpn);
  if (options.node === undefined) return { stream: await dialLocal(options.socket!) };
  const local = await openOperatorClient(await dialLocal(options.socket!));
  try {
    const found = await findPeer(local, options.node);
    if (found.kind === 'peer') return await overTls({ ...options, node: found.node }, found.endpoints, alpn);
  } finally {
    await local.close();
  }
  return { stream: await dialLocal(options.socket!) };
}

type Endpoint = { readonly address: string; readonly port: number };

async function overTls(options: AgentOptions, endpoints: readonly Endpoint[], alpn: 'mcp' | 'h2'): Promise<Way> {
  if (options.identity === undefined) {
    throw new ParleyError(
      'caller/no-identity',
      'expected --identity DIR with an operator certificate, got none: make one with "parley ca issue NAME --kind operator --out DIR"',
    );
  }
  const clock = createSystemClock();
  const identity = await loadIdentity(options.identity, clock);
  const dialled = await dial({
    identity,
    trust: await createTrust({ clock }),
    addresses: endpoints.map((endpoint) => endpoint.address),
    port: endpoints[0]!.port,
    ...(options.node === undefined ? {} : { expectedNode: options.node }),
    alpn,
    timeoutMs: LIMITS.dialMs,
    clock,
  });
  const signer = createSigner({ node: identity.party.name, privateKey: identity.signingKey });
  return {
    stream: dialled.socket,
    assert: (content) =>
      sealAssertion(signer, clock, {
        node: dialled.party.name,
        requestSha256: requestSha256Of(content),
        challenge: randomHex(systemRandom, 16),
      }),
  };
}

/** `host`, `host:port`, `[v6]:port` or a bare IPv6 address. */
export function endpointOf(text: string, defaultPort = DEFAULT_PORT): Endpoint {
  const [, address = '', port] = /^\[([^[\]]+)\](?::(\d+))?$/.exec(text) ??
    /^([^:[\]]+)(?::(\d+))?$/.exec(text) ?? [undefined, isIPv6(text) ? text : ''];
  const endpoint = { address, port: port === undefined ? defaultPort : Number(port) };
  const isBracketed = text.startsWith('[');
  if (address !== '' && (!isBracketed || isIPv6(address)) && endpoint.port >= 1 && endpoint.port <= 65_535)
    return endpoint;
  throw new ParleyError('caller/bad-endpoint', `expected host, host:port or [v6]:port, got ${text}`);
}

type FoundPeer =
  | { readonly kind: 'local' }
  | { readonly kind: 'peer'; readonly node: string; readonly endpoints: readonly Endpoint[] };

/** An agent knows the addresses of others; the certificate decides who answers there. */
async function findPeer(local: OperatorClient, wanted: string): Promise<FoundPeer> {
  const answer = await local.callTool('parley-peers', {});
  const own = String(answer['node']);
  if (nodeKey(own) === nodeKey(wanted)) return { kind: 'local' };
  const told: readonly JsonValue[] = Array.isArray(answer['peers']) ? answer['peers'] : [];
  const peers = told.filter(isJsonObject);
  const alike = peers.filter((peer) => nodeKey(String(peer['node'])) === nodeKey(wanted));
  const proven = alike.filter((peer) => peer['verified'] === true);
  const found =
    peers.find((peer) => peer['node'] === wanted) ?? proven[0] ?? (alike.length === 1 ? alike[0] : undefined);
  const addresses: readonly JsonValue[] = Array.isArray(found?.['addresses']) ? found['addresses'] : [];
  if (found === undefined || addresses.length === 0) {
    const known = [own, ...peers.map((peer) => String(peer['node']))];
    throw new ParleyError('caller/unknown-node', `expected a node that ${own} knows, got ${wanted}`, {
      data: { known },
    });
  }
  const port = Number(found['port'] ?? DEFAULT_PORT);
  const endpoints = addresses.map((address) => ({ address: String(address), port }));
  return { kind: 'peer', node: String(found['node']), endpoints };
}

const ERROR_CODE = /^(?:caller|peer|node|us)\/[a-z0-9-]{1,64}$/;

/** Turns the agent's refusal back into its error: the command ends with the same exit code as for a local error. */
export function asLocalError(error: unknown): unknown {
  if (!(error instanceof ParleyError) || error.code !== 'peer/refused') return error;
  const data = error.data['data'];
  if (!isJsonObject(data) || typeof data['errorCode'] !== 'string' || !ERROR_CODE.test(data['errorCode'])) return error;
  const { errorCode, detail, ...rest } = data;
  return new ParleyError(errorCode as ParleyError['code'], typeof detail === 'string' ? detail : messageOf(error), {
    data: rest,
    cause: error,
  });
}
