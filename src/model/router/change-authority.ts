// Whether a change of the configuration may be made (TS-28), as the configuration helper asks it: about its own candidate, in its own words. Who
// decides is wired in from outside (`src/agent/config-helper.ts`), because it needs signatures and certificates.
import type { JsonObject } from '#base/json.ts';

/** A change as the configuration helper is about to make it. */
export type ProposedChange = {
  /** Who asks, as the agent says: `operator/alice`. Nothing shows that it is true. */
  readonly holder: string;
  /** Tool that asks for the commit, as the agent says. */
  readonly tool: string;
  /** The changes of the helper's own candidate as lines, without secrets: `summaryOf` in configuration.ts. */
  readonly summary: string;
  /** Stands for the exact content of that candidate, secrets included. */
  readonly tag: string;
  /** Seconds after which the change undoes itself unless confirmed; 0 for a change that is confirmed at once. */
  readonly rollbackSeconds: number;
  /** Token of a change that outlives its session: any party that has it may confirm the change. */
  readonly persist?: string;
  /** Changes settings that no configuration holds. */
  readonly live: boolean;
};

/**
 * What a change was accepted on. `consent`: an admin's signature, verified in this process. `policy`: an entry of the helper's own file. `presence`
 * and `off`: the helper's own file asks for no signature, and who asked is the agent's word.
 */
export const CHANGE_BASES = ['consent', 'policy', 'presence', 'off'] as const;
export type ChangeBasis = (typeof CHANGE_BASES)[number];

export type ChangeGrant = {
  readonly basis: ChangeBasis;
  /** `operator/ann` from the certificate of the signature; `policy nightly`; the holder where nothing was verified. */
  readonly by: string;
  /** Id of the consent. */
  readonly consent?: string;
  /** Uses the consent up; called when nothing more can refuse the change, and before its first effect. Rejects with `caller/bad-consent`. */
  readonly use?: () => Promise<void>;
};

/** Rejects with `caller/no-consent`, `caller/bad-consent` or `caller/not-approver`; a consent that is granted is used up by `use`. */
export type ChangeAuthority = (change: ProposedChange, signedDecision?: JsonObject) => Promise<ChangeGrant>;

/** Consents that were used, kept where a restart does not lose them. */
export type UsedConsents = {
  /** Rejects with `caller/bad-consent` when this id was taken before, or when `signedMs` is older than what is remembered. */
  take(id: string, signedMs: number): Promise<void>;
  /** For what was not done after all. */
  giveBack(id: string): Promise<void>;
};
