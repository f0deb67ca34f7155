// The open change of a device that keeps its own candidate, and the changes before it: who made it, whether it may be confirmed, and that
// it is known to be undone when no confirmation comes in time or its session is lost (RFC 6241 §8.4). In memory: the promise itself is the
// device's, which undoes the change whether or not this process still lives.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
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
};

type Open<Image> = {
  view: CommitView;
  readonly image: Image;
  readonly persistDigest: Buffer | undefined;
  readonly deadlineMs: number;
  readonly done: AbortController;
  settling: boolean;
  /** A confirming commit was sent and not answered: the device may have taken it. */
  asked: boolean;
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

  async commit(holder: string, options: CommitOptions): Promise<CommitView> {
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
    this.#open = { view, image, persistDigest, deadlineMs, done: new AbortController(), settling: false, asked: false };
    void this.#expire(this.#open);
    return view;
  }

  verified(commitId: string): CommitView {
    const change = this.#open;
    if (change?.view.id !== commitId) throw noCommit();
    if (change.view.state !== 'APPLIED') throw wrongState(change.view);
    change.view = { ...change.view, state: 'VERIFIED' };
    return change.view;
  }

  async confirm(holder: string, persistId?: string): Promise<CommitView> {
    const change = this.#ofOwner(holder, persistId);
    const isUnspoken = change.view.state === 'APPLIED' && change.view.persist;
    if (change.view.state !== 'VERIFIED' && !isUnspoken) throw wrongState(change.view);
    if (change.settling || this.#parts.clock.monotonicMs() >= change.deadlineMs) throw tooLate();
    change.asked = true;
    const isKept = await this.#parts.backend.keep(change.image, persistId);
    change.asked = false;
    if (isKept) {
      const view = await this.#settle(change, 'CONFIRMED', isUnspoken ? UNVERIFIED : undefined);
      await this.#parts.backend.kept?.();
      return view;
    }
    await this.#settle(change, 'ROLLED_BACK', 'not confirmed in time');
    throw tooLate();
  }

  cancel(holder: string, reason: string, persistId?: string): Promise<CommitView> {
    return this.#undo(this.#ofOwner(holder, persistId), reason, persistId);
  }

  /** A change that an earlier process made, as its owner settled it with the device: when it began is not known, nor what ran before it. */
  viewOfUnknown(holder: string, state: 'CONFIRMED' | 'ROLLED_BACK'): CommitView {
    const nowMs = this.#parts.clock.nowMs();
    const times = { startedMs: nowMs, deadlineMs: nowMs, timeoutMs: 0 };
    const view = { id: `00000000-${this.#parts.newId()}`, state, by: holder, ...times, persist: true };
    return state === 'CONFIRMED' ? { ...view, reason: UNVERIFIED } : view;
  }

  /** Stays open as long as the change is; an abort undoes a change without `persist`. */
  async hold(commitId: string, signal: AbortSignal): Promise<void> {
    const change = this.#open;
    if (change?.view.id !== commitId) return;
    const stop = AbortSignal.any([signal, change.done.signal]);
    await this.#parts.clock.sleep(LIMITS.confirmMostMs, stop).catch(() => {});
    if (signal.aborted && this.#open === change && !change.view.persist)
      await this.#undo(change, 'the session was lost');
  }

  /** The session that made the change is gone: without `persist` the device has undone it. */
  lost(reason: string): void {
    const change = this.#open;
    if (change !== undefined && !change.view.persist && !change.settling) void this.#watchUndone(change, reason);
  }

  close(): void {
    this.#ended.abort();
  }

  async #expire(change: Open<Image>): Promise<void> {
    const stop = AbortSignal.any([this.#ended.signal, change.done.signal]);
    await this.#parts.clock.sleep(change.view.timeoutMs, stop).catch(() => {});
    if (!stop.aborted && !change.settling) await this.#watchUndone(change, 'not confirmed in time');
  }

  /** The device undoes by itself; here it is seen to have done so, however long that takes. */
  async #watchUndone(change: Open<Image>, reason: string): Promise<void> {
    const { clock, log } = this.#parts;
    change.settling = true;
    while (this.#open === change && !this.#ended.signal.aborted) {
      try {
        if (await this.#makeUndone(change)) await this.#settle(change, 'ROLLED_BACK', reason);
        else if (change.asked) await this.#keepLate(change);
        else await this.#settle(change, 'CONFIRMED', OF_ANOTHER);
        return;
      } catch (error) {
        if (this.#mustBeKept(change, error)) return this.#keepLate(change);
        log.warn('a change is not seen to be undone yet', { commit: change.view.id, reason: messageOf(error) });
        await clock.sleep(CONFIG_HELPER_LIMITS.undoneCheckMs, this.#ended.signal).catch(() => {});
      }
    }
  }

  /**
   * netconfd 2.13 looks at its timer only after a second without a message: a device that others read all the time would never undo. So what is seen
   * to run on is cancelled, which only the session that made it can do; with `persist` the device has time between two looks. False where the device
   * has no such change any more and it runs all the same, some time after the deadline: a confirmation has reached it, ours or another client's.
   */
  async #makeUndone(change: Open<Image>): Promise<boolean> {
    const { backend, clock } = this.#parts;
    const { image, view, deadlineMs } = change;
    try {
      await backend.checkUndone(image);
    } catch (error) {
      if (view.persist || !isSeenToRun(error) || this.#open !== change) throw error;
      try {
        await backend.undo(image);
      } catch (refusal) {
        if (isRefused(refusal) && clock.monotonicMs() >= deadlineMs + CONFIG_HELPER_LIMITS.undoneLateMs) return false;
        throw refusal;
      }
    }
    return true;
  }

  /** With `persist`, seen to run when the device's own timer is over, after a confirmation without an answer: the device took it. */
  #mustBeKept({ asked, deadlineMs, view }: Open<Image>, error: unknown): boolean {
    const isLate = this.#parts.clock.monotonicMs() >= deadlineMs + CONFIG_HELPER_LIMITS.undoneLateMs;
    return view.persist && asked && isSeenToRun(error) && isLate;
  }

  async #keepLate(change: Open<Image>): Promise<void> {
    const { backend, log } = this.#parts;
    await this.#settle(change, 'CONFIRMED', 'still runs after its deadline: the device took the confirmation');
    await backend.kept?.().catch((error) => log.warn('a confirmed change', { reason: messageOf(error) }));
  }

  async #undo(change: Open<Image>, reason: string, persistId?: string): Promise<CommitView> {
    await this.#parts.backend.undo(change.image, persistId);
    return this.#settle(change, 'ROLLED_BACK', reason);
  }

  async #settle(change: Open<Image>, state: CommitState, reason?: string): Promise<CommitView> {
    if (this.#open !== change) return this.history().find(({ id }) => id === change.view.id) ?? change.view;
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

  #ofOwner(holder: string, persistId: string | undefined): Open<Image> {
    const change = this.#open;
    if (change === undefined) throw noCommit();
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

function wrongState(view: CommitView): ParleyError {
  return new ParleyError('caller/wrong-commit-state', `expected a change that is ready for this, it is ${view.state}`);
}
