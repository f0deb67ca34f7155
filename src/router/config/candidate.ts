// The candidate datastore: one, with one holder at a time (RFC 6241 §8.3.5 asks for a lock; here holding is the lock). It begins
// as what runs, and is forgotten when its holder leaves or does nothing for too long. It never leaves this process unredacted.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { redactLine } from '#model/redaction.ts';
import { ROUTER_LIMITS } from '../limits.ts';
import { applyLines, checkPushed } from './edit.ts';
import { areSame, type LiveChange, linesOfLive } from './live.ts';
import { type ChangedLine, differenceOf, fingerprint } from './text.ts';

export type Candidate = {
  readonly holder: string;
  /** What ran when the candidate was opened, and its fingerprint. */
  readonly base: string;
  readonly baseFingerprint: string;
  readonly text: string;
  /** Settings outside FRR's configuration. */
  readonly live: readonly LiveChange[];
};

export type CandidateStore = {
  /** Opens a candidate on `running`, or goes on with one's own. Rejects with `caller/candidate-held`. */
  open(holder: string, running: () => Promise<string>): Promise<Candidate>;
  /** One's own candidate. Throws `caller/no-candidate` or `caller/candidate-held`. */
  of(holder: string): Candidate;
  /** Throws `caller/bad-config` with the first line that may not be configured. */
  edit(holder: string, lines: readonly string[]): Candidate;
  /**
   * Lines and settings as a whole, in a candidate that was not edited before; the same again changes nothing. Throws `caller/bad-config`, and
   * `caller/candidate-edited` for a candidate that holds anything else.
   */
  drawUp(holder: string, lines: readonly string[], changes: readonly LiveChange[]): Candidate;
  push(holder: string, text: string): Candidate;
  /** Puts an earlier image of our own in the candidate's place. */
  replace(holder: string, text: string): Candidate;
  discard(holder: string): void;
  /** It was committed: forgets it, unless it has been edited since. */
  leave(committed: Candidate): void;
};

export function createCandidateStore(clock: Clock): CandidateStore {
  let held: (Candidate & { readonly touchedMs: number }) | undefined;
  const current = () => {
    if (held !== undefined && clock.monotonicMs() - held.touchedMs > ROUTER_LIMITS.candidateIdleMs) held = undefined;
    return held;
  };
  const mustNotBeHeld = (holder: string) => {
    const other = current();
    if (other !== undefined && other.holder !== holder)
      throw new ParleyError('caller/candidate-held', `expected a free candidate, it is held by ${other.holder}`);
  };
  const of = (holder: string): Candidate => {
    mustNotBeHeld(holder);
    const own = current();
    if (own === undefined) throw new ParleyError('caller/no-candidate', 'expected an edited candidate, there is none');
    return own;
  };
  const put = (candidate: Candidate): Candidate => {
    held = { ...candidate, touchedMs: clock.monotonicMs() };
    return held;
  };
  const change = (holder: string, make: (own: Candidate) => ReturnType<typeof applyLines>): Candidate => {
    const own = of(holder);
    const made = make(own);
    if (!made.ok) throw new ParleyError('caller/bad-config', made.reason);
    return put({ ...own, text: made.value });
  };
  return {
    async open(holder, running) {
      mustNotBeHeld(holder);
      const own = current();
      if (own !== undefined) return put(own);
      const base = await running();
      mustNotBeHeld(holder);
      // Another session of the same party may have begun it, and edited, meanwhile.
      const begun = current();
      if (begun !== undefined) return put(begun);
      return put({ holder, base, baseFingerprint: fingerprint(base), text: base, live: [] });
    },
    of,
    edit: (holder, lines) => change(holder, (own) => applyLines(own.text, lines)),
    drawUp(holder, lines, changes) {
      const own = of(holder);
      const made = applyLines(own.base, lines);
      if (!made.ok) throw new ParleyError('caller/bad-config', made.reason);
      if (!isEdited(own)) return put({ ...own, text: made.value, live: changes });
      if (made.value === own.text && areSame(changes, own.live)) return put(own);
      throw new ParleyError(
        'caller/candidate-edited',
        'expected a candidate that was not edited yet, it was: commit or discard it first',
      );
    },
    push: (holder, text) => change(holder, (own) => checkPushed(own.base, text)),
    replace: (holder, text) => put({ ...of(holder), text }),
    discard(holder) {
      mustNotBeHeld(holder);
      held = undefined;
    },
    leave({ holder, text, live }) {
      if (held?.holder === holder && held.text === text && held.live === live) held = undefined;
    },
  };
}

export function isEdited({ base, text, live }: Candidate): boolean {
  return live.length > 0 || differenceOf(base, text).length > 0;
}

/** What a candidate changes, without secrets: a changed password shows that it changes. */
export function changesOf(candidate: Candidate): readonly ChangedLine[] {
  const lines = [...candidate.live.flatMap(linesOfLive), ...differenceOf(candidate.base, candidate.text)];
  return lines.map((entry) => ({ ...entry, line: redactLine(entry.line) }));
}
