// The agent's own call handler over a catalog, with a fresh key and no audit trail: what a server in a test stands on.
import { generateKeyPairSync } from 'node:crypto';
import { createCallHandler } from '#agent/serving/serve.ts';
import type { Clock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import type { Catalog } from '#mcp/catalog.ts';
import type { CallHandler } from '#model/ports.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { createSigner } from '#sign/signer.ts';

export function createUnauditedHandler(node: string, catalog: () => Catalog, clock: Clock): CallHandler {
  let nonce = 0;
  return createCallHandler({
    catalog,
    signer: createSigner({ node, privateKey: generateKeyPairSync('ed25519').privateKey }),
    nonces: { boot: '1-00', next: () => String(++nonce) },
    window: createNonceWindow(),
    clock,
    audit: { append: async () => {} },
    log: silentLog,
  });
}
