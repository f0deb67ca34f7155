// A server below by configuration, as it is opened each time: a program of ours, or one over HTTP with the certificate and the token that are for
// it alone.
import { readFile } from 'node:fs/promises';
import type { LeafInit } from '#aggregate/aggregator.ts';
import type { Opened } from '#aggregate/keep/keep-leaf.ts';
import { openStdioLeaf } from '#aggregate/leaf/stdio-leaf.ts';
import { createLeafLink, type LeafLinkInit } from '#aggregate/modern/leaf-link.ts';
import { createHttpLink, isAllowedUrl } from '#aggregate/wire/http-link.ts';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { AggregateConfig } from '#config/aggregate-schema.ts';
import type { Identity } from '#mtls/identity.ts';
import { createLeafToken, type HttpLeaf } from './leaf-token.ts';

export type OpenLeafParts = {
  /** As it is now; undefined without one. */
  readonly identity: () => Identity | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** The aggregator has stopped. */
  readonly signal: AbortSignal;
};

/** Rejects with `caller/config-invalid`, and with errors of files. */
export async function leavesOf(
  { leaves }: Pick<AggregateConfig, 'leaves'>,
  parts: OpenLeafParts,
): Promise<readonly LeafInit[]> {
  const held = new Map<string, string>();
  return Promise.all(leaves.map((leaf) => leafInit(leaf, held, parts)));
}

async function leafInit(
  leaf: AggregateConfig['leaves'][number],
  held: Map<string, string>,
  parts: OpenLeafParts,
): Promise<LeafInit> {
  const { segment, trust, unsaid, scope } = leaf;
  const slot = { segment, isAggregator: false, rules: { trust, unsaid, scope } };
  const { log } = parts;
  if (!('command' in leaf)) return { ...slot, how: 'http', open: await httpOpener(leaf, held, parts) };
  const { command, args, env, cwd } = leaf;
  return {
    ...slot,
    how: 'stdio',
    open: () => opened(leaf, parts, openStdioLeaf({ command, args, env, cwd, log: log.child({ segment }) })),
  };
}

async function httpOpener(
  leaf: HttpLeaf,
  held: Map<string, string>,
  parts: OpenLeafParts,
): Promise<() => Promise<Opened>> {
  const { identity, clock, log, signal } = parts;
  if (!isAllowedUrl(leaf.url)) throw invalid(leaf, `expected https, or http on the loopback address, got ${leaf.url}`);
  const isNeeded = leaf.mutualTls || (leaf.token !== undefined && leaf.token.secretFile === undefined);
  if (isNeeded && identity() === undefined)
    throw invalid(leaf, 'expected an identity of this aggregator, there is none');
  const ca = leaf.ca === undefined ? undefined : await readFile(leaf.ca, 'utf8');
  const tlsNow = () => {
    const own = leaf.mutualTls ? identity() : undefined;
    return { ca: ca ?? own?.caPem, cert: own?.certPem, key: own?.keyPem };
  };
  const tls = ca === undefined && !leaf.mutualTls ? undefined : tlsNow;
  const token = await createLeafToken(leaf, { identity, held, clock, log, signal });
  // A file that is for another server is a fault of the configuration, and found at once.
  if (leaf.tokenFile !== undefined) await token?.ready();
  return async () => {
    await token?.ready();
    return opened(leaf, parts, createHttpLink({ url: leaf.url, token, tls }));
  };
}

function invalid({ segment }: HttpLeaf, reason: string): ParleyError {
  return new ParleyError('caller/config-invalid', `leaves: ${segment}: ${reason}`);
}

/** Whatever revision the server speaks, unless it is configured for one. */
function opened(
  { segment, revision }: AggregateConfig['leaves'][number],
  { clock, log }: OpenLeafParts,
  below: LeafLinkInit['below'],
): Opened {
  const onOdd = (tool: string, reason: string) =>
    log.warn('a tool of a leaf must not be used and is left out', { segment, tool, reason });
  const link = createLeafLink({ clock, below, onOdd, revision: revision === 'auto' ? undefined : revision });
  return { link, agreed: link.agreed };
}
