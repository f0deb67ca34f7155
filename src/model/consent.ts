// Consent to a change (TS-28): who asks for what, what is put to a person, and what that person signed. Out of band: the decision is
// signed with a key that no program on the way has.
import type { JsonObject } from '#base/json.ts';
import type { Party, Role } from './identity.ts';
import type { CaptureRequest } from './router/router-port.ts';

export type ConsentRequest = {
  readonly caller: Party;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The changes as lines, without secrets. */
  readonly summary: string;
  /** Stands for the exact content, secrets included; absent where the device's port has none. */
  readonly tag?: string;
  /** Time in which the change undoes itself unless confirmed; 0 where nothing is undone. */
  readonly rollbackMs: number;
  /** Changes settings that no configuration holds; a policy covers them only where it says so. */
  readonly live?: true;
  /** Only a signature will do, whatever the settings: another process verifies it again. */
  readonly signed?: true;
};

/**
 * `by`: who or what agreed; `decision`: the signed decision, where one was made; `giveBack`: for what was not done after all, where it is certain
 * that nothing was, or another process sees to it that the signature counts once. `id`: the consent that waits for a decision; `url`: the page where
 * an admin reads it and decides.
 */
export type ConsentAnswer =
  | { readonly granted: true; readonly by: string; readonly decision?: JsonObject; giveBack?(): Promise<void> }
  | {
      readonly granted: false;
      readonly reason: string;
      readonly id?: string;
      readonly expires?: string;
      readonly url?: string;
    };

/** Who must agree before a change. A consent that is granted has been used up. */
export type ConsentGate = {
  ask(request: ConsentRequest, signal: AbortSignal): Promise<ConsentAnswer>;
  /** Resolves when this consent waits no longer, or the signal aborts; absent where no one can wait. */
  decided?(id: string, signal: AbortSignal): Promise<void>;
};

/** What is put to a person, and what that person signs, as RFC 8785 JSON. */
export type ConsentObject = {
  readonly id: string;
  readonly node: string;
  readonly tool: string;
  /** Without tokens. */
  readonly arguments: JsonObject;
  /** Of the tool and all of its arguments. */
  readonly requestSha256: string;
  readonly summary: string;
  /** Of the summary and the tag. */
  readonly changesSha256: string;
  /** The estimated impact window: how long the change stands before it undoes itself. */
  readonly impact: { readonly rollbackSeconds: number };
  /** The change outlives its session, and any party with the token of the request confirms or undoes it. The token itself is not shown. */
  readonly persist?: true;
  /** Different admins that must agree; one when absent. */
  readonly approvers?: number;
  readonly user: { readonly kind: string; readonly name: string; readonly role: Role | 'none' };
  readonly created: string;
  readonly expires: string;
};

export const DECISIONS = ['approve', 'deny'] as const;
export type Decision = (typeof DECISIONS)[number];

/**
 * Highest level of data that is given without consent (TS-32): 1 is state and counters, 2 configuration and logs without their
 * secrets, 3 what belongs to customers, such as the payloads of packets.
 */
export const PRIVACY_LEVEL = 2;

/** The tool whose captures may have payloads of packets, and what it takes where nothing else is said. */
export const PAYLOAD_TOOL = 'tcpdump';

export const DEFAULT_CAPTURE = { count: 20, seconds: 5 } as const;

/**
 * The privileged helper cuts payloads off; who verifies a consent to them is wired in from outside (`src/agent/privileged-helper.ts`).
 * Resolves with what `capture` gives, payloads included. Rejects with `caller/bad-consent` or `caller/not-approver`, and captures nothing, unless
 * an admin of this domain has signed exactly that, minutes ago and not used yet.
 */
export type PayloadRelease = <Captured>(
  request: Omit<CaptureRequest, 'decision'>,
  signedDecision: JsonObject,
  capture: () => Promise<Captured>,
) => Promise<Captured>;

/** Codes with which a helper says of a signed decision that it will never accept it, as it was used before or has expired: it is not given back. */
export const REFUSED_FOR_GOOD: readonly string[] = ['caller/bad-consent', 'caller/not-approver'];
