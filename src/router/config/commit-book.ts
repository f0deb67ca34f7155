// The open change of a device that keeps its own candidate, and the changes before it: who made it, whether it may be confirmed, and that
// it is known to be undone when no confirmation comes in time or its session is lost (RFC 6241 §8.4). Every step that reaches the device is
// taken in turn, whatever asks for it: a caller, the deadline or the end of a session. In memory: the promise itself is the device's, which
// undoes the change whether or not this process still lives.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { createInTurn, type InTurn } from '#base/in-turn.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { type CommitState, type CommitView, UNVERIFIED } from '#model/router/configuration.ts';
import { CONFIG_HELPER_LIMITS } from './limits.ts';

export type CommitOptions = { readonly timeoutMs: number; readonly persist?: string };

/** What the device does; `Image` is whatever it needs to know of the change. */
export type CommitBackend<Image> = {
  /** Runs the holder's candidate, to be undone by the device itself unless kept. */
  apply(holder: string, options: CommitOptions): Promise<Image>;
  /** False when the device has undone the change already. */
  keep(image: Image, persist?: string): Promise<boolean>;
  /** What follows a confirmation: its failure is reported, and takes nothing back. */
  kept?(): Promise<void>;
  undo(image: Image, persist?: string): Promise<void>;
  /** Rejects as long as the change still runs, or the device cannot be asked. */
  checkUndone(image: Image): Promise<void>;
  /** Told once for each change that is kept or undone. */
  settled(): Promise<void>;
  /** Changes that an earlier process made: the device knows them by their token. Absent where changes end with this process. */
  readonly unknown?: {
    /** Rejects with `caller/no-commit` when the device has no open change with this token. */
    confirm(persistId: string): Promise<void>;
    cancel(persistId: string): Promise<void>;
  };
};

type Open<Image> = {
  view: CommitView;
  readonly image: Image;
  readonly persistDigest: Buffer | undefined;
  readonly deadlineMs: number;
  readonly done: AbortController;
  /** A confirming commit was sent and not answered: the device may have taken it. */
  asked: boolean;
  /** An undoing has begun, and is gone on with until the change is seen to be undone: nothing confirms it any more. */
  undoing?: { readonly reason: string; readonly persistId?: string };
  isWatched: boolean;
};

/** Said of a change that runs on and is unconfirmed no more, without a confirmation of ours. */
const OF_ANOTHER =
  'still runs after its deadline, and the device has no unconfirmed change: another client confirmed it';

export type CommitBookParts<Image> = {
  readonly backend: CommitBackend<Image>;
  readonly clock: Clock;
  readonly log: Log;
  /** Eight hex digits. */
  readonly newId: () => string;
};

export class CommitBook<Image> {
  /** The device's one queue. What its driver does beside changes takes its turn here as well; a method of the book within it would wait for itself. */
  readonly inTurn: InTurn = createInTurn();
  readonly #parts: CommitBookParts<Image>;
  readonly #past: { readonly view: CommitView; readonly image: Image }[] = [];
  readonly #ended = new AbortController();
  #open: Open<Image> | undefined;
  #count = 0;

  constructor(parts: CommitBookParts<Image>) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  open(): CommitView | undefined {
    return this.#open?.view;
  }

  history(): readonly CommitView[] {
    return this.#past.map(({ view }) => view);
  }

  imageOf(commitId: string): Image {
    const found = this.#past.find(({ view }) => view.id === commitId);
    if (found !== undefined) return found.image;
    throw new ParleyError('caller/no-commit', 'expected a commit of the history, got another id');
  }

