// Payloads of packets, which are data of customers (TS-32, level 3): the privileged helper cuts them off, unless an admin has signed a consent to
// exactly this capture. Who verifies that is wired in from outside (`src/agent/privileged-helper.ts`).
import type { JsonObject } from '#base/json.ts';
import type { CaptureRequest } from './router-port.ts';

export const PAYLOAD_TOOL = 'tcpdump';

/** What `tcpdump` takes where nothing else is said. */
export const DEFAULT_CAPTURE = { count: 20, seconds: 5 } as const;

/**
 * Resolves with what `capture` gives, payloads included. Rejects with `caller/bad-consent` or `caller/not-approver`, and captures nothing, unless
 * an admin of this domain has signed exactly that, minutes ago and not used yet.
 */
export type PayloadRelease = <Captured>(
  request: Omit<CaptureRequest, 'decision'>,
  signedDecision: JsonObject,
  capture: () => Promise<Captured>,
) => Promise<Captured>;
