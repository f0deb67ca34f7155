// What a verified certificate is worth to this node: the clock floor, the operator's pins, and what discovery hinted.
// Only a pin set by the operator refuses; a hint is never a veto (TS-13), or one forged LLDP frame could stop a session.
import { readFile } from 'node:fs/promises';
import { type Clock, isoTime } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import { LIMITS } from '#base/limits.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { MTLS_LIMITS } from './limits.ts';

/** No clock is believed that is earlier than this release: 2026-11-01T00:00:00Z. */
export const RELEASED_AT_MS = 1_793_491_200_000;

export type TrustRefusal = {
  readonly code: 'peer/untrusted-certificate' | 'peer/pin-mismatch';
  readonly reason: string;
};

export type ThumbprintHint = { readonly thumbprint: string; readonly nextThumbprint?: string };
export type HintRemark = { readonly kind: 'lying' | 'outdated'; readonly detail: string };

export type Trust = {
  /** The clock's time, or the floor when the clock is behind it. */
  nowMs(): number;
  /** By how much the clock is behind the newest time that this node has proof of; 0 where it is not. */
  clockBehindMs(): number;
  /** A time that has been, as something signed says: no earlier one is believed from now on. */
  proveTime(timeMs: number): void;
  /** Undefined when the party's certificate is in force, nothing above it is revoked, and no pin speaks against it. `chain`: base64 DER, leaf first. */
  refusal(party: Party, chain?: CertificateChain): TrustRefusal | undefined;
  /** Cuts this session once its certificates count no more. Returns the way to stop. */
  watch(session: WatchedSession): () => void;
  /** Looks at every open session, after revocations or CAs have changed. */
  recheck(): void;
  /** What to record about a hint, given the certificate that was really shown. Remembers that certificate. */
  compareHint(party: Party, hint: ThumbprintHint | undefined): HintRemark | undefined;
  /** Keeps the time, so that a later start does not believe an earlier one. */
  persist(): Promise<void>;
};

export type WatchedSession = {
  readonly party: Party;
  readonly chain: CertificateChain;
  readonly cut: (reason: string) => void;
};

export type TrustInit = {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Why no certificate of this chain counts: one of them is revoked. */
  readonly denied?: (chain: CertificateChain) => string | undefined;
  /** Why a chain that counted at its handshake does not now: its CA has been replaced. */
  readonly disowned?: (chain: CertificateChain) => string | undefined;
  /** File that keeps the last time this node knew; nothing is kept without one. */
  readonly path?: string;
  readonly releasedAtMs?: number;
  /** Node name → SHA-256 of the only certificate it may show; colons and case do not matter. */
  readonly pins?: Readonly<Record<string, string>>;
};

export async function createTrust(init: TrustInit): Promise<Trust> {
  const { clock, path, releasedAtMs = RELEASED_AT_MS } = init;
  const pins = new Map(Object.entries(init.pins ?? {}).map(([node, pin]) => [node, normalThumbprint(node, pin)]));
  const seen = new Map<string, string[]>();
  let floorMs = Math.max(releasedAtMs, path === undefined ? 0 : await loadTime(path));
  const nowMs = () => Math.max(floorMs, clock.nowMs());
  const watched = new Set<WatchedSession>();
  const refusal = (party: Party, chain?: CertificateChain): TrustRefusal | undefined => {
    const denied = chain === undefined ? undefined : init.denied?.(chain);
    if (denied !== undefined) return { code: 'peer/untrusted-certificate', reason: denied };
    return refusalOf(party, nowMs(), pins.get(party.name));
  };
  return {
    nowMs,
    clockBehindMs: () => Math.max(0, floorMs - clock.nowMs()),
    proveTime(timeMs) {
      floorMs = Math.max(floorMs, timeMs);
    },
    refusal,
    watch(session) {
      watched.add(session);
      return () => void watched.delete(session);
    },
    recheck() {
      for (const session of [...watched]) {
        const { party, chain, cut } = session;
        const reason = refusal(party, chain)?.reason ?? init.disowned?.(chain);
        if (reason === undefined) continue;
        watched.delete(session);
        cut(reason);
      }
    },
    compareHint(party, hint) {
      const known = seen.get(party.name) ?? [];
      const remark = remarkOn(party, hint, known, nowMs());
      remember(seen, party);
      return remark;
    },
    async persist() {
      if (path === undefined) return;
      floorMs = nowMs();
      await writeFileDurably(path, `${isoTime(floorMs)}\n`);
    },
  };
}

function refusalOf(party: Party, nowMs: number, pin: string | undefined): TrustRefusal | undefined {
  if (party.notAfterMs !== undefined && party.notAfterMs <= nowMs) {
    return {
      code: 'peer/untrusted-certificate',
      reason: `certificate of ${party.name} ended at ${isoTime(party.notAfterMs)}, this node knows it is at least ${isoTime(nowMs)}`,
    };
  }
  if (party.kind === 'node' && pin !== undefined && pin !== party.thumbprint) {
    return {
      code: 'peer/pin-mismatch',
      reason: `operator pinned ${party.name} to certificate ${pin}, it showed ${party.thumbprint ?? 'none'}`,
    };
  }
  return undefined;
}

function remarkOn(
  party: Party,
  hint: ThumbprintHint | undefined,
  known: readonly string[],
  nowMs: number,
): HintRemark | undefined {
  if (hint === undefined || hint.thumbprint === party.thumbprint || hint.nextThumbprint === party.thumbprint) {
    return undefined;
  }
  // An announcement may be older than a certificate that was issued a moment ago.
  const isRenewed = party.issuedAtMs !== undefined && nowMs - party.issuedAtMs < MTLS_LIMITS.hintLagMs;
  const outdated = known.includes(hint.thumbprint) || (isRenewed && known.length > 0);
  return {
    kind: outdated ? 'outdated' : 'lying',
    detail: outdated
      ? `hint names an earlier certificate of ${party.name}: ${hint.thumbprint}`
      : `hint names certificate ${hint.thumbprint}, ${party.name} showed ${party.thumbprint ?? 'none'}`,
  };
}

function remember(seen: Map<string, string[]>, party: Party): void {
  if (party.thumbprint === undefined) return;
  const others = (seen.get(party.name) ?? []).filter((thumbprint) => thumbprint !== party.thumbprint);
  // Deleting first moves the node to the young end of the map.
  seen.delete(party.name);
  seen.set(party.name, [...others, party.thumbprint].slice(-MTLS_LIMITS.rememberedThumbprints));
  const oldest = seen.keys().next().value;
  if (seen.size > LIMITS.peers && oldest !== undefined) seen.delete(oldest);
}

function normalThumbprint(node: string, text: string): string {
  const thumbprint = text.replaceAll(':', '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(thumbprint)) return thumbprint;
  throw new ParleyError(
    'caller/bad-pin',
    `pin of ${node}: expected a SHA-256 thumbprint of 64 hex digits, got ${text}`,
  );
}

async function loadTime(path: string): Promise<number> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw new ParleyError('us/clock-floor', `cannot read the last known time in ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const timeMs = Date.parse(text.trim());
  if (Number.isFinite(timeMs)) return timeMs;
  throw new ParleyError(
    'us/clock-floor',
    `expected a time in ${path}, it holds something else; remove it if the clock is right`,
  );
}