  commit(holder: string, options: CommitOptions): Promise<CommitView> {
    return this.inTurn(async () => {
      if (this.#open !== undefined) throw commitOpen();
      const { backend, clock, newId } = this.#parts;
      // Before the device's own clock starts: it never undoes earlier than is said here.
      const startedMs = clock.nowMs();
      const deadlineMs = clock.monotonicMs() + options.timeoutMs;
      const image = await backend.apply(holder, options);
      this.#count += 1;
      const view: CommitView = {
        id: `${String(this.#count).padStart(8, '0')}-${newId()}`,
        state: 'APPLIED',
        by: holder,
        startedMs,
        deadlineMs: startedMs + options.timeoutMs,
        timeoutMs: options.timeoutMs,
        persist: options.persist !== undefined,
      };
      const persistDigest = options.persist === undefined ? undefined : digestOf(options.persist);
      const done = new AbortController();
      this.#open = { view, image, persistDigest, deadlineMs, done, asked: false, isWatched: false };
      void this.#expire(this.#open);
      return view;
    });
  }

  verified(commitId: string): CommitView {
    const change = this.#open;
    if (change?.view.id !== commitId) throw noCommit();
    if (change.view.state !== 'APPLIED' || change.undoing !== undefined) throw wrongState(change);
    change.view = { ...change.view, state: 'VERIFIED' };
    return change.view;
  }

  /** With `commitId` no other change is confirmed, whichever is open when its turn comes. */
  confirm(holder: string, persistId?: string, commitId?: string): Promise<CommitView> {
    return this.inTurn(async () => {
      const { backend } = this.#parts;
      if (this.#isUnknown(persistId, commitId) && backend.unknown !== undefined) {
        await backend.unknown.confirm(persistId);
        await backend.kept?.();
        return this.#viewOfUnknown(holder, 'CONFIRMED');
      }
      return this.#keep(this.#ofOwner(holder, persistId, commitId), persistId);
    });
  }

  /** With `commitId` no other change is undone, whichever is open when its turn comes. Rejects when it is not undone yet; that is gone on with. */
  cancel(holder: string, reason: string, persistId?: string, commitId?: string): Promise<CommitView> {
    return this.inTurn(async () => {
      const { backend } = this.#parts;
      if (this.#isUnknown(persistId, commitId) && backend.unknown !== undefined) {
        await backend.unknown.cancel(persistId);
        return this.#viewOfUnknown(holder, 'ROLLED_BACK');
      }
      return this.#undo(this.#ofOwner(holder, persistId, commitId), reason, persistId);
    });
  }

  /** Stays open as long as the change is; an abort undoes a change without `persist`. */
  async hold(commitId: string, signal: AbortSignal): Promise<void> {
    const change = this.#open;
    if (change?.view.id !== commitId) return;
    const stop = AbortSignal.any([signal, change.done.signal]);
    await this.#parts.clock.sleep(LIMITS.confirmMostMs, stop).catch(() => {});
    if (!signal.aborted || change.view.persist) return;
    await this.inTurn(async () => {
      // It may have been confirmed, or undone, by what was asked for before.
      if (this.#open === change) await this.#undo(change, 'the session was lost');
    });
  }

  /** The session that made the change is gone: without `persist` the device has undone it. */
  lost(reason: string): void {
    const change = this.#open;
    if (change !== undefined && !change.view.persist) void this.#watchUndone(change, reason);
  }

  close(): void {
    this.#ended.abort();
  }

  async #expire(change: Open<Image>): Promise<void> {
    const stop = AbortSignal.any([this.#ended.signal, change.done.signal]);
    await this.#parts.clock.sleep(change.view.timeoutMs, stop).catch(() => {});
    if (!stop.aborted) await this.#watchUndone(change, 'not confirmed in time');
  }

  async #keep(change: Open<Image>, persistId: string | undefined): Promise<CommitView> {
    const { backend, clock } = this.#parts;
    const isUnspoken = change.view.state === 'APPLIED' && change.view.persist;
    if (clock.monotonicMs() >= change.deadlineMs) throw tooLate();
    if ((change.view.state !== 'VERIFIED' && !isUnspoken) || change.undoing !== undefined) throw wrongState(change);
    const wasAsked = change.asked;
    change.asked = true;
    const isKept = await backend.keep(change.image, persistId);
    // A refusal says nothing of an earlier confirmation: the device may have nothing left to confirm because it took that one.
    change.asked = wasAsked;
    if (isKept) {
      const view = await this.#settle(change, 'CONFIRMED', isUnspoken ? UNVERIFIED : undefined);
      await backend.kept?.();
      return view;
    }
    // What the device did not take may run on, until its own timer is over: it is undone only when that is seen.
    await backend
      .checkUndone(change.image)
      .catch((error) => Promise.reject(isSeenToRun(error) ? notTaken(error) : error));
    await this.#settle(change, 'ROLLED_BACK', 'not confirmed in time');
    throw tooLate();
  }

  /** In turn. An undoing without an answer may have reached the device or not: it is gone on with until the change is seen to be undone. */
  async #undo(change: Open<Image>, reason: string, persistId?: string): Promise<CommitView> {
    change.undoing = { reason, ...change.undoing, ...(persistId === undefined ? {} : { persistId }) };
    try {
      await this.#parts.backend.undo(change.image, persistId);
    } catch (error) {
      void this.#watchUndone(change, reason);
      throw error;
    }
    return this.#settle(change, 'ROLLED_BACK', change.undoing.reason);
  }

  /** The device undoes by itself, or was told to; here it is seen to have done so, however long that takes. */
  async #watchUndone(change: Open<Image>, reason: string): Promise<void> {
    if (change.isWatched) return;
    change.isWatched = true;
    const { clock, log } = this.#parts;
    while (this.#open === change && !this.#ended.signal.aborted) {
      const left = await this.inTurn(() => this.#lookUndone(change, reason));
      if (left === undefined) return;
      log.warn('a change is not seen to be undone yet', { commit: change.view.id, reason: left });
      await clock.sleep(CONFIG_HELPER_LIMITS.undoneCheckMs, this.#ended.signal).catch(() => {});
    }
  }

  /** In turn. Resolves with why it is not settled yet. */
  async #lookUndone(change: Open<Image>, reason: string): Promise<string | undefined> {
    // What had its turn before this look has settled it.
    if (this.#open !== change) return undefined;
    change.undoing ??= { reason };
    try {
      if (await this.#makeUndone(change)) await this.#settle(change, 'ROLLED_BACK', change.undoing.reason);
      else if (change.asked) await this.#keepLate(change);
      else await this.#settle(change, 'CONFIRMED', OF_ANOTHER);
    } catch (error) {
      if (!this.#mustBeKept(change, error)) return messageOf(error);
      await this.#keepLate(change);
    }
    return undefined;
  }

  /**
   * netconfd 2.13 looks at its timer only after a second without a message: a device that others read all the time would never undo. So what is seen
   * to run on is cancelled, which only the session that made it can do, or who gave the token for it; else with `persist` the device has time between
   * two looks. False where the device has no such change any more and it runs all the same, some time after the deadline: a confirmation has reached
   * it, ours or another client's.
   */
  async #makeUndone(change: Open<Image>): Promise<boolean> {
    const { backend } = this.#parts;
    const { image, view, undoing } = change;
    try {
      await backend.checkUndone(image);
    } catch (error) {
      if (!isSeenToRun(error) || (view.persist && undoing?.persistId === undefined)) throw error;
      try {
        await backend.undo(image, undoing?.persistId);
      } catch (refusal) {
        if (isRefused(refusal) && this.#isLate(change)) return false;
        throw refusal;
      }
    }
    return true;
  }

  /** Seen to run when the device's own timer is over, where nothing can cancel it, after a confirmation without an answer: the device took it. */
  #mustBeKept(change: Open<Image>, error: unknown): boolean {
    return change.asked && isSeenToRun(error) && this.#isLate(change);
  }

  #isLate({ deadlineMs }: Open<Image>): boolean {
    return this.#parts.clock.monotonicMs() >= deadlineMs + CONFIG_HELPER_LIMITS.undoneLateMs;
  }

  async #keepLate(change: Open<Image>): Promise<void> {
    const { backend, log } = this.#parts;
    await this.#settle(change, 'CONFIRMED', 'still runs after its deadline: the device took the confirmation');
    await backend.kept?.().catch((error) => log.warn('a confirmed change', { reason: messageOf(error) }));
  }

  /** In turn, and once a change. */
  async #settle(change: Open<Image>, state: CommitState, reason?: string): Promise<CommitView> {
    this.#open = undefined;
    const view: CommitView = { ...change.view, state, ...(reason === undefined ? {} : { reason }) };
    this.#past.push({ view, image: change.image });
    if (this.#past.length > CONFIG_HELPER_LIMITS.deviceCommitHistory) this.#past.shift();
    await this.#parts.backend
      .settled()
      .catch((error) =>
        this.#parts.log.warn('a change is settled, its candidate not free', { reason: messageOf(error) }),
      );
    change.done.abort();
    return view;
  }

  /** Whether only the device can know of the change that is meant. */
  #isUnknown(persistId: string | undefined, commitId: string | undefined): persistId is string {
    return this.#open === undefined && persistId !== undefined && commitId === undefined;
  }

