// The way of a node, or of an aggregator, to the aggregator that it registers with: mutual TLS to the node that its configuration names.
import type { Clock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { dial } from '#mtls/dial.ts';
import type { Identity } from '#mtls/identity.ts';
import type { Trust } from '#mtls/trust.ts';

export type ParentPlace = { readonly node: string; readonly addresses: readonly string[]; readonly port: number };

export function dialParent(
  own: { readonly identity: Identity; readonly trust: Trust; readonly clock: Clock },
  { node, addresses, port }: ParentPlace,
  signal: AbortSignal,
): ReturnType<typeof dial> {
  return dial({ ...own, addresses, port, expectedNode: node, alpn: 'mcp', timeoutMs: LIMITS.dialMs, signal });
}
