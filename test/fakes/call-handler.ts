// The agent's own call handler behind its gate, over a catalog, with a fresh key and no audit trail: what a server in a test stands on.
import { generateKeyPairSync } from 'node:crypto';
import { createCallHandler } from '#agent/serving/serve.ts';
import type { Clock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import type { Catalog } from '#mcp/catalog/catalog.ts';
import { createGate, type Gate } from '#mcp/catalog/gate.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { createSigner } from '#sign/signer.ts';
import { fakeAskers } from './asker.ts';

export function createUnauditedGate(node: string, catalog: () => Catalog, clock: Clock, onAdmitted = () => {}): Gate {
  let nonce = 0;
  const handler = createCallHandler({
    catalog,
    signer: createSigner({ node, privateKey: generateKeyPairSync('ed25519').privateKey }),
    nonces: { boot: '1-00', next: () => String(++nonce) },
    window: createNonceWindow(),
    clock,
    audit: { append: async () => {} },
    log: silentLog,
    askers: fakeAskers({ kind: 'node', domain: 'lab', name: node }, clock),
  });
  return createGate({
    catalog,
    handler: (call) => {
      onAdmitted();
      return handler(call);
    },
    onRefused: () => {},
    log: silentLog,
  });
}
