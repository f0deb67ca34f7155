// How a node's configuration is changed: one candidate with one holder, commits that undo themselves unless confirmed, and who must
// agree. Every text and line that comes out of the port is redacted, and a backup sealed [NET-18].
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { ChangeBasis } from './change-authority.ts';
import type { LiveSetting } from './live-setting.ts';

export type ChangedLine = {
  readonly sign: '+' | '-';
  /** The block that the line stands in; empty at the top level. */
  readonly context: string;
  readonly line: string;
};

/** Changed lines as text, one a line: what an admin is shown, and what the signature is about. */
export function summaryOf(changes: readonly ChangedLine[]): string {
  return changes.map(({ sign, context, line }) => `${sign} ${context === '' ? '' : `${context}: `}${line}`).join('\n');
}

export type CandidateChanges = {
  readonly changes: readonly ChangedLine[];
  /** What the router would refuse. */
  readonly wrong?: string;
  /** Stands for exactly this candidate, secrets included, and says nothing of them; not every device's port has one. */
  readonly tag?: string;
};

export const COMMIT_STATES = ['PREPARED', 'APPLIED', 'VERIFIED', 'CONFIRMED', 'ROLLED_BACK'] as const;
export type CommitState = (typeof COMMIT_STATES)[number];

export type CommitView = {
  readonly id: string;
  readonly state: CommitState;
  /** Who agreed, where the device verified a consent (`basis`), else who asked. */
  readonly by: string;
  /** What the device accepted the change on, where it verifies that itself. */
  readonly basis?: ChangeBasis;
  /** Wall clock, milliseconds since the epoch. */
  readonly startedMs: number;
  /** How long ago that was, by the clock of the process that keeps the journal; only in its history. */
  readonly startedAgoMs?: number;
  readonly deadlineMs: number;
  readonly timeoutMs: number;
  readonly persist: boolean;
  /** Why it was undone; of a confirmed one, what its confirming caller must know. */
  readonly reason?: string;
};

/** The reason of a change that was confirmed by its token alone: the agent died, or lost the answer, before its health gate spoke. */
export const UNVERIFIED =
  'confirmed by its persist-id: no health gate is known to have passed for it, look at what it changed';

/** `atOnce`: confirmed without a time in which it would undo itself. `decision`: absent where no admin was asked. */
export type ChangeAsked = { readonly tool: string; readonly atOnce: boolean; readonly decision?: JsonObject };

export type ConfigurationSource = 'running' | 'startup' | 'candidate';

/** One edit by YANG path; a value as RFC 7951 has it. */
export type YangEdit = {
  readonly path: string;
  readonly operation: 'merge' | 'delete';
  readonly value?: JsonValue;
};

/** True of the device, found out when it is asked. */
export type ConfigurationFacts = {
  readonly sources: readonly ConfigurationSource[];
  /** Commits that undo themselves. A device without them is not configured at all: nothing could be taken back. */
  readonly confirmedCommit: boolean;
};

/**
 * `holder` names a party; only it sees and changes its candidate. Methods reject with `caller/…` or `node/…`. A device without a
 * command line has no `edit` and no `push`, and takes `editData` instead.
 */
export type ConfigurationPort = {
  facts(): Promise<ConfigurationFacts>;
  read(source: ConfigurationSource, holder: string): Promise<string>;
  /** Rejects as reading the candidate does where it is not this party's, and reads nothing; set where it is read as data as well. */
  readonly mustHold?: (holder: string) => Promise<void>;
  /**
   * Lines as an operator types them, on the candidate; it begins as what runs. With `live` the candidate must not have been edited
   * before (`caller/candidate-edited`), so that the change is these lines and settings and no others.
   */
  readonly edit?: (
    holder: string,
    lines: readonly string[],
    live?: readonly LiveSetting[],
  ) => Promise<CandidateChanges>;
  /** Set where `edit` takes live settings. */
  readonly live?: true;
  /** Edits that the device itself takes; all of them or none. Rejects with `caller/bad-config`, whose data hold the path. */
  readonly editData?: (holder: string, edits: readonly YangEdit[]) => Promise<CandidateChanges>;
  /** A whole text in the candidate's place. */
  readonly push?: (holder: string, text: string) => Promise<CandidateChanges>;
  /** What ran before an earlier commit, in the candidate's place. */
  restore(holder: string, commitId: string): Promise<CandidateChanges>;
  validate(holder: string): Promise<CandidateChanges>;
  discard(holder: string): Promise<void>;
  /** What runs, with its secrets, sealed to whom the signed decision names; absent where nothing verifies one beside the agent. */
  readonly backup?: (signedDecision: JsonObject) => Promise<string>;
  /** Resolves when the change runs, unconfirmed; it undoes itself after `timeoutMs`. */
  commit(
    holder: string,
    options: {
      readonly timeoutMs: number;
      readonly persist?: string;
      /** Of the candidate that was consented to; rejects with `caller/candidate-changed` when it is another by now. */
      readonly tag?: string;
      /** The call that asks, and the decision that an admin signed about it: a device that verifies consent itself needs them. */
      readonly asked?: ChangeAsked;
    },
  ): Promise<CommitView>;
  /** The health gate has passed: from now on the change may be confirmed. */
  verified(commitId: string): Promise<CommitView>;
  /**
   * A change that is not verified is confirmed only by its token, and says so in `reason`: the session that made it may be gone. That no gate is at
   * work on it just now is for the caller to know. With `commitId` no other change is confirmed, or undone: by the time of its turn another may be open
   * (`caller/no-commit`).
   */
  confirm(holder: string, persistId?: string, commitId?: string): Promise<CommitView>;
  cancel(holder: string, reason: string, persistId?: string, commitId?: string): Promise<CommitView>;
  /** Stays open as long as the change is; when `signal` aborts, or this process dies, a change without `persist` is undone. */
  hold(commitId: string, signal: AbortSignal): Promise<void>;
  open(): Promise<CommitView | undefined>;
  history(): Promise<readonly CommitView[]>;
};

/** What must hold again after a change: asked of this node and of its neighbours. */
export type HealthGate = {
  /** What holds now, before the change. */
  baseline(signal: AbortSignal): Promise<HealthBaseline>;
  /** Resolves when all is proven, or with what is not when the time is up. */
  compare(baseline: HealthBaseline, signal: AbortSignal): Promise<HealthVerdict>;
};

export type HealthVerdict = {
  /** No longer seen, or not proven to have outlived the change. */
  readonly missing: readonly string[];
  /** Still up, and too slow to show within the time that it lives. */
  readonly unproven: readonly string[];
};

export type HealthBaseline = {
  /** `pe1 sees p2 on eth1`, from either side; `session with p2`; `BGP with 192.0.2.1`; `OSPF with …`; `OSPFv3 with …`; `BFD with …`; `eth1 is up`. */
  readonly holds: readonly string[];
  /** Why adjacencies or sessions of this node could not be read; what `holds` has is then not all of it. */
  readonly unseen?: string;
};