  /** When it began is not known, nor what ran before it. */
  #viewOfUnknown(holder: string, state: 'CONFIRMED' | 'ROLLED_BACK'): CommitView {
    const nowMs = this.#parts.clock.nowMs();
    const times = { startedMs: nowMs, deadlineMs: nowMs, timeoutMs: 0 };
    const view = { id: `00000000-${this.#parts.newId()}`, state, by: holder, ...times, persist: true };
    return state === 'CONFIRMED' ? { ...view, reason: UNVERIFIED } : view;
  }

  #ofOwner(holder: string, persistId: string | undefined, commitId: string | undefined): Open<Image> {
    const change = this.#open;
    if (change === undefined || (commitId !== undefined && commitId !== change.view.id)) throw noCommit();
    if (change.persistDigest !== undefined) {
      if (persistId === undefined || !timingSafeEqual(digestOf(persistId), change.persistDigest))
        throw new ParleyError('caller/wrong-persist-id', 'expected the persist-id of the change, got none or another');
    } else if (change.view.by !== holder)
      throw new ParleyError('caller/not-yours', `expected ${change.view.by}, who made the change, got another caller`);
    return change;
  }
}

/** A second change while one is open, and edits where the candidate is part of it. */
export function commitOpen(): ParleyError {
  return new ParleyError(
    'caller/commit-open',
    'expected no unconfirmed change, there is one: confirm it or roll it back',
  );
}

/** The device has no unconfirmed change of this session. */
function isRefused(error: unknown): boolean {
  return error instanceof ParleyError && error.code === 'node/netconf-refused';
}

function isSeenToRun(error: unknown): boolean {
  return error instanceof ParleyError && error.code === 'node/rollback-failed';
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function noCommit(): ParleyError {
  return new ParleyError(
    'caller/no-commit',
    'expected an unconfirmed change, there is none: it was confirmed or rolled back',
  );
}

function tooLate(): ParleyError {
  return new ParleyError('caller/confirm-too-late', 'expected the confirmation before the deadline, it came after');
}

function notTaken(cause: unknown): ParleyError {
  const message =
    'expected the device to take the confirmation, it refused it and the change still runs: confirm again before the deadline, or roll back';
  return new ParleyError('node/confirm-refused', message, { cause });
}

function wrongState({ view, undoing }: Pick<Open<unknown>, 'view' | 'undoing'>): ParleyError {
  const state = undoing === undefined ? view.state : `being undone: ${undoing.reason}`;
  return new ParleyError('caller/wrong-commit-state', `expected a change that is ready for this, it is ${state}`);
}
