// One node of `npm run bench -- rotation`: sessions, trust and renewal of an agent, without a router behind it. It calls others all the time
// and renews its certificate while it does.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createLiveIdentity } from '#agent/identity/live-identity.ts';
import { RENEW_TOOL } from '#agent/identity/renew-tool.ts';
import { createRenewal } from '#agent/identity/renewal.ts';
import { TRUST_LIST_TOOL } from '#agent/identity/trust-lists.ts';
import { createPeerDialer } from '#agent/sessions/dial-peer.ts';
import { createSessions } from '#agent/sessions/sessions.ts';
import { createSystemClock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import { OWN_UPKEEP } from '#model/asker.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { createTrust } from '#mtls/trust.ts';
import { openNonceSource } from '#sign/nonce-source.ts';
import { createSigner } from '#sign/signer.ts';

export type Target = { readonly node: string; readonly port: number };

export type LoadNode = {
  readonly name: string;
  /** One signed call; rejects where no answer came. */
  call(node: string): Promise<void>;
  renew(): Promise<void>;
  close(): Promise<void>;
};

/** Longest time of a call; a session that was replaced stays open as long. */
const CALL_MS = 45_000;
const clock = createSystemClock();
const never = new AbortController().signal;

/** `dir`: its identity's folder. `state`: for its nonces. */
export async function upLoadNode(init: {
  readonly name: string;
  readonly dir: string;
  readonly state: string;
  readonly targets: readonly Target[];
  readonly registrars: readonly string[];
}): Promise<LoadNode> {
  const { name, dir, targets, registrars } = init;
  const identity = await loadIdentity(dir, clock);
  const trust = await createTrust({ clock });
  const live = createLiveIdentity({ dir, identity, clock });
  const peers = createPeerTable({ node: name, clock });
  for (const { node, port } of targets)
    peers.add({ source: 'static', node, addresses: ['127.0.0.1'], port, hops: 0, heardAtMs: clock.nowMs() });
  const shared = { trust, clock, random: systemRandom, log: silentLog };
  const nonces = await openNonceSource({ path: join(init.state, `nonces-${name}`), random: systemRandom, clock });
  const dialer = createPeerDialer({
    ...shared,
    ...{ identity: live.current, nonces, capabilities: [RENEW_TOOL, TRUST_LIST_TOOL], dialMs: CALL_MS },
    signer: createSigner({ node: name, privateKey: identity.signingKey }),
  });
  const sessions = createSessions({
    ...shared,
    ...{ peers, open: dialer.open, own: live.current, mayDial: async () => true, idleMs: CALL_MS, dialMs: CALL_MS },
  });
  const newSessionId = () => randomBytes(16).toString('hex');
  const config = { node: name, identity: { dir }, renewal: { registrars } };
  const renewal = createRenewal({ ...shared, config, live, sessions, record: () => {}, newSessionId });
  const ended = new AbortController();
  const upkeep = (async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(LIMITS.investigationMs, ended.signal).catch(() => {});
      await sessions.closeIdle();
    }
  })();
  return {
    name,
    async call(node) {
      const session = await sessions.open(node, never);
      const { answer } = await session.call({
        ...{ kind: 'tool', name: TRUST_LIST_TOOL, arguments: { number: 0 } },
        ...{ sessionId: newSessionId(), asker: OWN_UPKEEP, timeoutMs: CALL_MS },
      });
      if (answer.status !== 'answered') throw new Error(answer.reason ?? 'refused');
    },
    async renew() {
      await renewal.renewNow(never);
    },
    async close() {
      ended.abort();
      await upkeep;
      await sessions.close();
      await nonces.settled();
    },
  };
}
